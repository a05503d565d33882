package ipcx

// IsPanic says whether err is that of a panic that was recovered on the way.
func IsPanic(err error) bool { return isPanic(err) }
