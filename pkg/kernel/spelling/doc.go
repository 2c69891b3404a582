// Package spelling decides which texts are the same text, for everybody.
//
// Compose is for all text that comes in: NFC (Unicode, annex 15), so that a file of a Mac finds what a
// keyboard of a PC wrote. Name is for names, labels, ids and keys: it also drops the characters that
// nobody sees. Fields does both to the fields of a struct. Fold is for comparing what people write with
// what people meant, Bare for searching. Nothing here may change for stored text: a new rule is a new
// function, as snapshots name the rule that scored them.
package spelling
