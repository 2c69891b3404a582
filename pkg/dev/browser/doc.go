// Package browser drives a real browser, a Chromium without a screen, in tests. Each Page has a browser
// and a profile of its own, so that tests can run in parallel.
//
// Every error that the page reports on its console fails the test, unless Expect names it. Each wait
// ends after Patience and then says what it waited for and what the page showed. With ASSESS_PICTURES
// naming a folder, Picture saves pictures of pages there, for people to see.
//
// scripts/browser installs Chromium and axe-core. Where they are missing tests are skipped, but with CI
// set they fail. Only tests may import this package.
package browser
