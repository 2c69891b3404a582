package programme_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/dev/sample"
	"assess/pkg/exam/programme"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

// bench is a tenant of its own.
type bench struct {
	*testing.T
	store *db.Store
	scope db.Scope
}

func newBench(t *testing.T) bench {
	t.Helper()
	store := sample.Store(t)
	return bench{t, store, sample.Tenant(t, store)}
}

// do runs one operation in a transaction of its own.
func do[O any](b bench, scope db.Scope, op func(tx *db.Tx) (O, error)) (O, error) {
	var out O
	err := b.store.Write(b.Context(), scope, func(tx *db.Tx) error {
		var err error
		out, err = op(tx)
		return err
	})
	return out, err
}

func must[O any](b bench, op func(tx *db.Tx) (O, error)) O {
	b.Helper()
	out, err := do(b, b.scope, op)
	if err != nil {
		b.Fatal(err)
	}
	return out
}

func (b bench) subject(in programme.SubjectInput) (programme.Subject, error) {
	return do(b, b.scope, func(tx *db.Tx) (programme.Subject, error) { return programme.CreateSubject(b.Context(), tx, in) })
}

// paths gives "code" or, for validation_failed, "path:code" of every field.
func paths(err error) []string {
	if err == nil {
		return []string{}
	}
	own := errs.Of(err)
	out := []string{}
	for _, f := range own.Fields {
		out = append(out, f.Path+":"+f.Code)
	}
	if len(out) == 0 {
		out = append(out, string(own.Code))
	}
	return out
}

func TestCreateNamesEveryProblem(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	archived := must(b, func(tx *db.Tx) (ids.ID, error) {
		e := sample.Evaluation(t, tx, sample.Question(t, tx, "A").ID).ID
		_, err := tx.Exec(t.Context(), "update evaluations set status = 'archived' where tenant_id = $1 and id = $2", tx.Tenant(), e)
		return e, err
	})
	morning := time.Date(2031, 3, 1, 9, 0, 0, 0, time.UTC)
	stranger := ids.New()
	subject := func(in programme.SubjectInput) func(tx *db.Tx) error {
		return func(tx *db.Tx) error { _, err := programme.CreateSubject(t.Context(), tx, in); return err }
	}
	engagement := func(in programme.EngagementInput) func(tx *db.Tx) error {
		return func(tx *db.Tx) error { _, err := programme.CreateEngagement(t.Context(), tx, in); return err }
	}
	requirement := func(in programme.RequirementInput) func(tx *db.Tx) error {
		return func(tx *db.Tx) error { _, err := programme.CreateRequirement(t.Context(), tx, in); return err }
	}
	for _, tt := range []struct {
		name string
		op   func(tx *db.Tx) error
		want []string
	}{
		{"empty subject", subject(programme.SubjectInput{}), []string{"externalId:required", "name:required"}},
		{"spoiled subject", subject(programme.SubjectInput{ExternalID: "a\nb", Name: strings.Repeat("x", 201), Kind: "\x00",
			Metadata: map[string]any{"a": "\x00"}}),
			[]string{"externalId:invalid_characters", "name:too_long", "kind:invalid_characters", "metadata:invalid_characters"}},
		{"large metadata", subject(programme.SubjectInput{ExternalID: "m", Name: "m", Metadata: map[string]any{"a": strings.Repeat("x", 33<<10)}}),
			[]string{"metadata:too_long"}},
		{"engagement", engagement(programme.EngagementInput{Status: "paused", StartsAt: &morning, EndsAt: &morning}),
			[]string{"name:required", "status:invalid_choice", "endsAt:out_of_range"}},
		{"engagement about a stranger", engagement(programme.EngagementInput{Name: "e", SubjectID: &stranger}), []string{"subjectId:unknown_subject"}},
		{"requirement", requirement(programme.RequirementInput{Status: "x"}),
			[]string{"programme:required", "name:required", "status:invalid_choice"}},
		{"requirement of a stranger", requirement(programme.RequirementInput{Programme: "p", Name: "n", EvaluationID: stranger}),
			[]string{"evaluationId:unknown_evaluation"}},
		{"requirement of an archived evaluation", requirement(programme.RequirementInput{Programme: "p", Name: "n", EvaluationID: archived}),
			[]string{"archived"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := b.store.Write(t.Context(), b.scope, tt.op)
			if diff := cmp.Diff(tt.want, paths(err)); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParallelCreatesOfOneExternalIDMakeOneSubject(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var all sync.WaitGroup
	got := make(chan []string, 8)
	for range 8 {
		all.Go(func() {
			_, err := b.subject(programme.SubjectInput{ExternalID: "one", Name: "One"})
			got <- paths(err)
		})
	}
	all.Wait()
	close(got)
	counts := map[string]int{}
	for outcome := range got {
		counts[strings.Join(outcome, " ")]++
	}
	if diff := cmp.Diff(map[string]int{"": 1, "external_id_taken": 7}, counts); diff != "" {
		t.Error(diff)
	}
}

func TestUpdateKeepsWhatIsNotNamed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	begin, end := time.Date(2031, 3, 1, 0, 0, 0, 0, time.UTC), time.Date(2031, 4, 1, 0, 0, 0, 0, time.UTC)
	about := must(b, func(tx *db.Tx) (programme.Subject, error) { return sample.Subject(t, tx), nil })
	made := must(b, func(tx *db.Tx) (programme.Engagement, error) {
		return programme.CreateEngagement(t.Context(), tx, programme.EngagementInput{ExternalID: "e", Name: "E", SubjectID: &about.ID, StartsAt: &begin, EndsAt: &end})
	})
	name, closed := "Renamed", "closed"
	update := func(patch programme.EngagementPatch) (programme.Engagement, error) {
		return do(b, b.scope, func(tx *db.Tx) (programme.Engagement, error) {
			return programme.UpdateEngagement(t.Context(), tx, made.ID, patch)
		})
	}
	got, err := update(programme.EngagementPatch{UpdatedAt: &made.UpdatedAt, Name: &name, Status: &closed, Clear: []string{"endsAt"}})
	if err != nil {
		t.Fatal(err)
	}
	want := made
	want.Name, want.Status, want.EndsAt, want.UpdatedAt = name, closed, nil, got.UpdatedAt
	if diff := cmp.Diff(want, got); diff != "" || !got.UpdatedAt.After(made.UpdatedAt) {
		t.Errorf("(-want +got):\n%s", diff)
	}
	_, err = update(programme.EngagementPatch{UpdatedAt: &made.UpdatedAt, Name: &name})
	if errs.Of(err).Code != errs.StaleUpdate {
		t.Errorf("got %v, want stale_update", err)
	}
	_, err = update(programme.EngagementPatch{Clear: []string{"name"}})
	if diff := cmp.Diff([]string{"clear[0]:invalid_choice"}, paths(err)); diff != "" {
		t.Error(diff)
	}
}

func TestRecordsStayInTheirOrgUnit(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	elsewhere := b.scope
	elsewhere.OrgUnit = must(b, func(tx *db.Tx) (ids.ID, error) { return sample.OrgUnit(t, tx, "away").ID, nil })
	elsewhere.All = false
	made := must(b, func(tx *db.Tx) (programme.Subject, error) { return sample.Subject(t, tx), nil })
	_, err := do(b, elsewhere, func(tx *db.Tx) (programme.Subject, error) { return programme.GetSubject(t.Context(), tx, made.ID) })
	if errs.Of(err).Code != errs.NotFound {
		t.Errorf("read from another org unit: got %v", err)
	}
	_, err = do(b, elsewhere, func(tx *db.Tx) (programme.Engagement, error) {
		return programme.CreateEngagement(t.Context(), tx, programme.EngagementInput{Name: "E", SubjectID: &made.ID})
	})
	if diff := cmp.Diff([]string{"subjectId:unknown_subject"}, paths(err)); diff != "" {
		t.Error(diff)
	}
	// The same external id is free in another org unit.
	_, err = do(b, elsewhere, func(tx *db.Tx) (programme.Subject, error) {
		return programme.CreateSubject(t.Context(), tx, programme.SubjectInput{ExternalID: made.ExternalID, Name: "S"})
	})
	if err != nil {
		t.Error(err)
	}
	powerless := sample.As(b.scope, ids.New(), capability.UsersManage)
	_, err = do(b, powerless, func(tx *db.Tx) (programme.Subject, error) { return programme.GetSubject(t.Context(), tx, made.ID) })
	if errs.Of(err).Code != errs.Forbidden {
		t.Errorf("without capability: got %v", err)
	}
}

func TestUpsertTakesNothingAway(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	upsert := func(in ...programme.SubjectInput) []people.Change {
		results := must(b, func(tx *db.Tx) ([]people.Upserted, error) { return programme.UpsertSubjects(t.Context(), tx, in) })
		var changes []people.Change
		for _, r := range results {
			changes = append(changes, r.Change)
		}
		return changes
	}
	first := []programme.SubjectInput{{ExternalID: "b", Name: "B", Kind: "site", Metadata: map[string]any{"x": "1"}}, {ExternalID: "a", Name: "A"}}
	for i, tt := range []struct {
		in   []programme.SubjectInput
		want []people.Change
	}{
		{first, []people.Change{people.Created, people.Created}},
		{first, []people.Change{people.Unchanged, people.Unchanged}},
		{[]programme.SubjectInput{{ExternalID: "b", Name: "B", Metadata: map[string]any{"y": "2"}}}, []people.Change{people.Changed}},
	} {
		if diff := cmp.Diff(tt.want, upsert(tt.in...)); diff != "" {
			t.Errorf("round %d (-want +got):\n%s", i, diff)
		}
	}
	got := must(b, func(tx *db.Tx) (db.List[programme.Subject], error) {
		return programme.ListSubjects(t.Context(), tx, programme.SubjectFilter{ExternalID: "b"})
	})
	if diff := cmp.Diff(map[string]any{"x": "1", "y": "2"}, got.Items[0].Metadata); diff != "" || got.Items[0].Kind != "site" {
		t.Errorf("kind %q, metadata (-want +got):\n%s", got.Items[0].Kind, diff)
	}
}

// A subject may be a person: what it is called stays in its row.
func TestLedgerHoldsNoNames(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, err := b.subject(programme.SubjectInput{ExternalID: "zzyzx-id", Name: "Zzyzx", Metadata: map[string]any{"badge": "zzyzx"}})
	if err != nil {
		t.Fatal(err)
	}
	found := must(b, func(tx *db.Tx) (int, error) {
		var n int
		err := tx.QueryRow(t.Context(), "select count(*) from ledger_events l where tenant_id = $1 and lower(l::text) like '%zzyzx%'", tx.Tenant()).Scan(&n)
		return n, err
	})
	if found != 0 {
		t.Errorf("%d ledger events repeat the name", found)
	}
}

// A row that nothing refers to can be deleted, and a row that something refers to stays.
func TestOnlyWhatIsUnusedIsDeleted(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	subject, err := b.subject(programme.SubjectInput{ExternalID: "plant-1", Name: "Plant 1"})
	if err != nil {
		t.Fatal(err)
	}
	about := must(b, func(tx *db.Tx) (programme.Engagement, error) {
		return programme.CreateEngagement(t.Context(), tx, programme.EngagementInput{Name: "Audit", SubjectID: &subject.ID})
	})
	asked := must(b, func(tx *db.Tx) (programme.Requirement, error) {
		return programme.CreateRequirement(t.Context(), tx, programme.RequirementInput{Programme: "Welding", Name: "Theory", EvaluationID: sample.Evaluation(t, tx, sample.Question(t, tx, "A").ID).ID})
	})
	assigned := must(b, func(tx *db.Tx) (programme.Engagement, error) {
		made, err := programme.CreateEngagement(t.Context(), tx, programme.EngagementInput{Name: "Review"})
		if err == nil {
			_, err = tx.Exec(t.Context(), `insert into assignments (tenant_id, id, org_unit_id, evaluation_id, target_type, engagement_id, status, created_by, created_at, updated_at)
				values ($1, $2, $3, $4, 'public_link', $5, 'active', 'operator:test', now(), now())`, tx.Tenant(), ids.New(), tx.Scope().OrgUnit, asked.EvaluationID, made.ID)
		}
		return made, err
	})
	try := func(remove func(context.Context, *db.Tx, ids.ID) error, id ids.ID) errs.Code {
		_, err := do(b, b.scope, func(tx *db.Tx) (bool, error) { return true, remove(t.Context(), tx, id) })
		if err == nil {
			return ""
		}
		return errs.Of(err).Code
	}
	for _, step := range []struct {
		remove func(context.Context, *db.Tx, ids.ID) error
		id     ids.ID
		want   errs.Code
	}{
		{programme.DeleteSubject, subject.ID, errs.SubjectInUse},
		{programme.DeleteEngagement, assigned.ID, errs.EngagementInUse},
		{programme.DeleteEngagement, about.ID, ""},
		{programme.DeleteSubject, subject.ID, ""},
		{programme.DeleteSubject, subject.ID, errs.NotFound},
		{programme.DeleteRequirement, asked.ID, ""},
		{programme.DeleteRequirement, asked.ID, errs.NotFound},
	} {
		if got := try(step.remove, step.id); got != step.want {
			t.Errorf("got %q, want %q", got, step.want)
		}
	}
	triaged := must(b, func(tx *db.Tx) (programme.Requirement, error) {
		made, err := programme.CreateRequirement(t.Context(), tx, programme.RequirementInput{Programme: "Welding", Name: "Practice", EvaluationID: asked.EvaluationID})
		if err == nil {
			_, err = tx.Exec(t.Context(), `insert into defensibility_rollup_triage (tenant_id, org_unit_id, kind, target_id, state, updated_at)
				values ($1, $2, 'programme_requirement', $3, 'acknowledged', now())`, tx.Tenant(), tx.Scope().OrgUnit, made.ID)
		}
		return made, err
	})
	if got := try(programme.DeleteRequirement, triaged.ID); got != errs.RequirementInUse {
		t.Errorf("a requirement that somebody works on: %q", got)
	}
}
