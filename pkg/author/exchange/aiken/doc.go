// Package aiken reads Aiken, a plain text format of questions with one right option each
// (docs.moodle.org/en/Aiken_format). It does not write it: GIFT can say more.
package aiken
