//go:build race

package ipcx_test

// raceEnabled says whether the race detector is on, under which sync.Pool forgets
// at random.
const raceEnabled = true
