// Package page draws reports as HTML pages for those who would rather look than read.
//
// A page is one file: styles and charts (SVG) are part of it, it asks no network for
// anything and runs no script, and its content security policy says so. It follows the
// light or dark setting of the reader, fits a telephone, and prints; a test with axe in a real browser holds
// it to WCAG 2.2, AA. Beside each chart stands a table with the
// same figures, and each chart has a title and a description.
//
// Each report becomes a Page, which one template writes; every text goes through
// html/template, and texts of strangers carry dir="auto", so that Arabic and Hebrew stand
// as they should. The package reads nothing: it gets the results of pkg/report/reporting.
package page
