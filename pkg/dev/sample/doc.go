// Package sample makes valid records for tests, one call each. Each call takes the values that
// matter to the test and fills in the rest; every value is new, so that tests that share a database
// do not collide.
package sample
