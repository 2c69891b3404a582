package erasure

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/author/skill"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/report/projection"
	"assess/pkg/report/skills"
)

// mapped lets the exam count for a skill, and figures follow.
func (o *office) mapped() skill.Detail {
	o.Helper()
	var target skill.Detail
	o.write(o.operator, func(tx *db.Tx) error {
		target = sample.Skill(o.T, tx, "Judges")
		set, version := sample.Mapping(o.T, tx, skill.RuleInput{RuleType: skill.ByEvaluation,
			Selector: skill.Selector{EvaluationID: &o.snapshot.EvaluationID}, TargetSkillID: target.ID, Strategy: skill.Latest})
		_, err := skill.PublishMapping(o.Context(), tx, set, version, projection.CountSkillMatches)
		return err
	})
	o.recalculate()
	return target
}

func (o *office) recalculate() {
	o.Helper()
	var job projection.Job
	o.write(o.operator, func(tx *db.Tx) error {
		var err error
		job, err = projection.QueueRecalculation(o.Context(), tx, projection.RecalculateInput{})
		return err
	})
	for job.State != models.ReportJobCompleted {
		var err error
		job, err = projection.RunPiece(o.Context(), o.store, o.operator.Tenant, job.ID)
		if err != nil {
			o.Fatal(err)
		}
	}
}

// skillRows are the facts and figures of a person.
func (o *office) skillRows(p *person) []string {
	o.Helper()
	rows, err := o.super.Query(o.Context(), `select t::text from report_skill_facts t where user_id = $1
		union all select t::text from report_skill_submissions t where user_id = $1
		union all select t::text from report_skill_rollups t where user_id = $1 order by 1`, p.ID)
	if err != nil {
		o.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		o.Fatal(err)
	}
	return all
}

// The skills of a forgotten person stay as figures of nobody in particular: neither the profile nor its evidence
// tells whose they were, a recalculation comes to the same, and a rebuild, too.
func TestForgottenPeopleHaveFiguresOfSkillsWithoutAName(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ada, grace := o.newPerson("Ada"), o.newPerson("Grace")
	o.project()
	target := o.mapped()
	before, others := o.skillRows(ada), o.skillRows(grace)
	if len(before) < 2 || len(others) < 2 {
		t.Fatalf("%d and %d rows of skills prove nothing", len(before), len(others))
	}
	shown := func() string {
		var said strings.Builder
		scope := sample.As(o.operator, o.officer.Actor.ID, capability.SkillsRead, capability.ReportingViewNamed)
		err := o.store.Report(t.Context(), scope, func(tx *db.Tx) error {
			return written(t.Context(), tx, &said, ada, target)
		})
		if err != nil {
			t.Fatal(err)
		}
		return said.String()
	}
	if !strings.Contains(shown(), ada.word) {
		t.Fatal("the profile has no name before: the test proves nothing")
	}
	if done := o.forget(ada); done.Status != models.ComplianceCompleted || done.Partial {
		t.Fatalf("the job: %+v", done)
	}
	o.project()
	if said := shown(); strings.Contains(said, ada.word) {
		t.Errorf("the profile tells: %s", said)
	}
	if diff := cmp.Diff(before, o.skillRows(ada)); diff != "" {
		t.Errorf("figures changed: %s", diff)
	}
	o.recalculate()
	if diff := cmp.Diff(before, o.skillRows(ada)); diff != "" {
		t.Errorf("a recalculation changed figures: %s", diff)
	}
	if diff := cmp.Diff(others, o.skillRows(grace)); diff != "" {
		t.Errorf("somebody else's figures changed: %s", diff)
	}
	compared, err := projection.Verify(t.Context(), o.store, o.operator.Tenant)
	if err != nil || compared.Differences != 0 {
		t.Errorf("the reports: %+v, %v", compared, err)
	}
}

// written adds what the profile of a person and the evidence behind a skill say.
func written(ctx context.Context, tx *db.Tx, into *strings.Builder, p *person, target skill.Detail) error {
	page := db.Page{Page: 1, Limit: 25}
	profile, err := skills.GetProfile(ctx, tx, p.ID, page)
	if err != nil {
		return err
	}
	found, err := skills.GetEvidence(ctx, tx, p.ID, target.ID, page)
	if err != nil {
		return err
	}
	return json.NewEncoder(into).Encode([]any{profile, found})
}
