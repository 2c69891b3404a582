// Package intake imports CSV files: parse, plan, apply (specification, sections 4.6 and
// 4.11; decisions, section 9).
//
// Each kind of import is a table of columns, a plan function that turns rows into records
// and names everything that is wrong with them, and an apply function that hands the valid
// records to the package that owns them. This package writes no table of its own.
//
// # A file
//
// UTF-8 with or without byte order mark, or UTF-16 with one; RFC 4180; lines end in LF, CR LF or CR. The
// delimiter (comma, semicolon or tab) is the one that a first line such as sep=; says, or else the one under
// which the header has the most known columns. A file of another kind is called by its name. Header names match
// whatever the case, spaces, hyphens and underscores. An unknown column is a warning. A
// short row ends in empty cells; empty rows, and empty cells beyond the header, count for nothing. A line
// break within a name is a space.
//
// A problem of the file as a whole (a required column that is missing or occurs twice,
// bytes that are no UTF-8, NUL, a quote that does not match) makes every row unusable; its rows
// are looked at all the same, up to the quote. A
// problem of a row makes its record unusable: several rows can be one record, such as the
// translations of a question or the items of an evaluation, and half a record is none.
//
// # Chunks
//
// A file is looked at once for the keys of its records and then planned, and applied, in
// chunks of a thousand rows that part no record. So memory does not grow with the file as
// long as the rows of a record stand together. A commit is one transaction all the same, but
// for CommitUsersInPieces, whose chunks are one each.
//
// # Preview and commit
//
// Preview writes nothing; it runs in a dry run, since plan rehearses what takes locks (the checks
// of authoring) or shows in no other way (what keeps an evaluation from being published).
// Commit writes nothing either unless every row is valid, or Input.SkipInvalid says to leave
// out the records that are not. Both plan by the same function, so that a preview names what its
// commit refuses: nothing of a plan depends on what was written for the chunks before. A
// record that apply refuses because somebody changed what it names since is treated as one that
// is not valid. Commit is idempotent: a
// record is found by its external id (users: e-mail address; assignments: evaluation, target
// and run label), one that is as the file says
// stays as it is.
//
// # Exports
//
// An export of questions, passages or evaluations is a file that the import of the same
// kind takes, and importing it again changes nothing. It is written in pages, at one
// snapshot. Each record stands in columns if an import reads exactly it from them, which the
// export tries out; the column format says whether the text is plain or Markdown. Anything
// else (images, tables with a caption, underlined text, draws, odd option ids) stands as
// JSON in the column content, in the form that the interface takes. A record without an
// external id goes by its id.
//
// No cell is one that a spreadsheet takes for a formula. What people wrote is escaped in Markdown, or
// stands in content; names get an apostrophe (package sheet), which an import takes away again.
//
// Accepted answers of a short_text stand in correct, parted by | (\| is a | of its own); the
// number of a numeric, with its tolerance there ("3.5±0.1") or in the column tolerance; the letters of an order in their right order ("CAB").
//
// Terms that the file names and nobody has made are errors, with those near them, unless
// Input.CreateTerms lets the import make them.
//
// Error codes: import_invalid with every problem in its fields ("line 12, column stem"; line and
// column stand there by themselves too),
// validation_failed for the options of the import, forbidden, step_up_required,
// duplicate_assignment when somebody made the same assignment while its file was imported.
package intake
