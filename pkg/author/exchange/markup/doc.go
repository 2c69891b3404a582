// Package markup reads and writes the markup within questions: HTML to content blocks and back, the formulas
// in it, and the XML around it. All trees are trees of golang.org/x/net/html, whether their source was XML or
// HTML, so that one walk reads both.
//
// Nothing is fetched, no HTML is kept. XML is read as a stream, one whole element at a time; no DTD is read. A DTD
// that declares entities is refused, and so is XML nested deeper than MaxDepth.
package markup
