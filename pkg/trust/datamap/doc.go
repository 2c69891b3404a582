// Package datamap says of every column of every table what it holds about people, how a row leads to the
// person it is about, and what forgetting, a data export and retention do with it (decisions, section 10).
// docs/data-map.md, the record of processing (GDPR, article 30), is written from it.
//
// Code that erases, exports or searches reads this map and names no table of its own. A test compares it with
// the catalogue of a migrated database: a table or a column that is added fails until it is classified here.
//
// # Classes
//
//	identifier  names somebody: name, e-mail address, metadata, external id
//	free text   somebody wrote it, so it may name anybody
//	pseudonym   the id of a user, or an actor ("user:<id>"): names nobody without the user record
//	secret      proves who somebody is: hashes of tokens, sealed keys
//	none        no personal data: ids of things, figures, codes, content of exams
package datamap
