package evidence_test

import (
	"context"
	"testing"

	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/reporting"
)

// Among twenty thousand rows of a tenant each list and lookup comes out of indexes: no operation
// reads a whole table, and each looks at few rows.
func TestListsUseIndexes(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	urls := dbtest.Fresh(t)
	r := roomIn(t, dbtest.Open(t, db.Options{URL: urls.App}), "file://"+t.TempDir())
	file := r.attach(evidence.AttachInput{SubmissionID: r.submission, ItemID: &r.item, Kind: "photo"}, sample.PNG(8, 8))
	found := must(r, r.proctor, func(tx *db.Tx) (evidence.Finding, error) {
		return evidence.Detect(t.Context(), tx, evidence.FindingInput{SubmissionID: r.submission, Code: "X", Severity: "info", EvidenceIDs: []ids.ID{file.ID}})
	})
	claim := must(r, r.proctor, func(tx *db.Tx) (evidence.Case, error) {
		return evidence.Raise(t.Context(), tx, evidence.Claims, evidence.RaiseInput{SubmissionID: r.submission, Statement: "s", FindingIDs: []ids.ID{found.ID}})
	})
	fill(t, urls, r.operator.Tenant, r.operator.OrgUnit)
	reads := map[string]func(ctx context.Context, tx *db.Tx) (int, error){
		"evidence of a submission": func(ctx context.Context, tx *db.Tx) (int, error) {
			list, err := evidence.List(ctx, tx, r.submission, evidence.Filter{})
			return len(list.Items), err
		},
		"evidence of an item": func(ctx context.Context, tx *db.Tx) (int, error) {
			list, err := evidence.List(ctx, tx, r.submission, evidence.Filter{ItemID: &r.item})
			return len(list.Items), err
		},
		"evidence by id": func(ctx context.Context, tx *db.Tx) (int, error) {
			_, err := evidence.Get(ctx, tx, file.ID)
			return 1, err
		},
		"evidence to check": func(ctx context.Context, tx *db.Tx) (int, error) {
			n, err := evidence.NextToCheck(ctx, tx, ids.None)
			return min(n, 1), err
		},
		"findings of a submission, with their evidence": func(ctx context.Context, tx *db.Tx) (int, error) {
			list, err := evidence.ListFindings(ctx, tx, r.submission, evidence.FindingFilter{})
			return len(list.Items[0].EvidenceIDs), err
		},
		"finding by id": func(ctx context.Context, tx *db.Tx) (int, error) {
			one, err := evidence.GetFinding(ctx, tx, found.ID)
			return len(one.EvidenceIDs), err
		},
		"claims of a submission, with their findings": func(ctx context.Context, tx *db.Tx) (int, error) {
			list, err := evidence.ListCases(ctx, tx, evidence.Claims, r.submission, evidence.CaseFilter{})
			return len(list.Items[0].FindingIDs), err
		},
		"claim by id": func(ctx context.Context, tx *db.Tx) (int, error) {
			one, err := evidence.GetCase(ctx, tx, evidence.Claims, claim.ID)
			return len(one.FindingIDs), err
		},
		"findings in the reports": func(ctx context.Context, tx *db.Tx) (int, error) {
			list, err := reporting.ListFindings(ctx, tx, r.submission, db.Page{})
			return 1 + len(list.Items), err
		},
	}
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		for name, read := range reads {
			r.readsLittle(t, plans, name, read)
		}
	}, urls)
}

func (r *room) readsLittle(t *testing.T, plans dbtest.Plans, name string, read func(context.Context, *db.Tx) (int, error)) {
	err := r.store.Read(t.Context(), r.operator, func(tx *db.Tx) error {
		plans.Force(t, tx)
		dbtest.ByIndex(t, tx, name, 100, func() error {
			n, err := read(t.Context(), tx)
			if err == nil && n != 1 {
				t.Errorf("%s: %d, want 1", name, n)
			}
			return err
		}, "evidence", "findings", "finding_evidence", "submission_cases", "case_findings", "report_findings")
		return nil
	})
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// fill writes rows past all foreign keys and policies.
func fill(t *testing.T, urls dbtest.URLs, tenant, org ids.ID) {
	t.Helper()
	super := dbtest.Heap(t, urls)
	for _, insert := range []string{
		`insert into evidence (tenant_id, id, org_unit_id, submission_id, submission_item_id, item_id, kind, media_type, size_bytes, sha256,
			storage_tier, integrity, added_by, created_at)
		select $1, gen_random_uuid(), $2, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'log', 'text/plain', 1, md5(n::text),
			'HOT', 'unchecked', 'x', now() from generate_series(1, 20000) n`,
		`insert into findings (tenant_id, id, org_unit_id, submission_id, code, severity, detected_by, detected_at, ledger_event_id)
		select $1, gen_random_uuid(), $2, gen_random_uuid(), 'X', 'info', 'x', now(), gen_random_uuid() from generate_series(1, 20000)`,
		`insert into finding_evidence (tenant_id, finding_id, evidence_id, org_unit_id, submission_id)
		select $1, gen_random_uuid(), gen_random_uuid(), $2, gen_random_uuid() from generate_series(1, 20000)`,
		`insert into submission_cases (tenant_id, id, org_unit_id, submission_id, kind, state, statement, raised_by, raised_at)
		select $1, gen_random_uuid(), $2, gen_random_uuid(), 'claim', 'open', 'x', 'x', now() from generate_series(1, 20000)`,
		`insert into case_findings (tenant_id, case_id, finding_id, org_unit_id, submission_id)
		select $1, gen_random_uuid(), gen_random_uuid(), $2, gen_random_uuid() from generate_series(1, 20000)`,
		`insert into report_findings (tenant_id, org_unit_id, submission_id, finding_id, code, severity, detected_at, ledger_event_id)
		select $1, $2, gen_random_uuid(), gen_random_uuid(), 'X', 'info', now(), gen_random_uuid() from generate_series(1, 20000)`,
	} {
		_, err := super.Exec(t.Context(), insert, tenant, org)
		if err != nil {
			t.Fatal(err)
		}
	}
}
