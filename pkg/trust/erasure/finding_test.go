package erasure

import (
	"context"
	"errors"
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/translog"
)

// The findings of a forget in the words of others are a worklist: somebody erases the text there, changes the record, or says
// why it stays.
func TestFindingsAreDecided(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ada, grace := o.newPerson("Ada"), o.newPerson("Grace")
	log := &translog.Service{Store: o.store, Secret: sample.KeySecret, Origin: "assess.example.org"}
	o.write(o.reviewer, func(tx *db.Tx) error {
		for _, code := range []string{"COPIED", "TALKED", "LATE"} {
			_, err := evidence.Detect(t.Context(), tx, evidence.FindingInput{SubmissionID: grace.submission, Code: code, Severity: "minor", Detail: "As " + ada.Email + " wrote."})
			if err != nil {
				return err
			}
		}
		return nil
	})
	done := o.forget(ada)
	list := func(f FindingFilter) db.List[Finding] {
		t.Helper()
		var got db.List[Finding]
		o.write(o.officer, func(tx *db.Tx) error {
			var err error
			got, err = ListFindings(t.Context(), tx, f)
			return err
		})
		return got
	}
	open := list(FindingFilter{State: "open", JobID: done.ID})
	var ofText []Finding
	for _, f := range open.Items {
		if f.Table == "findings" && f.Column == "detail" && f.Verdict == "residue" {
			ofText = append(ofText, f)
		}
	}
	rows := map[string]Finding{}
	for _, f := range ofText {
		rows[f.Row] = f
	}
	if len(rows) != 3 {
		t.Fatalf("the worklist: %+v", open)
	}
	decide := func(id ids.ID, d FindingDecision, want errs.Code) {
		t.Helper()
		err := o.store.Write(t.Context(), o.officer, func(tx *db.Tx) error {
			_, err := DecideFinding(t.Context(), tx, id, d)
			return err
		})
		if want == "" && err != nil || want != "" && !errors.Is(err, want) {
			t.Fatalf("%+v: got %v, want %q", d, err, want)
		}
	}
	words := []FindingDecision{{Decision: "erased"}, {Decision: "changed"}, {Decision: "kept", ReasonCode: "rights_of_others"}}
	first := ofText[0].ID
	for _, bad := range []FindingDecision{{}, {Decision: "kept"}, {Decision: "erased", ReasonCode: "legal_claims"}, {Decision: "kept", ReasonCode: "no"}} {
		decide(first, bad, errs.ValidationFailed)
	}
	decide(ids.New(), words[1], errs.NotFound)
	n := 0
	for _, f := range rows {
		decide(f.ID, words[n], "")
		decide(f.ID, words[n], errs.Conflict)
		n++
	}
	if left := list(FindingFilter{State: "decided"}); left.Total != 3 || list(FindingFilter{State: "open"}).Total != open.Total-3 {
		t.Errorf("decided: %+v", left)
	}
	var marks, told int
	o.write(o.operator, func(tx *db.Tx) error {
		err := tx.QueryRow(t.Context(), "select count(*) from findings where tenant_id = $1 and detail = '[erased]' and submission_id = $2", tx.Tenant(), grace.submission).Scan(&marks)
		return errors.Join(err, tx.QueryRow(t.Context(), "select count(*) from ledger_events where tenant_id = $1 and event_type = 'residue_finding.decided' and subject_id = $2",
			tx.Tenant(), ada.ID).Scan(&told))
	})
	if marks != 1 || told != 3 {
		t.Errorf("%d texts are erased and %d decisions told", marks, told)
	}
	o.project()
	o.sound(log)
}

// A decision does not erase a value that is no text of its own, nor a text that somebody has taken away meanwhile.
func TestWhatADecisionDoesNotErase(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ada, grace := o.newPerson("Ada"), o.newPerson("Grace")
	job := o.forget(ada).ID
	for place, want := range map[[3]string]errs.Code{
		{"users", "name", grace.ID.String()}:                  errs.ValidationFailed,
		{"users", "metadata", grace.ID.String()}:              errs.ValidationFailed,
		{"files", "a.txt", "0000"}:                            errs.ValidationFailed,
		{"ledger_events", "payload", "1"}:                     errs.ValidationFailed,
		{"findings", "detail", ids.New().String()}:            errs.Conflict,
		{"findings", "detail", "[withheld]"}:                  errs.Conflict,
		{"question_versions", "extracts", ids.New().String()}: errs.Conflict,
		{"findings'; drop table users; --", "detail", "1"}:    errs.ValidationFailed,
		{"letter_templates", "body", "done//de/1"}:            errs.Conflict,
	} {
		id := ids.New()
		sample.Write(t, o.store, o.operator, func(tx *db.Tx) error {
			_, err := tx.Exec(t.Context(), `insert into letter_templates (tenant_id, letter, word, locale, version, subject, body, set_by, set_at)
				values ($1, 'done', '', 'de', 1, 'a', 'b', 'operator:x', now()) on conflict do nothing`, tx.Tenant())
			if err != nil {
				return err
			}
			_, err = tx.Exec(t.Context(), `insert into residue_findings (tenant_id, job_id, number, id, table_name, column_name, row_key, kind, form, verdict)
				select $1, $2, 1000 + count(*), $3, $4, $5, $6, 'name', 'plain', 'residue' from residue_findings where tenant_id = $1`, tx.Tenant(), job, id, place[0], place[1], place[2])
			return err
		})
		err := o.store.Write(t.Context(), o.officer, func(tx *db.Tx) error {
			_, err := DecideFinding(context.WithoutCancel(t.Context()), tx, id, FindingDecision{Decision: "erased"})
			return err
		})
		if !errors.Is(err, want) {
			t.Errorf("%v: got %v, want %s", place, err, want)
		}
	}
}
