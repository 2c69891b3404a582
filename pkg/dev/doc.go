// Package dev is the room of what tests stand on: a database for each test, valid records in one call,
// the whole service inside a test, a real browser, golden files.
//
// What may come in: what no program that is shipped imports.
package dev
