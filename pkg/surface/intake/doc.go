// Package intake imports CSV files: parse, plan, apply (specification, sections 4.6 and
// 4.11; decisions, section 9).
//
// Each kind of import is a table of columns, a plan function that turns rows into records
// and reports every mistake in them, and an apply function that hands the valid
// records to the package that owns them. This package writes no table of its own.
//
// # A file
//
// UTF-8 with or without byte order mark, or UTF-16 with one; RFC 4180; lines end in LF, CR LF or CR. The
// delimiter (comma, semicolon or tab) is the one that a first line such as sep=; names, or else the one that
// gives the header the most known columns. For a file of another kind, the error names the kind. Case, spaces,
// hyphens and underscores do not matter in header names. An unknown column is a warning. A
// short row ends in empty cells; empty rows, and empty cells beyond the header, are ignored. A line
// break within a name is a space.
//
// A problem of the file as a whole (a required column that is missing or occurs twice,
// bytes that are not UTF-8, NUL, a quote that does not match) makes every row unusable; its rows
// are still checked, up to the quote. A
// problem of a row makes its record unusable: several rows can be one record, such as the
// translations of a question or the items of an evaluation, and half a record is none.
//
// # Chunks
//
// A file is read once for the keys of its records and then planned, and applied, in
// chunks of a thousand rows that split no record. So memory does not grow with the file as
// long as the rows of a record are next to each other. A commit is still one transaction, except
// that of CommitUsersInPieces, which takes one for each chunk.
//
// # Preview and commit
//
// Preview writes nothing; it runs in a dry run, since plan rehearses work that takes locks (the checks
// of authoring) or whose result cannot be known otherwise (what keeps an evaluation from being published).
// Commit writes nothing either unless every row is valid, or Input.SkipInvalid says to leave
// out the records that are not. Both plan with the same function, so that a preview reports what its
// commit refuses: nothing of a plan depends on what was written for the chunks before. If apply
// refuses a record because somebody has since changed what it refers to, the record is treated
// as invalid. Commit is idempotent: a
// record is found by its external id (users: e-mail address; assignments: evaluation, target
// and run label), and a record that already agrees with the file
// is not changed.
//
// # Exports
//
// An export of questions, passages or evaluations is a file that the import of the same
// kind takes, and importing it again changes nothing. It is written in pages, at one
// snapshot. Each record is written in columns if an import reads exactly it from them, which the
// export tries out; the column format says whether the text is plain or Markdown. Anything
// else (images, tables with a caption, underlined text, draws, odd option ids) is written as
// JSON in the column content, in the form that the interface takes. A record without an
// external id goes by its id.
//
// No cell looks like a formula to a spreadsheet. Text that people wrote is escaped in Markdown, or
// written in content; names get an apostrophe (package sheet), which an import takes away again.
//
// The column correct has the accepted answers of a short_text, separated by | (\| is a literal |); the
// number of a numeric, with its tolerance there ("3.5±0.1") or in the column tolerance; the letters of an order in their right order ("CAB").
//
// Terms that the file names and that do not exist are errors, which suggest similar terms, unless
// Input.CreateTerms lets the import make them.
//
// Error codes: import_invalid with every problem in its fields ("line 12, column stem"; line and
// column are also given separately),
// validation_failed for the options of the import, forbidden, step_up_required,
// duplicate_assignment when somebody made the same assignment while its file was imported.
package intake
