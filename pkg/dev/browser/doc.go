// Package browser drives a real browser, a Chromium without a screen, in tests. Each Page has a browser
// and a profile of its own, so that tests run beside each other.
//
// Whatever the page reports as an error on its console fails the test, unless Expect names it. Each wait
// ends after Patience and then says what was waited for and what the page showed. With ASSESS_PICTURES
// naming a folder, Picture writes what a page looks like there, for people to see.
//
// scripts/browser installs Chromium and axe-core. Where they are missing tests are skipped, but with CI
// set they fail. Tests alone may import this package.
package browser
