// Package bank is the form that all formats of question banks share: a reader makes Items, a writer
// takes them. It is pure: no database, no network, no clock.
//
// An Item holds more than the service stores today: gaps, pairs, orders and areas are there, so that a format
// is read once and for all. What does not come over stands in its Notices, what makes it unusable in its
// Problems.
//
// Content is that of package content. An image names a file of its item.
package bank
