// Command ipcx converts, inspects, checks and prints Arrow IPC streams and
// files, those of package ipcx with their offsets stored as lengths among them.
// Run ipcx --help for its commands.
package main

import (
	"context"
	"os"
)

func main() {
	ctx, stop := interruptible(context.Background())
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
