// Package demo holds the shipped sample, an exam with its candidates, and reads any
// other folder of the same shape. It knows neither the database nor the surfaces: it
// gives them import files and answers.
//
// # A folder
//
//	items.csv      item_id, qtype (single, multiple), key, n_options, stem, topic
//	responses.csv  person_id, then a column per item: sorted letters, empty when omitted
//	persons.csv    person_id, then group columns (optional)
//	times.csv      person_id, then a column per item: milliseconds (optional)
//	questions.csv  the questions as an import file (optional; decisions, section 9)
//
// Files are UTF-8, with or without a byte order mark, separated by commas. Columns and
// persons may come in any order. Every problem is a FileError that names file, line
// and column; reading stops at the first.
//
// # The sample
//
// data/questions.csv is written by hand: 32 questions on safe and reliable laboratory
// work, 22 with one right answer and 10 with several, in English and German.
// data/parameters.csv says how each behaves; Generate makes the other files from these
// two, a simulation that gives the same cohort for the same seed. The items include at
// least one for each flag of question health that one run can raise
// (specification, section 4.4): too easy (EMG01), too hard (STA02), often omitted
// (STA03), a dominant distractor (CHE04), two strong ones (CHE03), one that nobody
// chooses (CHE02). REC04 is a multiple-choice item that many get partly right.
package demo

//go:generate go run ./generate
