// Package page draws reports as HTML pages for people who would rather look than read.
//
// A page is one file: styles and charts (SVG) are part of it, it loads nothing from the
// network and runs no script, and its content security policy says so. It follows the
// light or dark setting of the reader, fits a phone, and prints; a test with axe in a real
// browser checks it against WCAG 2.2, AA. Next to each chart is a table with the same
// figures, and each chart has a title and a description.
//
// Each report becomes a Page, which one template writes; every text goes through
// html/template, and texts that users wrote carry dir="auto", so that Arabic and Hebrew
// run the right way. The package reads nothing: it gets the results of pkg/report/reporting.
package page
