package dsar

import (
	"strings"

	"assess/pkg/trust/datamap"
)

// abouts has a sentence for the person about the content of each domain of the data map.
var abouts = map[string]string{
	datamap.Users:       "Who you are: your account, and the org units, groups and roles that you have.",
	datamap.Access:      "How you signed in, and answers that are kept for a day so that a call can be repeated.",
	datamap.Assignments: "Which exams you were given, and what was arranged for you.",
	datamap.Sessions:    "The exams that you sat, and what proctors did meanwhile.",
	datamap.Telemetry:   "What the exam window reported.",
	datamap.Submissions: "What you handed in, how it was scored, and what was decided about it.",
	datamap.Evidence:    "Recordings, pictures and documents about your attempts, and what came of them.",
	datamap.Readiness:   "Whether your attempts hold as proof, and what is missing.",
	datamap.Skills:      "What your answers say about your skills.",
	datamap.Ledger:      "What was done with your account, when, and by whom.",
	datamap.Compliance:  "What was asked for about your data, and what was done.",
	datamap.Content:     "Lists that you saved for yourself.",
}

// toldAbove are the tables that the page already tells about in words.
var toldAbove = map[string]bool{"users": true, "submissions": true, "submission_items": true, "evidence": true}

// sentence begins a word of ours with a capital: "screen_recording" is "Screen recording".
func sentence(word string) string {
	words := strings.ReplaceAll(word, "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}
