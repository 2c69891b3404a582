// Package bank is the form that all formats of question banks share: a reader makes Items, a writer
// takes them. It is pure: no database, no network, no clock.
//
// An Item holds more than the service stores today: it has gaps, pairs, orders and areas, so that a format is
// read once and for all. Its Notices name what is lost, its Problems what makes it unusable.
//
// Content is the content of package content. An image names a file of its item.
package bank
