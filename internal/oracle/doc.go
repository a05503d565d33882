// Package oracle reads Arrow streams and files with arrow-go's own reader, for
// tests that compare another reader with it, hostile input included. arrow-go
// trusts lengths and panics on some input; here both is an error and costs no
// more than a bounded amount of memory.
package oracle
