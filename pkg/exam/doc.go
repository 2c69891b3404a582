// Package exam is the room of taking exams and deciding about them: who is to take what, sessions,
// submissions, marks, review, remediation and evidence.
//
// What may come in: what happens between the hand-out of a published evaluation and the final word
// about a submission. The inventory is here, too: what is in use is known by those who use it.
package exam
