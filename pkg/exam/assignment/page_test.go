package assignment

// ExportPage reads a page of an export before what an import refuses is left out.
var ExportPage = exportPage
