package skills_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
	"assess/pkg/report/skills"
)

var all = db.Page{Page: 1, Limit: 200}

func mean(right []bool) float64 {
	n := 0.0
	for _, r := range right {
		if r {
			n++
		}
	}
	return n / float64(len(right))
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// On a real exam, each person's figure of each topic matches arithmetic on the file, their evidence adds
// up to it, and so does what everybody can do.
func TestFiguresOfARealExam(t *testing.T) {
	t.Parallel()
	right := exam(t)
	c := newClass(t, right)
	var sum float64
	for p, person := range c.people {
		want := map[ids.ID]float64{c.whole: mean(right[p]), c.half: mean(right[p][:10]), c.other: mean(right[p][10:])}
		sum += want[c.whole]
		profile := must(c, c.operator, func(ctx context.Context, tx *db.Tx) (skills.Profile, error) {
			return skills.GetProfile(ctx, tx, person, all)
		})
		if len(profile.Items) != len(want) {
			t.Fatalf("person %d has %d figures, want %d", p, len(profile.Items), len(want))
		}
		for _, f := range profile.Items {
			if !near(f.Value, want[f.SkillID]) {
				t.Errorf("person %d, %s: %v, want %v", p, f.Name, f.Value, want[f.SkillID])
			}
			if level := map[bool]int{f.Value >= 0.3: 1, f.Value >= 0.7: 2}; f.Level == nil != (f.Value < 0.3) || f.Level != nil && f.Level.Name != []string{"", "Begun", "Sure"}[level[true]] {
				t.Errorf("person %d, %s: level %v of %v", p, f.Name, f.Level, f.Value)
			}
		}
		if p%100 == 0 {
			c.traced(person, want)
		}
	}
	overview := must(c, c.operator, func(ctx context.Context, tx *db.Tx) (skills.Overview, error) {
		return skills.GetOverview(ctx, tx, skills.OverviewFilter{Page: all})
	})
	if len(overview.Items) != 3 || *overview.Items[0].People != int64(len(right)) || !near(*overview.Items[0].MeanValue, sum/float64(len(right))) {
		t.Errorf("overview: %+v, want a mean of %v", overview.Items, sum/float64(len(right)))
	}
}

// traced follows figures of a person down to the item attempts.
func (c *class) traced(person ids.ID, want map[ids.ID]float64) {
	c.Helper()
	for skill, value := range want {
		e := must(c, c.operator, func(ctx context.Context, tx *db.Tx) (skills.Evidence, error) {
			return skills.GetEvidence(ctx, tx, person, skill, all)
		})
		earned, weight := 0.0, 0.0
		for _, f := range e.Items {
			var score float64
			c.look("select score::float8 from submission_items where tenant_id = $1 and submission_id = $2 and id = $3", &score, f.SubmissionID, f.SubmissionItemID)
			if score != *f.ScoreAwarded || f.TermID == nil || f.MappingVersionID != c.mapping || f.EvaluationTitle != "Exam" {
				c.Errorf("evidence %+v, the item has %v", f, score)
			}
			earned, weight = earned+score/(*f.MaxScore)*f.Weight, weight+f.Weight
		}
		if len(e.Items) != e.Total || len(e.Figures) != 1 || !near(earned/weight, value) || !near(e.Figures[0].Value, value) {
			c.Errorf("evidence of %d items adds up to %v, want %v", len(e.Items), earned/weight, value)
		}
	}
}

func (c *class) look(sql string, to any, args ...any) {
	c.Helper()
	_ = must(c, c.operator, func(ctx context.Context, tx *db.Tx) (bool, error) {
		return true, tx.QueryRow(ctx, sql, append([]any{tx.Tenant()}, args...)...).Scan(to)
	})
}

// drawn gives random answers of some people to twelve items.
func drawn(people int, seed uint64) [][]bool {
	dice := rand.New(rand.NewPCG(seed, 1))
	var all [][]bool
	for range people {
		var one []bool
		for range 12 {
			one = append(one, dice.IntN(3) > 0)
		}
		all = append(all, one)
	}
	return all
}

// What a person may read about themselves, about others, and about all.
func TestWhoMaySeeWhat(t *testing.T) {
	t.Parallel()
	c := newClass(t, drawn(8, 1))
	me, you := c.people[0], c.people[1]
	profile := func(of ids.ID) func(context.Context, *db.Tx) (skills.Profile, error) {
		return func(ctx context.Context, tx *db.Tx) (skills.Profile, error) {
			return skills.GetProfile(ctx, tx, of, all)
		}
	}
	evidence := func(of ids.ID) func(context.Context, *db.Tx) (skills.Evidence, error) {
		return func(ctx context.Context, tx *db.Tx) (skills.Evidence, error) {
			return skills.GetEvidence(ctx, tx, of, c.whole, all)
		}
	}
	for _, x := range []struct {
		name  string
		scope db.Scope
		of    ids.ID
		want  errs.Code
	}{
		{"a candidate, of themselves", c.as(me, capability.SessionsTake), me, ""},
		{"a candidate, of somebody else", c.as(me, capability.SessionsTake), you, errs.Forbidden},
		{"a reader, of themselves", c.as(me, capability.SkillsRead), me, ""},
		{"a reader, of somebody else", c.as(me, capability.SkillsRead), you, errs.Forbidden},
		{"names without skills", c.as(me, capability.ReportingViewNamed), you, errs.Forbidden},
		{"a reader who may see names", c.as(me, capability.SkillsRead, capability.ReportingViewNamed), you, ""},
		{"of nobody", c.as(me, capability.SkillsRead, capability.ReportingViewNamed), ids.New(), errs.NotFound},
	} {
		_, err := ask(c, x.scope, profile(x.of))
		_, behind := ask(c, x.scope, evidence(x.of))
		for _, err := range []error{err, behind} {
			if (err == nil) != (x.want == "") || err != nil && !errors.Is(err, x.want) {
				t.Errorf("%s: %v, want %q", x.name, err, x.want)
			}
		}
	}
	// The exam gives no feedback on items.
	own := must(c, c.as(me, capability.SessionsTake), evidence(me))
	named := must(c, c.as(you, capability.SkillsRead, capability.ReportingViewNamed), evidence(me))
	for i := range own.Items {
		if own.Items[i].Value != nil || own.Items[i].ScoreAwarded != nil || named.Items[i].Value == nil {
			t.Fatalf("one's own item shows %v, to others %v", own.Items[i].Value, named.Items[i].Value)
		}
	}
	elsewhere := c.as(you, capability.SkillsRead, capability.ReportingViewNamed)
	elsewhere.OrgUnit = ids.New()
	if p := must(c, elsewhere, profile(me)); len(p.Items) != 0 {
		t.Errorf("another org unit sees %d figures", len(p.Items))
	}
}

// Your own figures, and the evidence behind them, tell nothing about an exam that keeps its result back: not where
// feedback_mode is none, not before feedback is available, and not the scores of items that the policy leaves out.
func TestOwnFiguresTellNothingThatAnExamKeepsBack(t *testing.T) {
	t.Parallel()
	c := newClass(t, drawn(2, 5)) // the first exam has feedback_mode none
	me := c.people[0]
	own, others := c.as(me, capability.SessionsTake), c.as(c.people[1], capability.SkillsRead, capability.ReportingViewNamed)
	look := func(scope db.Scope) (skills.Explained, skills.Evidence) {
		t.Helper()
		p := must(c, scope, func(ctx context.Context, tx *db.Tx) (skills.Explained, error) {
			return skills.ExplainProfile(ctx, tx, me, all)
		})
		e := must(c, scope, func(ctx context.Context, tx *db.Tx) (skills.Evidence, error) {
			return skills.GetEvidence(ctx, tx, me, c.whole, all)
		})
		return p, e
	}
	takes := 0
	take := func(settings map[string]any, right int) {
		t.Helper()
		takes++
		version := ids.New()
		c.release(version, takes+1, settings)
		c.submit(version, c.questions, []ids.ID{me}, [][]bool{slices.Concat(slices.Repeat([]bool{true}, right), slices.Repeat([]bool{false}, len(c.questions)-right))})
		c.project()
	}
	shows := func(when string, submissions int, share float64, items int) {
		t.Helper()
		p, e := look(own)
		var got skills.Figure
		for _, f := range p.Items {
			if f.SkillID == c.whole {
				got = f
			}
		}
		if got.SubmissionCount != submissions || submissions > 0 && math.Abs(got.Value-share) > 1e-9 || p.Total != len(p.Items) || (submissions == 0) != (len(p.Items) == 0) {
			t.Errorf("%s: the profile says %+v, want %v of %d attempts", when, p.Items, share, submissions)
		}
		if len(e.Figures) != min(submissions, 1) || submissions > 0 && e.Figures[0].SubmissionCount != submissions {
			t.Errorf("%s: the evidence says %+v", when, e.Figures)
		}
		valued := 0
		for _, f := range e.Items {
			if f.Value != nil || f.ScoreAwarded != nil {
				valued++
			}
		}
		if valued != items {
			t.Errorf("%s: %d items show what they earned, want %d", when, valued, items)
		}
		if p, _ := look(others); len(p.Items) != 3 || p.Items[0].SubmissionCount != takes+1 {
			t.Errorf("%s: others see %+v", when, p.Items)
		}
	}
	shows("feedback_mode none", 0, 0, 0)
	n := len(c.questions)
	take(map[string]any{"feedback_mode": "overall"}, 3)
	shows("overall", 1, 3/float64(n), 0)
	take(map[string]any{"feedback_mode": "items", "feedbackPolicy": map[string]any{"availableAfter": "2999-01-01T00:00:00Z"}}, n)
	shows("items, later", 1, 3/float64(n), 0)
	take(map[string]any{"feedback_mode": "items", "feedbackPolicy": map[string]any{"showScore": false}}, n)
	shows("items without scores", 2, (3+float64(n))/(2*float64(n)), 0)
	take(map[string]any{"feedback_mode": "items", "feedbackPolicy": map[string]any{"availableAfter": "2001-01-01T00:00:00Z"}}, n)
	shows("items by now", 3, (3+2*float64(n))/(3*float64(n)), n)
}

// Pages of evidence hold each item attempt once, the newest first.
func TestEvidenceComesInPages(t *testing.T) {
	t.Parallel()
	c := newClass(t, drawn(2, 2))
	seen := map[ids.ID]bool{}
	for n := 1; n <= 4; n++ {
		e := must(c, c.operator, func(ctx context.Context, tx *db.Tx) (skills.Evidence, error) {
			return skills.GetEvidence(ctx, tx, c.people[0], c.whole, db.Page{Page: n, Limit: 5})
		})
		for _, f := range e.Items {
			seen[f.SubmissionItemID] = true
		}
		if want := max(0, min(5, 12-5*(n-1))); len(e.Items) != want || e.Total != 12 {
			t.Errorf("page %d has %d of %d, want %d of 12", n, len(e.Items), e.Total, want)
		}
	}
	if len(seen) != 12 {
		t.Errorf("%d different items, want 12", len(seen))
	}
}

// What a version covers, what it leaves out, and which question counts for which skill.
func TestCoverageSourcesAndResolve(t *testing.T) {
	t.Parallel()
	c := newClass(t, drawn(2, 3))
	covers := must(c, c.operator, func(ctx context.Context, tx *db.Tx) (skills.Coverage, error) {
		return skills.GetCoverage(ctx, tx, skills.CoverageFilter{EvaluationID: c.evaluation, EvaluationVersionID: c.version, FrameworkID: c.framework, Page: all})
	})
	if covers.Questions != 12 || covers.MappedQuestions != 12 || covers.CoveredSkills != 3 || covers.Gaps != 1 || covers.Total != 4 {
		t.Errorf("coverage: %+v", covers)
	}
	want := map[ids.ID]int{c.whole: 12, c.half: 6, c.other: 6, c.gap: 0}
	for _, s := range covers.Items {
		if s.Questions != want[s.SkillID] {
			t.Errorf("%s: %d questions, want %d", s.Name, s.Questions, want[s.SkillID])
		}
	}
	if last := covers.Items[3]; last.SkillID != c.gap {
		t.Errorf("the gap does not come last, but %s", last.Name)
	}
	sources := must(c, c.operator, func(ctx context.Context, tx *db.Tx) (db.List[skills.Source], error) {
		return skills.ListSources(ctx, tx, c.half, all)
	})
	if sources.Total != 6 || len(sources.Items) != 6 || *sources.Items[0].TermLabel != "first-half" || sources.Items[0].MappingSetID != c.set {
		t.Errorf("sources: %+v", sources)
	}
	resolved := must(c, c.operator, func(ctx context.Context, tx *db.Tx) (db.List[skills.Resolved], error) {
		return skills.Resolve(ctx, tx, skills.ResolveFilter{EvaluationVersionID: c.version, QuestionVersionID: sources.Items[0].QuestionVersionID, Page: all})
	})
	if resolved.Total != 2 {
		t.Errorf("a question of the first half counts for %d skills, want 2", resolved.Total)
	}
	for _, r := range resolved.Items {
		if r.RuleType != "tag_predicate" || *r.TermLabel != "first-half" || r.MappingVersionID != c.mapping || r.Weight != 1 {
			t.Errorf("resolved: %+v", r)
		}
	}
	_, err := ask(c, c.operator, func(ctx context.Context, tx *db.Tx) (skills.Coverage, error) {
		return skills.GetCoverage(ctx, tx, skills.CoverageFilter{EvaluationID: ids.New(), EvaluationVersionID: c.version, Page: all})
	})
	if !errors.Is(err, errs.NotFound) {
		t.Errorf("a version of another evaluation: %v", err)
	}
}

// A reader who may not see single people sees a group only where nothing follows about a few.
func TestOverviewOfGroups(t *testing.T) {
	t.Parallel()
	c := newClass(t, drawn(20, 4))
	ten, allButOne, four := c.group(c.people[:10]...), c.group(c.people[1:]...), c.group(c.people[:4]...)
	c.project()
	c.cells()
	for _, x := range []struct {
		name     string
		group    ids.ID
		named    bool
		people   int64
		withheld bool
	}{
		{"all", ids.None, false, 20, false},
		{"ten of twenty", ten, false, 10, false},
		{"all but one", allButOne, false, 0, true},
		{"all but one, for those who see names", allButOne, true, 19, false},
		{"four", four, false, 0, true},
		{"four, for those who see names", four, true, 4, false},
	} {
		scope := c.as(ids.New(), capability.SkillsRead)
		if x.named {
			scope = c.as(ids.New(), capability.SkillsRead, capability.ReportingViewNamed)
		}
		o := must(c, scope, func(ctx context.Context, tx *db.Tx) (skills.Overview, error) {
			return skills.GetOverview(ctx, tx, skills.OverviewFilter{GroupID: x.group, Page: all})
		})
		if len(o.Items) != 3 {
			t.Fatalf("%s: %d skills, want 3", x.name, len(o.Items))
		}
		g := o.Items[0]
		if g.Withheld != x.withheld || x.withheld != (g.People == nil) || x.withheld != (g.MeanValue == nil) || g.People != nil && *g.People != x.people {
			t.Errorf("%s: %+v, want %d people, withheld %v", x.name, g, x.people, x.withheld)
		}
	}
	// One more person in a group of ten: nobody learns that somebody came, and the range of their figure is no news.
	scope := c.as(ids.New(), capability.SkillsRead)
	read := func() skills.Group {
		return must(c, scope, func(ctx context.Context, tx *db.Tx) (skills.Overview, error) {
			return skills.GetOverview(ctx, tx, skills.OverviewFilter{GroupID: ten, Page: all})
		}).Items[0]
	}
	c.do("insert into group_members (tenant_id, group_id, user_id, org_unit_id, added_at) values ($1, $2, $3, $4, $5)", ten, c.people[10], c.operator.OrgUnit, noon)
	c.do(`insert into report_skill_stale (tenant_id, org_unit_id, skill_id, revision, marked_at)
		select distinct $1::uuid, org_unit_id, skill_id, 1, $2::timestamptz from report_skill_cells where tenant_id = $1`, noon)
	c.cells()
	after := read()
	if after.People == nil || *after.People != 10 || math.Abs(*after.MeanValue*20-math.Round(*after.MeanValue*20)) > 1e-9 {
		t.Errorf("eleven: %+v", after)
	}
	if n := projection.Fewest; n != 5 {
		t.Errorf("fewest is %d", n)
	}
}
