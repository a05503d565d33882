// Package cases makes the record batches that other implementations of Arrow
// are tried with: tables to read in every unflagged form, and tables whose
// flagged forms have to be refused. Everything follows from seeds, so that the
// program that writes the files and the one that judges what came back have the
// same batches.
package cases
