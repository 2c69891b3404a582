// Package erasure forgets people (decisions, sections 6 and 10).
//
// What becomes of a row, the data map says (package datamap); scores, outcomes, choices and figures stay.
// Texts that were written once give way to the mark "[erased]" and to nothing else: triggers see to that,
// and the programs may change no other column of such tables.
package erasure
