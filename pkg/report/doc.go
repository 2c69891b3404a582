// Package report is the room of figures: the projection that keeps the reporting tables, the reports
// that read them, and their pages.
//
// What may come in: what is derived, can be thrown away and be built again.
package report
