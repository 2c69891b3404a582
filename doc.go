// Package assess is the root of the assessment service. Start with README.md and
// docs/design.md; layout_test.go holds the order of the packages.
package assess
