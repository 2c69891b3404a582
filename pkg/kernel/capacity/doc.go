// Package capacity estimates what machines an exam needs, from the measured cost of a start, a save, a submit and its projection
// (docs/cost.md), and from what this machine measures. docs/scale.md compares the estimate with exams that were held.
package capacity
