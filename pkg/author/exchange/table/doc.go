// Package table writes questions as the CSV that assessctl import questions and the interface take. It is not
// read here: the import reads it.
//
// A line holds the whole question in the column content. What the service cannot ask yet (gaps, areas, texts without a
// question) is left out, pictures give way to their texts, and a formula becomes text between \( and \).
package table
