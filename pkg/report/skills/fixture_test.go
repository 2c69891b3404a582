package skills_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"assess/models"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
	"assess/pkg/surface/demo"
)

// class is an org unit whose people took an exam once, the first two of them twice, with skills for all of
// the exam and for each half of it.
type class struct {
	*testing.T
	store                              *db.Store
	operator                           db.Scope
	people                             []ids.ID
	evaluation, version, set, mapping  ids.ID
	framework, whole, half, other, gap ids.ID
	// right says for each person and item whether they got it.
	right     [][]bool
	submitted []ids.ID
	snapshot  map[string]any
	questions []ids.ID
}

var noon = time.Date(2031, 3, 1, 12, 0, 0, 0, time.UTC)

// exam gives whether each person got each item of a real exam.
func exam(t *testing.T) [][]bool {
	t.Helper()
	folder := os.Getenv("ASSESS_TESTDATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "..", "shared", "data")
	}
	folder = filepath.Join(folder, "hci")
	_, err := os.Stat(folder)
	if errors.Is(err, fs.ErrNotExist) && os.Getenv("CI") == "" {
		t.Skipf("no real data: %v; ASSESS_TESTDATA names its folder", err)
	}
	data, err := demo.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	var all [][]bool
	for _, person := range data.Persons {
		var one []bool
		for i, answer := range person.Responses {
			one = append(one, answer == data.Items[i].Key)
		}
		all = append(all, one)
	}
	return all
}

// newClass lets everybody take the exam, each a day after the one before, and projects it.
func newClass(t *testing.T, right [][]bool) *class {
	t.Helper()
	return newClassIn(t, sample.Store(t), right)
}

func newClassIn(t *testing.T, store *db.Store, right [][]bool) *class {
	t.Helper()
	c := &class{T: t, store: store, right: right, evaluation: ids.New(), version: ids.New(), set: ids.New(), mapping: ids.New(),
		framework: ids.New(), whole: ids.New(), half: ids.New(), other: ids.New(), gap: ids.New()}
	c.operator = sample.Tenant(t, store)
	for range right {
		c.people = append(c.people, ids.New())
	}
	c.do(`insert into users (tenant_id, id, email, email_key, name, created_at, updated_at)
		select $1, id, n || '@example.org', n || '@example.org', 'Person ' || n, $3, $3 from unnest($2::uuid[]) with ordinality u (id, n)
		returning true`, c.people, noon)
	sample.ChangeAccess(t, store, c.operator, "insert into user_org_units (tenant_id, user_id, org_unit_id) select $1, id, $3 from unnest($2::uuid[]) u (id) returning true", c.people, c.operator.OrgUnit)
	terms := c.terms()
	questions := c.publish(terms, len(right[0]))
	c.submit(c.version, questions, c.people, right)
	c.skills(terms)
	c.settle()
	return c
}

// do runs a statement; $1 is the tenant.
func (c *class) do(sql string, args ...any) {
	c.Helper()
	sample.Write(c.T, c.store, c.operator, func(tx *db.Tx) error {
		_, err := tx.Exec(c.Context(), sql, append([]any{tx.Tenant()}, args...)...)
		return err
	})
}

// terms are a topic with two parts.
func (c *class) terms() [3]ids.ID {
	c.Helper()
	terms := [3]ids.ID{ids.New(), ids.New(), ids.New()}
	facet := ids.New()
	c.do("insert into facets (tenant_id, id, domain, slug, label, created_at, updated_at) values ($1, $2, 'content', 'topic', 'Topic', $3, $3)", facet, noon)
	for i, name := range []string{"homeostasis", "first-half", "second-half"} {
		c.do("insert into terms (tenant_id, id, facet_id, slug, label, created_at, updated_at) values ($1, $2, $3, $4, $4, $5, $5)", terms[i], facet, name, noon)
	}
	for _, part := range terms[1:] {
		c.do("insert into term_relations (tenant_id, term_id, parent_id, created_at) values ($1, $2, $3, $4)", part, terms[0], noon)
	}
	return terms
}

// publish makes the exam; the first half of its questions has one part of the topic, the second the
// other.
func (c *class) publish(terms [3]ids.ID, items int) []ids.ID {
	c.Helper()
	var questions []ids.ID
	content, places := map[string]any{}, []any{}
	for i := range items {
		q := ids.New()
		questions = append(questions, q)
		content[q.String()] = map[string]any{"options": []any{}, "structuredTags": map[string]any{}, "taxonomyTermIds": []ids.ID{terms[1+2*i/items]}}
		places = append(places, map[string]any{"itemId": q, "questionVersionId": q, "key": map[string]any{"contributesToScore": true}})
	}
	c.snapshot = map[string]any{"title": "Exam", "questions": content, "sections": []any{map[string]any{"id": ids.New(), "items": places}}}
	c.questions = questions
	c.do("insert into evaluations (tenant_id, id, org_unit_id, title, status, created_at, updated_at) values ($1, $2, $3, 'Exam', 'published', $4, $4)",
		c.evaluation, c.operator.OrgUnit, noon)
	c.release(c.version, 1, map[string]any{"feedback_mode": "none"})
	return questions
}

// release publishes a version of the exam with other settings.
func (c *class) release(version ids.ID, number int, settings map[string]any) {
	c.Helper()
	c.snapshot["settings"] = settings
	snapshot, err := json.Marshal(c.snapshot)
	if err != nil {
		c.Fatal(err)
	}
	hash := "hash-" + version.String()
	c.do("insert into version_snapshots (tenant_id, hash, org_unit_id, content, created_at) values ($1, $2, $3, $4::text::jsonb, $5)",
		hash, c.operator.OrgUnit, string(snapshot), noon)
	c.do(`insert into evaluation_versions (tenant_id, id, org_unit_id, evaluation_id, number, status, title, sections, settings, snapshot_hash, created_at, updated_at)
		values ($1, $2, $3, $4, $7, 'published', 'Exam', '[]', '{}', $5, $6, $6)`, version, c.operator.OrgUnit, c.evaluation, hash, noon, number)
}

// submit hands in an attempt for each person, a day after the one before.
func (c *class) submit(version ids.ID, questions, people []ids.ID, right [][]bool) {
	c.Helper()
	var submissions, of, items, asked []ids.ID
	var days []int
	var scores []int
	for p := range people {
		submission := ids.New()
		submissions, days = append(submissions, submission), append(days, len(c.submitted)+p)
		for i := range questions {
			score := 0
			if right[p][i] {
				score = 1
			}
			of, items, asked, scores = append(of, submission), append(items, ids.New()), append(asked, questions[i]), append(scores, score)
		}
	}
	c.submitted = append(c.submitted, submissions...)
	c.do(`insert into submissions (tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id, submitted_by, status, completion_method,
			started_at, completed_at, score, max_score, outcome_code, outcome_label, snapshot_hash, approval_status)
		select $1, s.id, $2, $3, $4::uuid, s.user_id, 'test', 'completed', 'submitted', $5::timestamptz + s.day * interval '1 day',
			$5::timestamptz + s.day * interval '1 day' + interval '1 hour', 0, 20, 'pass', '', 'hash-' || $4::uuid, 'not_required'
		from unnest($6::uuid[], $7::uuid[], $8::int[]) s (id, user_id, day) returning true`,
		c.operator.OrgUnit, c.evaluation, version, noon, submissions, people, days)
	c.do(`insert into submission_items (tenant_id, submission_id, id, org_unit_id, item_id, question_version_id, position, qtype, response, score_status,
			score_method, score, max_score, is_correct, is_omitted, correct_selected, incorrect_selected, total_correct)
		select $1, submission_id, i.id, $2, question, question, row_number() over (partition by submission_id), 'mcq', '{"optionIds":["A"]}', 'SCORED',
			'key', score, 1, score = 1, false, score, 1 - score, 1
		from unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::int[]) i (submission_id, id, question, score) returning true`, c.operator.OrgUnit, of, items, asked, scores)
	c.do("insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at) select $1, 'submission', id, $3 from unnest($2::uuid[]) s (id) returning true", submissions, noon)
}

// skills makes a framework of four skills; the rules reach three of them. It publishes and applies the rules.
func (c *class) skills(terms [3]ids.ID) {
	c.Helper()
	c.do("insert into skill_frameworks (tenant_id, id, identifier, title, created_at, updated_at) values ($1, $2, $2, 'Biology', $3, $3)", c.framework, noon)
	for i, skill := range []ids.ID{c.whole, c.half, c.other, c.gap} {
		version := ids.New()
		c.do(`insert into skills (tenant_id, id, identifier, framework_id, code, position, created_at, updated_at) values ($1, $2, $2, $3, $4, $5, $6, $6)`,
			skill, c.framework, fmt.Sprint("B.", i), i, noon)
		c.do(`insert into skill_versions (tenant_id, id, skill_id, number, status, name, levels, created_at, updated_at, published_at)
			values ($1, $2, $3, 1, 'published', $4, '[{"name":"Begun","threshold":0.3},{"name":"Sure","threshold":0.7}]', $5, $5, $5)`, version, skill, fmt.Sprint("Skill ", i), noon)
		c.do("update skills set current_version_id = $3 where tenant_id = $1 and id = $2", skill, version)
	}
	c.do("insert into skill_mapping_sets (tenant_id, id, title, created_at, updated_at) values ($1, $2, 'Set', $3, $3)", c.set, noon)
	c.do(`insert into skill_mapping_versions (tenant_id, id, set_id, number, status, created_at, updated_at) values ($1, $2, $3, 1, 'draft', $4, $4)`, c.mapping, c.set, noon)
	for i, skill := range []ids.ID{c.whole, c.half, c.other} {
		c.do(`insert into skill_mapping_rules (tenant_id, id, version_id, pos, rule_type, selector, target_skill_id, weight, strategy)
			values ($1, $2, $3, $4, 'tag_predicate', jsonb_build_object('any', jsonb_build_array($5::uuid), 'includeDescendants', true), $6, 1, 'mean')`,
			ids.New(), c.mapping, i, terms[i], skill)
	}
	c.do("update skill_mapping_versions set status = 'published', content_hash = 'h', published_at = $3 where tenant_id = $1 and id = $2", c.mapping, noon)
	c.do("update skill_mapping_sets set active_version_id = $3 where tenant_id = $1 and id = $2", c.set, c.mapping)
}

// settle projects everything that waits, recalculates, and derives the cells.
func (c *class) settle() {
	c.Helper()
	c.project()
	var job projection.Job
	sample.Write(c.T, c.store, c.operator, func(tx *db.Tx) error {
		var err error
		job, err = projection.QueueRecalculation(c.Context(), tx, projection.RecalculateInput{})
		return err
	})
	for job.State != models.ReportJobCompleted {
		var err error
		job, err = projection.RunPiece(c.Context(), c.store, c.operator.Tenant, job.ID)
		if err != nil {
			c.Fatal(err)
		}
	}
	c.cells()
}

func (c *class) project() {
	c.Helper()
	for n := 1; n > 0; {
		sample.Write(c.T, c.store, db.System(c.operator.Tenant, "projector"), func(tx *db.Tx) error {
			var err error
			n, err = projection.ProjectBatch(c.Context(), tx, projection.BatchSize)
			return err
		})
	}
}

// cells runs the job that derives the overviews of all tenants.
func (c *class) cells() {
	c.Helper()
	err := (&projection.SkillCellsWorker{Store: c.store}).Work(c.Context(), nil)
	if err != nil {
		c.Fatal(err)
	}
}

// group makes a group of some people.
func (c *class) group(members ...ids.ID) ids.ID {
	c.Helper()
	group := ids.New()
	c.do("insert into groups (tenant_id, id, org_unit_id, name, created_at, updated_at) values ($1, $2, $3, $2::uuid::text, $4, $4)", group, c.operator.OrgUnit, noon)
	c.do("insert into group_members (tenant_id, group_id, user_id, org_unit_id, added_at) select $1, $2, id, $3, $4 from unnest($5::uuid[]) m (id) returning true",
		group, c.operator.OrgUnit, noon, members)
	return group
}

func ask[T any](c *class, scope db.Scope, do func(context.Context, *db.Tx) (T, error)) (T, error) {
	c.Helper()
	var found T
	err := c.store.Report(c.Context(), scope, func(tx *db.Tx) error {
		var err error
		found, err = do(c.Context(), tx)
		return err
	})
	return found, err
}

func must[T any](c *class, scope db.Scope, do func(context.Context, *db.Tx) (T, error)) T {
	c.Helper()
	found, err := ask(c, scope, do)
	if err != nil {
		c.Fatal(err)
	}
	return found
}

func (c *class) as(user ids.ID, holds ...capability.Capability) db.Scope {
	return sample.As(c.operator, user, holds...)
}
