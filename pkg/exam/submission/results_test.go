package submission_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/assignment"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/hold"
	"assess/pkg/people/people"
)

func (s *shelf) analyst() db.Scope {
	return sample.As(s.operator, ids.New(), capability.ReportingViewNamed)
}

// results reads the export as lines by the names of their columns.
func (s *shelf) results(as db.Scope, in submission.ResultsInput) ([]map[string]string, error) {
	var file bytes.Buffer
	n := 0
	in.EvaluationID = s.snapshot.EvaluationID
	err := s.store.Report(s.t.Context(), as, func(tx *db.Tx) error {
		var err error
		n, err = submission.ExportResults(s.t.Context(), tx, in, &file)
		return err
	})
	if err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(file.Bytes(), []byte("\ufeff")))).ReadAll()
	if err != nil {
		s.t.Fatal(err)
	}
	if diff := cmp.Diff(submission.ResultColumns(), rows[0]); diff != "" {
		s.t.Errorf("heads (-want +got):\n%s", diff)
	}
	if n != len(rows)-1 {
		s.t.Errorf("it says %d lines and has %d", n, len(rows)-1)
	}
	var found []map[string]string
	for _, row := range rows[1:] {
		line := map[string]string{}
		for i, cell := range row {
			line[rows[0][i]] = cell
		}
		found = append(found, line)
	}
	return found, nil
}

// submitByGroup submits at an assignment to a group.
func (s *shelf) submitByGroup(name string) (to, submitted ids.ID) {
	s.t.Helper()
	submitted = s.submit()
	sample.Write(s.t, s.store, s.operator, func(tx *db.Tx) error {
		g, err := people.CreateGroup(s.t.Context(), tx, people.GroupInput{Name: name})
		if err != nil {
			return err
		}
		to = g.ID
		made, err := assignment.Create(s.t.Context(), tx, assignment.CreateInput{Terms: assignment.Terms{EvaluationID: s.snapshot.EvaluationID}, Type: "group_id", Ref: g.ID.String()})
		if err != nil {
			return err
		}
		_, err = tx.Exec(s.t.Context(), "update submissions set assignment_id = $3 where tenant_id = $1 and id = $2", tx.Tenant(), submitted, made.ID)
		return err
	})
	return to, submitted
}

func TestResultsAreByNameAndFiltered(t *testing.T) {
	t.Parallel()
	s := newShelf(t, authoring.Settings{PassMarkPercent: ptr(50.0)})
	failed, passed := s.submit(), s.submit(`{"optionIds":["A"]}`)
	group, grouped := s.submitByGroup("=7b")
	lines, err := s.results(s.analyst(), submission.ResultsInput{})
	if err != nil || len(lines) != 3 || lines[2]["submissionId"] != failed.String() || lines[1]["submissionId"] != passed.String() {
		t.Fatalf("got %v, %v; want three, newest first", lines, err)
	}
	line := lines[1]
	want := map[string]string{"name": s.person().Name, "email": s.person().Email, "evaluationTitle": s.snapshot.Title, "versionNumber": "1",
		"score": "1", "maxScore": "2", "outcome_code": "pass", "outcome_label": "Pass", "status": "completed", "approval_status": "not_required",
		"processingRestricted": "false", "pending": "false", "scoreVersion": "1", "run_label": "", "groupId": "", "completionMethod": "submitted"}
	for column, cell := range want {
		if line[column] != cell {
			t.Errorf("%s is %q, want %q", column, line[column], cell)
		}
	}
	if lines[0]["groupId"] != group.String() || lines[0]["groupName"] != "'=7b" || lines[0]["assignmentId"] == "" {
		t.Errorf("by a group: %v", lines[0])
	}
	for name, f := range map[string]submission.Filter{"group": {GroupID: group}, "other version": {EvaluationVersionID: ids.New()}, "outcome": {Outcome: "pass"}} {
		want := map[string]ids.ID{"group": grouped, "outcome": passed}[name]
		lines, err := s.results(s.analyst(), submission.ResultsInput{Filter: f})
		if err != nil || (want == ids.None) != (len(lines) == 0) || len(lines) == 1 && lines[0]["submissionId"] != want.String() {
			t.Errorf("%s: got %v, %v", name, lines, err)
		}
	}
}

func (s *shelf) person() people.User {
	s.t.Helper()
	var found people.User
	sample.Write(s.t, s.store, s.operator, func(tx *db.Tx) error {
		var err error
		found, err = people.GetUser(s.t.Context(), tx, s.candidate.Actor.ID)
		return err
	})
	return found
}

// Pages of an export neither lose nor repeat a line, even if many were submitted at the same moment.
func TestResultsHaveEverySubmissionOnce(t *testing.T) {
	t.Parallel()
	s := newShelf(t, authoring.Settings{})
	id := s.submit()
	sample.Write(t, s.store, s.operator, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), `
			insert into submissions (tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id, submitted_by, status, completion_method,
				started_at, completed_at, score, max_score, outcome_code, outcome_label, snapshot_hash, approval_status)
			select tenant_id, gen_random_uuid(), org_unit_id, evaluation_id, evaluation_version_id, user_id, submitted_by, status, completion_method,
				started_at, completed_at + n / 700 * interval '1 second', score, max_score, outcome_code, outcome_label, snapshot_hash, approval_status
			from submissions, generate_series(1, 2499) n where tenant_id = $1 and id = $2 returning true`, tx.Tenant(), id)
		return err
	})
	lines, err := s.results(s.analyst(), submission.ResultsInput{})
	seen := map[string]bool{}
	for i, line := range lines {
		seen[line["submissionId"]] = true
		if i > 0 && line["completedAt"] > lines[i-1]["completedAt"] {
			t.Fatal("not newest first")
		}
	}
	if err != nil || len(lines) != 2500 || len(seen) != 2500 {
		t.Errorf("%d lines of %d submissions, %v; want 2500", len(lines), len(seen), err)
	}
}

func TestResultsOfARestrictedPersonHaveNoName(t *testing.T) {
	t.Parallel()
	s := newShelf(t, authoring.Settings{})
	s.submit()
	who := s.person()
	sample.Write(t, s.store, s.operator, func(tx *db.Tx) error {
		_, err := hold.Place(t.Context(), tx, hold.Input{SubjectID: who.ID, Terms: hold.Terms{Kind: hold.Processing, ReasonCode: "objection_pending"}})
		return err
	})
	lines, err := s.results(s.analyst(), submission.ResultsInput{})
	if err != nil || len(lines) != 1 || lines[0]["name"]+lines[0]["email"] != "" || lines[0]["processingRestricted"] != "true" || lines[0]["userId"] != who.ID.String() {
		t.Errorf("got %v, %v", lines, err)
	}
}

func TestResultsAsXLSX(t *testing.T) {
	t.Parallel()
	s := newShelf(t, authoring.Settings{})
	s.submit(`{"optionIds":["A"]}`)
	var file bytes.Buffer
	err := s.store.Report(t.Context(), s.analyst(), func(tx *db.Tx) error {
		_, err := submission.ExportResults(t.Context(), tx, submission.ResultsInput{EvaluationID: s.snapshot.EvaluationID, Format: "xlsx"}, &file)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	book, err := excelize.OpenReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close() //nolint:errcheck // it was only read
	rows, err := book.GetRows(book.GetSheetName(0))
	if err != nil || len(rows) != 2 || !cmp.Equal(rows[0], submission.ResultColumns()) || rows[1][2] != s.person().Name {
		t.Errorf("got %v, %v", rows, err)
	}
}

// Anybody who takes results by name is in the ledger, with the request, before a name is read.
func TestTakingResultsIsWrittenDown(t *testing.T) {
	t.Parallel()
	s := newShelf(t, authoring.Settings{})
	s.submit()
	run := "spring"
	analyst := s.analyst()
	sample.Write(t, s.store, analyst, func(tx *db.Tx) error {
		return submission.TakeResults(t.Context(), tx, submission.ResultsInput{EvaluationID: s.snapshot.EvaluationID, Format: "xlsx",
			Filter: submission.Filter{RunLabel: &run, Outcome: "fail"}})
	})
	var actor, payload string
	sample.Write(t, s.store, s.operator, func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), "select actor, payload from ledger_events where tenant_id = $1 and event_type = 'results.exported'", tx.Tenant()).Scan(&actor, &payload)
	})
	if !strings.Contains(actor, analyst.Actor.ID.String()) || !strings.Contains(payload, "spring") || !strings.Contains(payload, "xlsx") || strings.Contains(payload, "@") {
		t.Errorf("by %s: %s", actor, payload)
	}
}

func TestResultsRefuse(t *testing.T) {
	t.Parallel()
	s := newShelf(t, authoring.Settings{})
	s.submit()
	elsewhere := s.analyst()
	sample.Write(t, s.store, s.operator, func(tx *db.Tx) error {
		elsewhere.OrgUnit = sample.OrgUnit(t, tx, "away").ID
		return nil
	})
	for name, tt := range map[string]struct {
		as   db.Scope
		in   submission.ResultsInput
		want errs.Code
	}{
		"without capability": {s.reader(), submission.ResultsInput{}, errs.Forbidden},
		"another tenant":     {sample.As(sample.Tenant(t, s.store), ids.New(), capability.ReportingViewNamed), submission.ResultsInput{}, errs.NotFound},
		"another org unit":   {elsewhere, submission.ResultsInput{}, errs.NotFound},
		"another format":     {s.analyst(), submission.ResultsInput{Format: "pdf"}, errs.ValidationFailed},
		"bad filter":         {s.analyst(), submission.ResultsInput{Filter: submission.Filter{Status: "x"}}, errs.ValidationFailed},
	} {
		tt.in.EvaluationID = s.snapshot.EvaluationID
		_, err := s.results(tt.as, tt.in)
		took := s.store.Write(t.Context(), tt.as, func(tx *db.Tx) error { return submission.TakeResults(t.Context(), tx, tt.in) })
		if !errors.Is(err, tt.want) || !errors.Is(took, tt.want) {
			t.Errorf("%s: got %v and %v, want %s", name, err, took, tt.want)
		}
	}
}

func TestColumnsOfResultsAreDescribed(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/reporting.md")
	if err != nil {
		t.Fatal(err)
	}
	_, described, _ := strings.Cut(string(page), "## Results by name")
	for _, column := range submission.ResultColumns() {
		if !strings.Contains(described, "`"+column+"`") {
			t.Errorf("docs/reporting.md does not say what %s is", column)
		}
	}
}
