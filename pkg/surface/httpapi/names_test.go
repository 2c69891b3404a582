package httpapi_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"assess/pkg/surface/httpapi"
)

// specified lists the fields that the specification names, by resource: fields that an endpoint of
// section 4 shows are written as there, the others as in section 2 (decisions, section 1; its
// section 9 for sessions). schemas are the schemas of the resource, first the one that has all of
// the fields; paths are the paths whose filters use them.
var specified = []struct {
	resource string
	schemas  []string
	paths    []string
	fields   string
}{
	{"submission (2.1, 4.2, 4.6)", []string{"StandingSubmission", "StandingSummary", "SubmissionOwnSummary", "AttemptSubmission"},
		[]string{"/evaluations/{id}/submissions", "/users/{id}/submissions", "/users/me/submissions", "/submissions"},
		"id evaluationVersionId userId status completedAt startedAt score maxScore outcome_code outcome_label assignment_id run_label batch_id " +
			"versionSnapshot approval_status retain_until retention_basis hold_flag feedbackTags"},
	{"submission item (2.2)", []string{"SubmissionItemDetail"}, nil, "id is_correct score max_score time_spent_ms started_at answered_at"},
	{"evaluation settings (2.3)", []string{"AuthoringSettings"}, nil,
		"feedback_mode pass_mark_percent review_policy max_attempts_per_user cooloff_seconds scoringConfig feedbackPolicy exposurePolicy"},
	{"finding (2.4)", []string{"ReportingFinding", "EvidenceFinding"}, []string{"/reporting/findings"}, "ledger_event_id"},
	{"group (2.5)", []string{"PeopleGroupDetail", "PeopleGroup", "PeopleGroupInput", "PeopleGroupPatch"}, []string{"/groups"},
		"id org_unit_id name description is_dynamic membership_rule allowed_domains created_at updated_at"},
	{"join token of a group (2.5)", []string{"PeopleJoinToken"}, nil, "group_id join_token"},
	{"group member (2.5)", []string{"PeopleJoined", "PeopleMember"}, []string{"/groups", "/groups/{id}/members"}, "group_id user_id added_at"},
	{"assignment (2.12)", []string{"Assignment", "AssignmentCreateInput", "AssignmentCreated", "AssignmentHanded", "AssignmentTarget", "AssignmentPatch",
		"AssignmentRedemption", "AssignmentOverride", "AssignmentOverrideInput", "AssignmentSchedule", "AssignmentScheduleInput", "AssignmentSchedulePatch",
		"AssignmentRun", "AssignmentComing", "InventoryAssignmentReference"},
		[]string{"/assignments", "/assignments/schedules", "/assignments/schedules/preview"},
		"target_type target_ref run_label validFrom validUntil batch_id"},
	{"session (decisions, 9)", []string{"Session"}, []string{"/evaluations/{id}/sessions"},
		"id state userId evaluationId evaluationVersionId run_label startedAt deadlineAt navigation sections"},
	{"submitted session (decisions, 9)", []string{"SessionSubmitResult"}, nil,
		"submissionId alreadyComplete status completedAt score maxScore outcome_code outcome_label"},
}

type wordsOfDescription struct {
	Components struct {
		Schemas map[string]struct {
			Properties map[string]any `json:"properties"`
		} `json:"schemas"`
	} `json:"components"`
	Paths map[string]map[string]struct {
		Parameters []struct{ Name, In string } `json:"parameters"`
	} `json:"paths"`
}

func describe(t *testing.T) wordsOfDescription {
	t.Helper()
	asJSON, _, err := httpapi.Describe()
	if err != nil {
		t.Fatal(err)
	}
	var d wordsOfDescription
	err = json.Unmarshal(asJSON, &d)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// folded makes one of all spellings of a name.
func folded(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// Each field that the specification names exists, in its spelling and in no other: in the
// resource, in bodies that change it, and in the filters that use it.
func TestFieldsAreNamedAsTheSpecificationNamesThem(t *testing.T) {
	t.Parallel()
	d := describe(t)
	for _, r := range specified {
		spelling := map[string]string{}
		for _, field := range strings.Fields(r.fields) {
			spelling[folded(field)] = field
			if _, there := d.Components.Schemas[r.schemas[0]].Properties[field]; !there {
				t.Errorf("%s: %s has no %s", r.resource, r.schemas[0], field)
			}
		}
		hold := func(where, name string) {
			if want, known := spelling[folded(name)]; known && name != want {
				t.Errorf("%s: %s says %s, want %s", r.resource, where, name, want)
			}
		}
		for _, schema := range r.schemas {
			found, there := d.Components.Schemas[schema]
			if !there {
				t.Errorf("%s: there is no schema %s", r.resource, schema)
			}
			for name := range found.Properties {
				hold(schema, name)
			}
		}
		for _, path := range r.paths {
			for _, operation := range d.Paths["/api/v1"+path] {
				for _, p := range operation.Parameters {
					if p.In == "query" {
						hold(path, p.Name)
					}
				}
			}
			if d.Paths["/api/v1"+path] == nil {
				t.Errorf("%s: there is no path %s", r.resource, path)
			}
		}
	}
}

// No resource spells one name in two ways.
func TestNoSchemaSpellsANameInTwoWays(t *testing.T) {
	t.Parallel()
	for schema, found := range describe(t).Components.Schemas {
		spelled := map[string][]string{}
		for name := range found.Properties {
			spelled[folded(name)] = append(spelled[folded(name)], name)
		}
		for _, names := range spelled {
			if len(names) > 1 {
				slices.Sort(names)
				t.Errorf("%s has %v", schema, names)
			}
		}
	}
}
