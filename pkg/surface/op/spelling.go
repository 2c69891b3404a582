package op

import (
	"slices"

	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/spelling"
)

// prose are the fields with texts that people wrote to be read: they keep the characters that control their direction. All
// other texts are names, ids or keys.
var prose = []string{"description", "comment", "reason", "detail", "statement", "acceptedAnswers"}

// Spell gives the names of an input the one spelling that they have everywhere, and refuses texts that are not names.
func Spell(input any) []errs.Field {
	emptied, repeated := spelling.Fields(input, func(field string) bool { return slices.Contains(prose, field) })
	var all []errs.Field
	for _, path := range emptied {
		all = append(all, errs.Field{Path: path, Code: "invalid_characters", Message: "it holds nothing that can be seen"})
	}
	for _, path := range repeated {
		all = append(all, errs.Field{Path: path, Code: "repeated", Message: "another name differs in nothing that can be seen"})
	}
	return all
}
