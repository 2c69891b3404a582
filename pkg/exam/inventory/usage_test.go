package inventory_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/dbtest"
	"assess/pkg/exam/assignment"
	"assess/pkg/exam/inventory"
	"assess/pkg/exam/programme"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func (s *shop) questionUsage(as db.Scope, id ids.ID) (inventory.QuestionUsage, error) {
	return do(s, as, func(ctx context.Context, tx *db.Tx) (inventory.QuestionUsage, error) {
		return inventory.UsageOfQuestion(ctx, tx, id)
	})
}

func (s *shop) evaluationUsage(as db.Scope, id ids.ID) (inventory.EvaluationUsage, error) {
	return do(s, as, func(ctx context.Context, tx *db.Tx) (inventory.EvaluationUsage, error) {
		return inventory.UsageOfEvaluation(ctx, tx, id)
	})
}

func TestUsageOfAnUnusedQuestion(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	id := s.question()
	got, err := s.questionUsage(s.operator, id)
	wantCode(t, err, "")
	want := inventory.QuestionUsage{QuestionID: id,
		SectionItems: inventory.References[inventory.SectionItem]{Items: []inventory.SectionItem{}},
		PassageLinks: inventory.References[inventory.PassageLink]{Items: []inventory.PassageLink{}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	_, err = s.questionUsage(s.elsewhere(capability.QuestionsRead), id)
	wantCode(t, err, errs.NotFound)
	_, err = s.questionUsage(newShop(t).operator, id)
	wantCode(t, err, errs.NotFound)
}

// Section items are named with how they show the question, newest version first.
func TestUsageOfAQuestion(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	fixed, pooled := s.question(), s.question()
	passage := s.passage(fixed)
	e := s.evaluation(fixed)
	s.pool(e, pooled)
	s.mustStart(e.ID)
	s.assign(e.ID)
	s.assign(s.evaluation(s.question()).ID)
	got, err := s.questionUsage(s.operator, fixed)
	wantCode(t, err, "")
	var via []string
	for _, item := range got.SectionItems.Items {
		via = append(via, item.Via)
		if item.EvaluationID != e.ID || item.VersionStatus != "published" {
			t.Errorf("got %+v", item)
		}
	}
	if diff := cmp.Diff([]string{"direct", "direct"}, via); diff != "" || got.SectionItems.Total != 2 {
		t.Errorf("section items (-want +got):\n%s", diff)
	}
	want := inventory.References[inventory.PassageLink]{Total: 1, Items: []inventory.PassageLink{{PassageID: passage, Title: "Passage", Status: "draft"}}}
	if diff := cmp.Diff(want, got.PassageLinks); diff != "" {
		t.Errorf("passage links (-want +got):\n%s", diff)
	}
	if !got.InUse || got.ActiveSessions != 1 || got.Submissions != 0 || got.Assignments != 1 {
		t.Errorf("got %+v", got)
	}
	got, err = s.questionUsage(s.operator, pooled)
	wantCode(t, err, "")
	if got.SectionItems.Total != 1 || got.SectionItems.Items[0].Via != "draw" {
		t.Errorf("the pool of a draw: got %+v", got.SectionItems)
	}
}

func TestUsageOfAnEvaluation(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	e := s.evaluation(s.question())
	s.mustStart(e.ID)
	if err := s.submit(s.mustStart(e.ID)); err != nil {
		t.Fatal(err)
	}
	for range 51 {
		s.assign(e.ID)
	}
	s.require(e.ID)
	s.pack(e.ID)
	got, err := s.evaluationUsage(s.operator, e.ID)
	wantCode(t, err, "")
	counts := []int64{got.Sessions, got.ActiveSessions, got.Submissions, got.Assignments, got.Dependencies.Assignments.Total,
		int64(len(got.Dependencies.Assignments.Items)), got.Dependencies.ProgrammeRequirements.Total, got.Dependencies.ContentPackItems.Total}
	if diff := cmp.Diff([]int64{2, 1, 1, 51, 51, 50, 1, 1}, counts); diff != "" || !got.InUse {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	if got.Dependencies.ProgrammeRequirements.Items[0].Programme != "Safety" || got.Dependencies.ContentPackItems.Items[0].LibraryName != "Starter pack" {
		t.Errorf("got %+v", got.Dependencies)
	}
	_, err = s.evaluationUsage(s.elsewhere(capability.EvaluationsRead), e.ID)
	wantCode(t, err, errs.NotFound)
}

// Everything that hands out an evaluation, or requires it, counts as a use of it; a new assignment
// of an archived evaluation is refused.
func TestUsageCountsAssignmentsAndRequirements(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	e := s.evaluation(s.question())
	hand := func(kind, ref string) error {
		in := assignment.CreateInput{Type: kind, Ref: ref}
		in.EvaluationID = e.ID
		_, err := do(s, s.operator, func(ctx context.Context, tx *db.Tx) (assignment.Created, error) {
			return assignment.Create(ctx, tx, in)
		})
		return err
	}
	wantCode(t, hand("user_id", s.candidate.Actor.ID.String()), "")
	s.write(func(tx *db.Tx) {
		row := assignment.ImportRow{Evaluation: e.ID.String(), Target: assignment.Target{Type: "public_link"}}
		_, err := assignment.Import(t.Context(), tx, []assignment.ImportRow{row}, assignment.ImportOptions{})
		wantCode(t, err, "")
		_, err = programme.CreateRequirement(t.Context(), tx, programme.RequirementInput{Programme: "Safety", Name: "Yearly test", EvaluationID: e.ID})
		wantCode(t, err, "")
	})
	got, err := s.evaluationUsage(s.operator, e.ID)
	wantCode(t, err, "")
	counts := []int64{got.Assignments, got.Dependencies.Assignments.Total, int64(len(got.Dependencies.Assignments.Items)), got.Dependencies.ProgrammeRequirements.Total}
	if diff := cmp.Diff([]int64{2, 2, 2, 1}, counts); diff != "" || !got.InUse {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	_, err = s.archive(inventory.Evaluations, e.ID)
	wantCode(t, err, "")
	wantCode(t, hand("public_link", ""), errs.Archived)
}

// Among tens of thousands of submissions, sessions and items every count comes from an index, and
// above ten thousand from the reports.
func TestUsageReadsIndexes(t *testing.T) {
	t.Parallel()
	urls := dbtest.Fresh(t)
	store := dbtest.Open(t, db.Options{URL: urls.App, MaxConns: 4})
	s := newShopIn(t, store)
	q := s.question()
	busy, quiet := s.evaluation(q), s.evaluation(s.question())
	for _, e := range []authoring.Evaluation{busy, quiet} {
		s.sessions(e, 20_000, "submitted")
		s.submissions(e, 20_000)
	}
	s.sessions(busy, 500, "open")
	s.manyItems(s.question(), 30_000)
	s.exec(`insert into report_evaluation_rollup (tenant_id, org_unit_id, evaluation_version_id, cut, run_label, group_id, evaluation_id, started_n, completed_n)
		values ($1, $2, $3, 'all', '', '00000000-0000-0000-0000-000000000000', $4, 20500, 20000)`, busy.Published.ID, busy.ID)
	owner, err := pgx.Connect(t.Context(), urls.Owner)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(t.Context()) //nolint:errcheck // nothing hangs on it
	if _, err := owner.Exec(t.Context(), "analyze"); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	ofQuestion, err := s.questionUsage(s.operator, q)
	wantCode(t, err, "")
	ofEvaluation, err := s.evaluationUsage(s.operator, busy.ID)
	wantCode(t, err, "")
	t.Logf("usage of a question and of an evaluation with 20,000 submissions: %v", time.Since(began).Round(time.Millisecond))
	got := []int64{ofQuestion.Submissions, ofQuestion.ActiveSessions, ofEvaluation.Submissions, ofEvaluation.Sessions, ofEvaluation.ActiveSessions}
	if diff := cmp.Diff([]int64{20_000, 500, 20_000, 20_500, 500}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	narrow := s.operator
	narrow.All = false
	for name, plan := range map[string]string{"question": s.explain(narrow, inventory.CountQuestionSQL, q, 10_000), "evaluation": s.explain(narrow, inventory.CountEvaluationSQL, busy.ID, 10_000),
		"assignments": s.explain(narrow, inventory.CountAssignedSQL, q)} {
		for _, table := range []string{"sessions", "submissions", "evaluation_items", "evaluation_pins", "assignments"} {
			// Here one evaluation has all assignments, so where it is no parameter, reading the table is right.
			if strings.Contains(plan, "Seq Scan on "+table) && (name != "assignments" || table != "assignments") {
				t.Errorf("%s: %s is scanned:\n%s", name, table, plan)
			}
		}
		if name != "assignments" && !strings.Contains(plan, "sessions_open") {
			t.Errorf("%s: the plan does not use sessions_open:\n%s", name, plan)
		}
	}
}

func (s *shop) explain(as db.Scope, sql string, id ids.ID, more ...any) string {
	s.t.Helper()
	var plan strings.Builder
	err := s.store.Read(s.t.Context(), as, func(tx *db.Tx) error {
		rows, err := tx.Query(s.t.Context(), "explain "+sql, append([]any{tx.Tenant(), id}, more...)...)
		if err != nil {
			return err
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		plan.WriteString(strings.Join(lines, "\n"))
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return plan.String()
}

// submissions writes n submissions of the candidate.
func (s *shop) submissions(e authoring.Evaluation, n int) {
	s.t.Helper()
	s.exec(`insert into submissions (tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id, submitted_by, status,
			completion_method, started_at, completed_at, score, max_score, outcome_code, outcome_label, snapshot_hash, approval_status)
		select $1, gen_random_uuid(), $2, $3, $4, $5, 'test', 'completed', 'submitted', now(), now(), 1, 1, 'pass', 'Pass', $6, 'not_required'
		from generate_series(1, $7::int) returning true`, e.ID, e.Published.ID, s.candidate.Actor.ID, e.Published.SnapshotHash, n)
}

// manyItems makes a draft with n items, as many pins and as many assignments.
func (s *shop) manyItems(question ids.ID, n int) {
	s.t.Helper()
	var draft authoring.Evaluation
	s.write(func(tx *db.Tx) {
		var err error
		draft, err = authoring.CreateEvaluation(s.t.Context(), tx, authoring.EvaluationInput{Title: "Long"})
		if err != nil {
			s.t.Fatal(err)
		}
	})
	s.exec(`insert into evaluation_items (tenant_id, evaluation_version_id, id, org_unit_id, section_id, position, question_id)
		select $1, $3, gen_random_uuid(), $2, $3, g, $4 from generate_series(1, $5::int) g returning true`, draft.Draft.ID, question, n)
	s.exec(`insert into evaluation_pins (tenant_id, evaluation_version_id, id, org_unit_id, group_id, position, question_id, question_version_id)
		select tenant_id, evaluation_version_id, id, $2, id, position, question_id,
			(select published_id from questions where tenant_id = $1 and id = $4)
		from evaluation_items where tenant_id = $1 and evaluation_version_id = $3`, draft.Draft.ID, question)
	s.exec(`insert into assignments (tenant_id, id, org_unit_id, evaluation_id, target_type, status, created_by, created_at, updated_at)
		select $1, gen_random_uuid(), $2, $3, 'public_link', 'active', 'test', now(), now() from generate_series(1, $4::int) returning true`, draft.ID, n)
}
