// Package search splits text into what full-text search stores and looks for. It is pure: no database.
//
// PostgreSQL's own dictionaries know one language at a time and find no words in scripts
// without spaces. Authors write in any language, several in one question. So the splitting
// is done here, once for the text and once for the question, and PostgreSQL only keeps the
// lexemes:
//
//   - Text is folded: case, compatibility forms, and the accents of Latin, Greek and
//     Cyrillic letters and the vowel points of Hebrew and Arabic do not count.
//   - Letters and digits next to each other are a word. A word longer than MaxWord
//     characters is found by its beginning.
//   - Scripts that set no spaces between words (Han, kana, Thai and others) give each
//     character and each pair of neighbours. A longer string is found by all its pairs.
//     Pairs need no positions; a tsvector keeps only 256 of them a lexeme.
//
// Vector also holds a lexeme for the tenant and one for the org unit, which no word can be:
// so that one probe of the index finds the rows of a scope. Row-level security keeps @@
// from using an index; that is why search goes through the function search_questions,
// which adds the lexemes of its caller's scope to every query.
package search
