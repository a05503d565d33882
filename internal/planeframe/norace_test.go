//go:build !race

package planeframe_test

const race = false
