// Package sample makes valid records for tests, one call each. Each call takes what
// matters to the test and fills in the rest; every value is new, so that tests that share
// a database do not meet.
package sample
