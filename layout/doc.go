// Package layout tells what each body buffer of a record batch message holds.
//
// The metadata of an Arrow record batch lists field nodes and buffers by
// position alone: which field a buffer belongs to, and whether it holds offsets
// or values, follows from the schema. This package works that out, once for a
// schema, as a flat table in body order:
//
//	schema                      node             body buffer
//	id:   int64                 0 id             0 validity
//	                                             1 values      8 bytes an entry
//	tags: list<item: utf8>      1 tags           2 validity
//	                                             3 offsets32   n+1 entries of 4 bytes
//	                            2 tags.item      4 validity
//	                                             5 offsets32   n+1 entries of 4 bytes
//	                                             6 bytes
//
// Nodes stand in depth-first order, a parent before its children, and every
// buffer of a node comes before those of its children. n is the length of the
// buffer's node.
//
// Every type of Arrow is described. Some of them are not mapped, which is to
// say that a message of such a schema never carries lengths in place of
// offsets: see [Table.Unmapped].
//
// # Paths
//
// Fields are named by a path: the names from the top-level field down to the
// field itself, joined with dots, such as
//
//	address.street
//	tags.item              the item of a list, by the name its field has
//	attrs.entries.value    entries, key and value of a map
//	price.run_ends         run_ends and values of a run-end encoded field
//
// A name that is empty, or has in it a dot, a quote, an unprintable character
// or a space at either end, stands in double quotes with Go's escapes, so that
// one field "a.b" shows as "a.b", quotes included, and the field b of a as a.b.
// A path is for people to read: names need not be unique in Arrow, and of a path
// of more than 256 bytes the middle is left out and shown as "…".
package layout
