// Package lms is a learning platform for tests: it launches by LTI 1.3, registers tools, gives tokens to tools that sign
// with their keys, and takes grades as Moodle does. It says what a test tells it to say, wrong things too. Only tests may
// import this package.
package lms
