package httpapi_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/exam/review"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/scoring"
	"assess/pkg/report/projection"
	"assess/pkg/trust/readiness"
)

// The description has every list of the code as it is: a state, a code or a kind that is added there
// and not here fails the test.
func TestListsAreDescribed(t *testing.T) {
	t.Parallel()
	schemas := described(t).Components.Schemas
	for _, c := range []struct {
		schema, property string
		want             []string
	}{
		{"Session", "state", statesOf(session.Transitions)},
		{"SessionSummary", "state", statesOf(session.Transitions)},
		{"SessionEvent", "type", session.EventTypes},
		{"StandingSubmission", "status", statesOf(review.StatusTransitions)},
		{"StandingSubmission", "approval_status", append(statesOf(review.ApprovalTransitions()), models.ApprovalNotRequired)},
		{"AuthoringQuestionInput", "qtype", scoring.QTypes()},
		{"AuthoringShownQuestionVersion", "qtype", scoring.QTypes()},
		{"SessionItem", "qtype", scoring.QTypes()},
		{"ReportingHealthRow", "qtype", scoring.QTypes()},
		{"ContentBlock", "type", kindsOfBlocks()},
		{"ContentMark", "type", kindsOfMarks()},
		{"InventoryFilter", "sort", authoring.Sorts},
		{"Problem", "code", codes()},
		{"ModelsHealthFlag", "code", projection.FlagCodes()},
		{"SubmissionItemDetail", "invalidCode", scoring.InvalidCodes},
		{"Exception", "reasons", readiness.Codes()},
	} {
		if schemas[c.schema] == nil {
			t.Errorf("there is no schema %s", c.schema)
			continue
		}
		got := valuesOf(schemas[c.schema].Value, c.property)
		slices.Sort(got)
		want := slices.Sorted(slices.Values(c.want))
		if !slices.Equal(slices.Compact(got), want) {
			t.Errorf("%s.%s: the description lists %q, the code %q", c.schema, c.property, got, want)
		}
	}
}

// valuesOf gives the values that a property may have, in all alternatives of the schema.
func valuesOf(s *openapi3.Schema, property string) []string {
	var all []string
	for _, one := range slices.Concat(s.OneOf, s.AnyOf) {
		all = append(all, valuesOf(one.Value, property)...)
	}
	if p := s.Properties[property]; p != nil {
		all = append(all, enumOf(p.Value)...)
	}
	return all
}

func enumOf(s *openapi3.Schema) []string {
	var all []string
	for _, v := range s.Enum {
		all = append(all, fmt.Sprint(v))
	}
	for _, one := range slices.Concat(s.OneOf, s.AnyOf) {
		all = append(all, enumOf(one.Value)...)
	}
	if s.Items != nil {
		all = append(all, enumOf(s.Items.Value)...)
	}
	return all
}

func statesOf(transitions []models.Transition) []string {
	var all []string
	for _, one := range transitions {
		for _, state := range []string{one.From, one.To} {
			if state != "" && !slices.Contains(all, state) {
				all = append(all, state)
			}
		}
	}
	return all
}

func kindsOfBlocks() []string {
	var all []string
	for _, k := range content.BlockKinds {
		all = append(all, string(k.Type))
	}
	return all
}

func kindsOfMarks() []string {
	var all []string
	for _, m := range content.MarkTypes {
		all = append(all, string(m))
	}
	return all
}

func codes() []string {
	var all []string
	for _, e := range errs.Catalogue {
		all = append(all, string(e.Code))
	}
	return all
}

// The service takes content documents exactly as the description has them.
func TestContentIsTakenAsDescribed(t *testing.T) {
	t.Parallel()
	schema := described(t).Components.Schemas["ContentDocument"].Value
	for _, c := range []struct {
		block string
		fine  bool
	}{
		{`{"type":"paragraph"}`, true},
		{`{"type":"paragraph","children":[{"text":"a"}]}`, true},
		{`{"type":"paragraph","children":[{"text":"a","marks":[{"type":"bold"},{"type":"link","href":"https://example.org"}]}]}`, true},
		{`{"type":"paragraph","children":[{"text":"a","marks":[{"type":"bold","href":"https://example.org"}]}]}`, false},
		{`{"type":"paragraph","children":[{"text":"a","marks":[{"type":"link"}]}]}`, false},
		{`{"type":"paragraph","children":[{"text":"a","marks":[{"type":"blink"}]}]}`, false},
		{`{"type":"paragraph","children":[{}]}`, false},
		{`{"type":"paragraph","children":null}`, false},
		{`{"type":"paragraph","level":1}`, false},
		{`{"type":"heading","level":2,"children":[{"text":"a"}]}`, true},
		{`{"type":"heading","children":[{"text":"a"}]}`, false},
		{`{"type":"heading","level":7}`, false},
		{`{"type":"list","ordered":true,"items":[{"children":[{"text":"a"}],"items":[{}]}]}`, true},
		{`{"type":"list"}`, false},
		{`{"type":"list","items":[]}`, false},
		{`{"type":"table","caption":"a","headerRows":1,"rows":[{"cells":[{"children":[{"text":"a"}]}]}]}`, true},
		{`{"type":"table","rows":[{"cells":[{}]}]}`, false},
		{`{"type":"table","caption":"a","rows":[{"cells":[]}]}`, false},
		{`{"type":"image","assetId":"0190b3c4-0000-7000-8000-000000000004","alt":"A leaf"}`, true},
		{`{"type":"image","assetId":"0190b3c4-0000-7000-8000-000000000004"}`, false},
		{`{"type":"video"}`, false},
		{`{}`, false},
	} {
		document := `{"defaultLocale":"en","locales":{"en":{"schemaVersion":"` + content.SchemaVersion + `","type":"doc","blocks":[` + c.block + `]}}}`
		var value any
		err := json.Unmarshal([]byte(document), &value)
		if err != nil {
			t.Fatal(err)
		}
		_, problems := content.Parse("", json.RawMessage(document))
		described := schema.VisitJSON(value)
		if (len(problems) == 0) != c.fine || (described == nil) != c.fine {
			t.Errorf("%s: the service says %v, the description %v; want fine %t", c.block, problems, described, c.fine)
		}
	}
}

// The service takes answers exactly as the description has them.
func TestAnswersAreTakenAsDescribed(t *testing.T) {
	t.Parallel()
	schema := described(t).Components.Schemas["SessionAnswer"].Value.Properties["response"].Value
	for response, fine := range map[string]bool{
		`null`: true, `{"optionIds":["A"]}`: true, `{"optionIds":[]}`: true, `{"text":""}`: true, `{"number":1.5}`: true,
		`{}`: false, `"A"`: false, `{"optionIDs":["A"]}`: false, `{"optionIds":"A"}`: false, `{"optionIds":null}`: false,
		`{"optionIds":[1]}`: false, `{"text":1}`: false, `{"number":"1"}`: false, `{"text":"a","number":1}`: false,
	} {
		var value any
		err := json.Unmarshal([]byte(response), &value)
		if err != nil {
			t.Fatal(err)
		}
		_, problems := scoring.ParseResponse("", json.RawMessage(response))
		described := schema.VisitJSON(value)
		if (len(problems) == 0) != fine || (described == nil) != fine {
			t.Errorf("%s: the service says %v, the description %v; want fine %t", response, problems, described, fine)
		}
	}
}

// The chapters of the description begin with things to read first, and end with things to look up.
func TestChaptersAreInOrder(t *testing.T) {
	t.Parallel()
	document := described(t)
	var names []string
	for _, tag := range document.Tags {
		names = append(names, tag.Name)
	}
	if !strings.Contains(document.Info.Description, "## Getting started") || names[0] != "Sign-in" || names[len(names)-1] != "Error codes" {
		t.Errorf("got the chapters %q", names)
	}
	for path, item := range document.Paths.Map() {
		for method, op := range item.Operations() {
			if len(op.Tags) != 1 || !slices.Contains(names, op.Tags[0]) {
				t.Errorf("%s %s stands in %q, which is no chapter", method, path, op.Tags)
			}
			if gone := op.Responses.Status(204); gone != nil && len(gone.Value.Content) > 0 {
				t.Errorf("%s %s: 204 has a body", method, path)
			}
			if op.Security == nil {
				t.Errorf("%s %s does not say whether it takes a token", method, path)
			}
		}
	}
}
