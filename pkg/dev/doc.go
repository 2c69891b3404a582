// Package dev is the room of the things that tests build on: a database for each test, valid records
// in one call, the whole service inside a test, a real browser, golden files.
//
// What may come in: packages that no shipped program imports.
package dev
