package people

import (
	"fmt"

	"assess/pkg/kernel/errs"
)

// The operators of a condition (specification, section 2.5).
const (
	RuleEquals   = "equals"
	RuleContains = "contains"
	RuleExists   = "exists"
)

// The bounds of a rule.
const (
	maxConditions = 20
	maxRuleValues = 100
	maxRuleChars  = 200
)

// Rule says who is in a dynamic group: the active users of its org unit whose metadata meet
// every condition. What a condition means is written once, in the database function rule_path.
type Rule struct {
	All []Condition `json:"all" minItems:"1" maxItems:"20" nullable:"false" doc:"Every one must hold"`
}

// Condition is about one key of a user's metadata.
type Condition struct {
	Key    string `json:"key" minLength:"1" maxLength:"200" example:"cohort" doc:"A key of the user's metadata, by its exact spelling"`
	Op     string `json:"op" enum:"equals,contains,exists" doc:"equals: the value is exactly value; contains: it is a list with at least one of values; exists: the key is there"`
	Value  any    `json:"value,omitempty" shape:"scalar" doc:"A text, number or boolean; for equals, or as the only one for contains"`
	Values []any  `json:"values,omitempty" shape:"scalar" maxItems:"100" doc:"Texts, numbers or booleans; for contains"`
}

// checkRule gives the rule as it is stored: only contains has values.
func checkRule(path string, rule Rule) (Rule, []errs.Field) {
	if len(rule.All) == 0 || len(rule.All) > maxConditions {
		return rule, []errs.Field{{Path: path + ".all", Code: "out_of_range", Message: fmt.Sprintf("1 to %d conditions", maxConditions)}}
	}
	var stored Rule
	var bad []errs.Field
	for i, c := range rule.All {
		if c.Op == RuleContains && c.Value != nil && len(c.Values) == 0 {
			c.Value, c.Values = nil, []any{c.Value}
		}
		bad = append(bad, checkCondition(fmt.Sprintf("%s.all[%d]", path, i), c)...)
		stored.All = append(stored.All, c)
	}
	return stored, bad
}

func checkCondition(path string, c Condition) []errs.Field {
	bad := errs.Prose(path+".key", c.Key, maxRuleChars, true)
	wantsValue, wantsValues := c.Op == RuleEquals, c.Op == RuleContains
	switch {
	case c.Op != RuleEquals && c.Op != RuleContains && c.Op != RuleExists:
		return append(bad, errs.Field{Path: path + ".op", Code: "invalid_choice", Message: "expected equals, contains or exists"})
	case wantsValue && c.Value == nil:
		bad = append(bad, errs.Field{Path: path + ".value", Code: "required", Message: "equals needs a value"})
	case !wantsValue && c.Value != nil:
		bad = append(bad, errs.Field{Path: path + ".value", Code: "not_allowed", Message: c.Op + " takes no value"})
	}
	switch {
	case wantsValues && (len(c.Values) == 0 || len(c.Values) > maxRuleValues):
		bad = append(bad, errs.Field{Path: path + ".values", Code: "out_of_range", Message: fmt.Sprintf("contains needs 1 to %d values", maxRuleValues)})
	case !wantsValues && len(c.Values) > 0:
		bad = append(bad, errs.Field{Path: path + ".values", Code: "not_allowed", Message: c.Op + " takes no values"})
	}
	bad = append(bad, checkRuleValue(path+".value", c.Value)...)
	for i, v := range c.Values {
		if v == nil {
			bad = append(bad, errs.Field{Path: fmt.Sprintf("%s.values[%d]", path, i), Code: "required", Message: "it must not be null"})
		}
		bad = append(bad, checkRuleValue(fmt.Sprintf("%s.values[%d]", path, i), v)...)
	}
	return bad
}

func checkRuleValue(path string, value any) []errs.Field {
	switch v := value.(type) {
	case nil, bool, float64:
		return nil
	case string:
		return errs.Prose(path, v, maxRuleChars, false)
	}
	return []errs.Field{{Path: path, Code: "invalid_type", Message: "expected a text, a number or a boolean"}}
}
