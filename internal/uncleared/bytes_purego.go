//go:build purego

package uncleared

func bytes(n int) []byte { return make([]byte, n) }
