package config

import (
	"cmp"
	"slices"
	"strings"
)

// Problem is one setting that is wrong.
type Problem struct {
	// Key is the setting, for example "http.body_limit".
	Key string
	// Source is where the value came from: "file etc/assess.yaml", "environment
	// ASSESS_HTTP_BODY_LIMIT" or "flag --http-body-limit"; empty for a default.
	Source  string
	Message string
}

func (p Problem) String() string {
	if p.Source == "" {
		return p.Key + ": " + p.Message
	}
	return p.Key + " (" + p.Source + "): " + p.Message
}

// Error lists everything that is wrong with the settings, ordered by key.
type Error struct {
	Problems []Problem
}

func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return "the configuration is not valid:\n  " + strings.Join(lines, "\n  ")
}

func failure(problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	slices.SortStableFunc(problems, func(a, b Problem) int { return cmp.Compare(a.Key, b.Key) })
	return &Error{Problems: problems}
}
