package evidence_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
	"assess/pkg/report/reporting"
)

func (r *room) detect(in evidence.FindingInput) (evidence.Finding, error) {
	in.SubmissionID = r.submission
	return try(r, r.proctor, func(tx *db.Tx) (evidence.Finding, error) { return evidence.Detect(r.t.Context(), tx, in) })
}

func (r *room) reported(as db.Scope, submission ids.ID) reporting.FindingList {
	r.t.Helper()
	return must(r, as, func(tx *db.Tx) (reporting.FindingList, error) {
		return reporting.ListFindings(r.t.Context(), tx, submission, db.Page{})
	})
}

func (r *room) project() {
	r.t.Helper()
	for n := 1; n > 0; {
		n = must(r, db.System(r.operator.Tenant, "projector"), func(tx *db.Tx) (int, error) {
			return projection.ProjectBatch(r.t.Context(), tx, 3)
		})
	}
}

func TestFindingIsReadAsItWasDetected(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	shown := r.picture()
	made, err := r.detect(evidence.FindingInput{Code: "PHONE_SEEN", Severity: "minor", ItemID: &r.item,
		EvidenceIDs: []ids.ID{shown.ID, shown.ID}, Detail: "left of the screen"})
	want := evidence.Finding{ID: made.ID, SubmissionID: r.submission, Scope: "item", ItemID: &r.item, Code: "PHONE_SEEN", Severity: "minor",
		Detail: "left of the screen", EvidenceIDs: []ids.ID{shown.ID}, DetectedBy: r.proctor.Actor.String(), DetectedAt: made.DetectedAt,
		LedgerEventID: made.LedgerEventID}
	if diff := cmp.Diff(want, made); diff != "" || err != nil {
		t.Fatalf("error %v, detected (-want +got):\n%s", err, diff)
	}
	got := must(r, r.reviewer, func(tx *db.Tx) (evidence.Finding, error) { return evidence.GetFinding(t.Context(), tx, made.ID) })
	if diff := cmp.Diff(made, got); diff != "" {
		t.Errorf("read (-detected +read):\n%s", diff)
	}
	second, err := r.detect(evidence.FindingInput{Code: "LATE", Severity: "info"})
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		filter evidence.FindingFilter
		want   []evidence.Finding
	}{
		"all":      {evidence.FindingFilter{}, []evidence.Finding{second, made}},
		"item":     {evidence.FindingFilter{ItemID: &r.item}, []evidence.Finding{made}},
		"severity": {evidence.FindingFilter{Severity: "info"}, []evidence.Finding{second}},
	} {
		list := must(r, r.reviewer, func(tx *db.Tx) (db.List[evidence.Finding], error) {
			return evidence.ListFindings(t.Context(), tx, r.submission, tt.filter)
		})
		if diff := cmp.Diff(tt.want, list.Items); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	payload := map[string]any{"submissionId": r.submission.String(), "scope": "item", "itemId": r.item.String(), "code": "PHONE_SEEN",
		"severity": "minor", "evidenceIds": []any{shown.ID.String()}}
	if diff := cmp.Diff([]logged{{"finding.detected", r.proctor.Actor.String(), payload}}, r.events(made.ID)); diff != "" {
		t.Errorf("ledger (-want +got):\n%s", diff)
	}
	r.write(r.operator, func(tx *db.Tx) error {
		var named bool
		err := tx.QueryRow(t.Context(), "select exists (select from ledger_events where tenant_id = $1 and id = $2 and subject_id = $3)",
			tx.Tenant(), made.LedgerEventID, made.ID).Scan(&named)
		if err == nil && !named {
			t.Error("ledger_event_id names no event of the finding")
		}
		return err
	})
}

func TestDetectRefuses(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	voided := r.picture()
	_, err := r.void(voided.ID)
	if err != nil {
		t.Fatal(err)
	}
	submission := r.submission
	r.submission, _ = r.submit()
	others := r.picture()
	r.submission = submission
	many := make([]ids.ID, 51)
	for i := range many {
		many[i] = ids.New()
	}
	stranger := ids.New()
	for _, tt := range []struct {
		name, path, code string
		change           func(in *evidence.FindingInput)
	}{
		{"code in small letters", "code", "invalid_code", func(in *evidence.FindingInput) { in.Code = "phone" }},
		{"long code", "code", "invalid_code", func(in *evidence.FindingInput) { in.Code = strings.Repeat("X", 65) }},
		{"a name in the code", "code", "invalid_code", func(in *evidence.FindingInput) { in.Code = "ADA BYRON" }},
		{"severity", "severity", "unknown_value", func(in *evidence.FindingInput) { in.Severity = "grave" }},
		{"item", "itemId", "unknown_item", func(in *evidence.FindingInput) { in.ItemID = &stranger }},
		{"evidence of another submission", "evidenceIds", "unknown_evidence", func(in *evidence.FindingInput) { in.EvidenceIDs = []ids.ID{others.ID} }},
		{"voided evidence", "evidenceIds", "unknown_evidence", func(in *evidence.FindingInput) { in.EvidenceIDs = []ids.ID{voided.ID} }},
		{"too much evidence", "evidenceIds", "too_many", func(in *evidence.FindingInput) { in.EvidenceIDs = many }},
		{"long detail", "detail", "too_long", func(in *evidence.FindingInput) { in.Detail = strings.Repeat("ä", 4001) }},
		{"NUL", "detail", "invalid_text", func(in *evidence.FindingInput) { in.Detail = "a\x00b" }},
	} {
		in := evidence.FindingInput{Code: "X", Severity: "info"}
		tt.change(&in)
		_, err := r.detect(in)
		t.Run(tt.name, func(t *testing.T) { wantField(t, err, tt.path, tt.code) })
	}
}

// The reports show a finding once it is projected, however often, and a rebuild makes the
// same rows.
func TestFindingsReachTheReports(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	ofItem, err := r.detect(evidence.FindingInput{Code: "PHONE_SEEN", Severity: "minor", ItemID: &r.item, Detail: "Ada held it"})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := r.detect(evidence.FindingInput{Code: "IDENTITY_MISMATCH", Severity: "critical"})
	if err != nil {
		t.Fatal(err)
	}
	before := r.reported(r.reviewer, r.submission)
	if before.Total != 0 || before.Items == nil || before.AsOf.After(ofItem.DetectedAt) {
		t.Errorf("before projection: got %+v", before)
	}
	r.project()
	got := r.reported(r.reviewer, r.submission)
	if len(got.Items) != 2 || got.ProjectionLagMs != 0 || got.Items[1].SubmissionItemID == nil {
		t.Fatalf("got %+v", got)
	}
	want := []reporting.Finding{
		{FindingID: whole.ID, SubmissionID: r.submission, Code: "IDENTITY_MISMATCH", Severity: "critical", DetectedAt: whole.DetectedAt, LedgerEventID: whole.LedgerEventID},
		{FindingID: ofItem.ID, SubmissionID: r.submission, SubmissionItemID: got.Items[1].SubmissionItemID, Code: "PHONE_SEEN", Severity: "minor",
			DetectedAt: ofItem.DetectedAt, LedgerEventID: ofItem.LedgerEventID},
	}
	if diff := cmp.Diff(want, got.Items); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	r.project() // again, with nothing to do
	job := must(r, r.operator, func(tx *db.Tx) (projection.Job, error) {
		_, err := tx.Exec(t.Context(), "delete from report_findings where tenant_id = $1", tx.Tenant())
		if err != nil {
			return projection.Job{}, err
		}
		return projection.QueueProjection(t.Context(), tx, projection.JobInput{Kind: projection.KindSubmission, SubmissionIDs: []ids.ID{r.submission}})
	})
	for job.FinishedAt == nil {
		job, err = projection.RunPiece(t.Context(), r.store, r.operator.Tenant, job.ID)
		if err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, r.reported(r.reviewer, r.submission).Items); diff != "" {
		t.Errorf("after a job (-want +got):\n%s", diff)
	}
	err = projection.Rebuild(t.Context(), r.store, r.operator.Tenant, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, r.reported(r.reviewer, r.submission).Items); diff != "" {
		t.Errorf("after a rebuild (-want +got):\n%s", diff)
	}
	report, err := projection.Verify(t.Context(), r.store, r.operator.Tenant)
	if err != nil || report.Differences != 0 {
		t.Errorf("got %+v and error %v", report, err)
	}
	next := r.reviewer
	r.write(r.operator, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "update report_findings set severity = 'info' where tenant_id = $1 and finding_id = $2", tx.Tenant(), whole.ID)
		return err
	})
	report, err = projection.Verify(t.Context(), r.store, r.operator.Tenant)
	if err != nil || report.Differences != 1 {
		t.Errorf("a wrong row: got %d differences and error %v", report.Differences, err)
	}
	next.OrgUnit = ids.New()
	for name, look := range map[string]struct {
		as         db.Scope
		submission ids.ID
	}{"of another org unit": {next, r.submission}, "that is none": {r.reviewer, ids.New()}} {
		_, err = try(r, look.as, func(tx *db.Tx) (reporting.FindingList, error) {
			return reporting.ListFindings(t.Context(), tx, look.submission, db.Page{})
		})
		if !errors.Is(err, errs.NotFound) {
			t.Errorf("a submission %s: got %v, want not_found", name, err)
		}
	}
	r.write(r.operator, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "delete from report_findings where tenant_id = $1", tx.Tenant())
		return err
	})
	if got := r.reported(r.reviewer, r.submission); got.Total != 0 || got.Items == nil {
		t.Errorf("a submission without findings: %+v", got)
	}
	_, err = try(r, r.candidate, func(tx *db.Tx) (reporting.FindingList, error) {
		return reporting.ListFindings(t.Context(), tx, r.submission, db.Page{})
	})
	wantCode(t, err, errs.Forbidden)
}
