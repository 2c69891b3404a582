// Package table writes questions as the CSV that assessctl import questions and the interface take. It is not
// read here: the import reads it.
//
// A line holds the whole question in the column content. Kinds that the service cannot ask yet (areas, texts
// without a question) are left out, and pictures are replaced by their texts.
package table
