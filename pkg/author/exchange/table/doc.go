// Package table writes questions as the CSV that assessctl import questions and the interface take. It is not
// read here: the import reads it.
//
// A line holds the whole question in the column content. What the service cannot ask yet (areas, texts without a
// question) is left out, and pictures give way to their texts.
package table
