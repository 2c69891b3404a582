// Package exam is the room of taking exams and deciding about them: who takes what, sessions,
// submissions, marks, review, remediation and evidence.
//
// What may come in: what happens between the hand-out of a published evaluation and the final word
// about a submission. The inventory is here, too: only the packages that use something know that it is in use.
package exam
