package evidence_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/reporting"
)

// Among twenty thousand rows of a tenant each list and lookup comes out of indexes: whatever
// the operations ask, no table is read through.
func TestListsUseIndexes(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	file := r.attach(evidence.AttachInput{SubmissionID: r.submission, ItemID: &r.item, Kind: "photo"}, sample.PNG(8, 8))
	found := must(r, r.proctor, func(tx *db.Tx) (evidence.Finding, error) {
		return evidence.Detect(t.Context(), tx, evidence.FindingInput{SubmissionID: r.submission, Code: "X", Severity: "info", EvidenceIDs: []ids.ID{file.ID}})
	})
	claim := must(r, r.proctor, func(tx *db.Tx) (evidence.Case, error) {
		return evidence.Raise(t.Context(), tx, evidence.Claims, evidence.RaiseInput{SubmissionID: r.submission, Statement: "s", FindingIDs: []ids.ID{found.ID}})
	})
	fill(t, r.operator.Tenant, r.operator.OrgUnit)
	for name, read := range map[string]func(ctx context.Context, tx *db.Tx) (int, error){
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
	} {
		err := r.store.Read(t.Context(), r.operator, func(tx *db.Tx) error {
			before := sequentialReads(t, tx)
			n, err := read(t.Context(), tx)
			if err == nil && n != 1 {
				t.Errorf("%s: %d, want 1", name, n)
			}
			if rows := sequentialReads(t, tx) - before; rows > 100 {
				t.Errorf("%s: %d rows were read without an index", name, rows)
			}
			return err
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// sequentialReads counts the rows that the transaction has read through so far.
func sequentialReads(t *testing.T, tx *db.Tx) int {
	t.Helper()
	var rows int
	err := tx.QueryRow(t.Context(), "select coalesce(sum(seq_tup_read), 0) from pg_stat_xact_user_tables").Scan(&rows)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// fill writes rows past all foreign keys and policies, and gathers statistics.
func fill(t *testing.T, tenant, org ids.ID) {
	t.Helper()
	super, err := pgx.Connect(t.Context(), dbtest.Clone(t).Super)
	if err != nil {
		t.Fatal(err)
	}
	defer super.Close(t.Context())
	_, err = super.Exec(t.Context(), "set session_replication_role = replica")
	if err != nil {
		t.Fatal(err)
	}
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
	_, err = super.Exec(t.Context(), "analyze evidence, findings, finding_evidence, submission_cases, case_findings, report_findings")
	if err != nil {
		t.Fatal(err)
	}
}
