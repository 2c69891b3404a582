// Package report is the room of figures: the projection that keeps the reporting tables, the reports
// that read them, and their pages.
//
// What may come in: anything that is derived, and can be thrown away and built again.
package report
