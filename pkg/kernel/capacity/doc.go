// Package capacity estimates what machines an exam needs, from what a start, a save, a submit and its projection were
// measured to cost (docs/cost.md), and from what the machine at hand measures. docs/scale.md compares it with exams that were held.
package capacity
