// Package seb makes the settings of Safe Exam Browser that open an exam, and checks what the browser says of its settings
// (docs/safe-exam-browser.md). It knows no database.
//
// The browser proves its settings with a hash over the address that it calls, or the page that it shows, and a key. The Config
// Key is a hash of the settings, so this service works out the one of a file that it makes. The Browser Exam Key also
// covers the program, and only the browser itself can tell it.
package seb
