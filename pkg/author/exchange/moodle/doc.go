// Package moodle reads and writes Moodle XML (docs.moodle.org/en/Moodle_XML_format; question/format/xml/format.php and the
// export functions of the plugins for details that the page leaves open).
//
// Types has a row for each type of question that is read. Whatever Moodle cannot say is in an element "exchange" of the
// question, which Moodle ignores, so that our own files come back as they went out.
package moodle
