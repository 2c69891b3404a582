package submission

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Among a hundred thousand submissions of one evaluation, every filter is answered by an
// index: ids and counts only from the index, and then no more rows than the page has.
func TestFiltersAreAnsweredByIndexes(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	urls := dbtest.Fresh(t)
	store := dbtest.Open(t, db.Options{URL: urls.App})
	tenant, org, evaluation, user, assignment := ids.New(), ids.New(), ids.New(), ids.New(), ids.New()
	heap(t, urls, tenant, org, evaluation, user, assignment)
	spring, none := "spring", ""
	filters := map[string]Filter{
		"marking": {Awaits: AwaitsMarking}, "review to do": {Awaits: AwaitsReview},
		"no filter": {}, "status": {Status: "voided"}, "outcome": {Outcome: "fail"}, "review": {ApprovalStatus: "pending_review"},
		"run": {RunLabel: &spring}, "no run": {RunLabel: &none}, "assignment": {AssignmentID: assignment}, "version": {EvaluationVersionID: evaluation}, "group": {GroupID: ids.New(), toGroup: []ids.ID{assignment, ids.New()}},
		"time": {From: time.Now().Add(-50 * time.Hour), To: time.Now().Add(-40 * time.Hour)},
	}
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		for name, f := range filters {
			for column, id := range map[string]ids.ID{"evaluation_id": evaluation, "user_id": user, "": ids.None} {
				if column == "" && f.Awaits == "" {
					continue // only what waits is listed for the whole scope
				}
				t.Run(name+" by "+column, func(t *testing.T) {
					for _, plan := range explained(t, store, db.Scope{Tenant: tenant, OrgUnit: org}, plans, owner{column, id}, f) {
						if strings.Contains(plan, "Seq Scan") {
							t.Errorf("reads the table through:\n%s", plan)
						}
						if !slices.ContainsFunc(servedBy(column, f), func(index string) bool { return strings.Contains(plan, index) }) {
							t.Errorf("not served by %v:\n%s", servedBy(column, f), plan)
						}
					}
				})
			}
		}
	}, urls)
}

// servedBy names what may read the index of an owner or of the filter.
func servedBy(column string, f Filter) []string {
	switch {
	case f.Awaits != "" && column != "user_id":
		return []string{"Index Only Scan using submissions_waiting"}
	case f.Awaits != "":
		return []string{"Index Only Scan using submissions_waiting", "submissions_by_user"}
	case f.AssignmentID != ids.None || f.GroupID != ids.None:
		return []string{"submissions_by_assignment", "submissions_by_" + strings.TrimSuffix(column, "_id")}
	case !f.From.IsZero():
		// Without statistics a period seems to be as narrow as an owner: it reads only the rows in it.
		return []string{"Index Only Scan using submissions_by_evaluation", "submissions_by_time", "submissions_by_user"}
	case column == "evaluation_id":
		return []string{"Index Only Scan using submissions_by_evaluation"}
	}
	return []string{"submissions_by_user"}
}

// explained gives the plans of the statements of a page: the count, and the rows.
func explained(t *testing.T, store *db.Store, scope db.Scope, plans dbtest.Plans, of owner, f Filter) []string {
	t.Helper()
	f, err := f.check()
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	err = store.Read(t.Context(), scope, func(tx *db.Tx) error {
		plans.Force(t, tx)
		statements := []string{
			f.matching(tx, of).ColumnExpr("count(*)").String(),
			f.rows(tx, of, f.Window(25000), &[]models.Submission{}).String(),
			f.rows(tx, of, db.Window{Skip: 100, Take: 25, FromEnd: true}, &[]models.Submission{}).String(),
		}
		if of.column == "evaluation_id" && f.Awaits == "" {
			after := models.Submission{ID: ids.New(), CompletedAt: time.Now().Add(-time.Hour)}
			statements = append(statements, ResultsInput{EvaluationID: of.id, Filter: f}.exportedRows(tx, after, &[]models.Submission{}).String())
		}
		for _, q := range statements {
			rows, err := tx.Query(t.Context(), "explain "+q)
			if err != nil {
				return err
			}
			lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err != nil {
				return err
			}
			// Which end an index is read from is no matter.
			found = append(found, strings.ReplaceAll(strings.Join(lines, "\n"), "Scan Backward using", "Scan using"))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// heap writes past the constraints, as the superuser: what the rows refer to is of no
// matter to the plans.
func heap(t *testing.T, urls dbtest.URLs, tenant, org, evaluation, user, assignment ids.ID) {
	t.Helper()
	super := dbtest.Heap(t, urls)
	// One in a thousand is the user's; one in five hundred has been voided, and so on.
	_, err := super.Exec(t.Context(), `
		insert into submissions (tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id, submitted_by, status,
			completion_method, started_at, completed_at, score, max_score, outcome_code, outcome_label, assignment_id, run_label,
			snapshot_hash, approval_status, pending)
		select $1, gen_random_uuid(), $2, case when n % 4 < 3 then gen_random_uuid() else $3 end, $3, case when n % 1001 = 0 then $4 else gen_random_uuid() end, 'user:x',
			case when n % 501 = 0 then 'voided' else 'completed' end, 'submitted', now() - n * interval '1 minute',
			now() - n * interval '1 minute', 1, 2, case when n % 3 = 0 then 'fail' else 'pass' end, 'x',
			case when n % 1003 = 0 then $5::uuid when n % 5 = 0 then gen_random_uuid() end, case when n % 701 = 0 then 'spring' end, 'h',
			case when n % 901 = 0 then 'pending_review' else 'not_required' end, n % 809 = 0
		from generate_series(1, 100000) n`, tenant, org, evaluation, user, assignment)
	if err != nil {
		t.Fatal(err)
	}
}

// Of a list of 25,000 the last page reads what the first reads, and no page is left out or comes twice.
func TestTheLastPageReadsWhatTheFirstReads(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	urls := dbtest.Fresh(t)
	store := dbtest.Open(t, db.Options{URL: urls.App})
	tenant, org, evaluation := ids.New(), ids.New(), ids.New()
	heap(t, urls, tenant, org, evaluation, ids.New(), ids.New())
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		err := store.Read(t.Context(), db.Scope{Tenant: tenant, OrgUnit: org}, func(tx *db.Tx) error {
			plans.Force(t, tx)
			read := func(page int) int64 {
				var rows []models.Submission
				w := db.Page{Page: page, Limit: 100}.Window(25_000)
				reads := dbtest.ReadsOf(t, tx, func() error {
					return Filter{}.rows(tx, owner{"evaluation_id", evaluation}, w, &rows).Scan(t.Context())
				})
				if len(rows) != 100 {
					t.Errorf("page %d has %d rows", page, len(rows))
				}
				return reads["submissions"].Entries
			}
			if first, last := read(1), read(250); last > 2*first {
				t.Errorf("the first page reads %d entries of indexes, the last %d", first, last)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}, urls)
}
