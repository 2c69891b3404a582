package reporting

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/remediation"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// fair is a tenant with an evaluation of two versions in one org unit, another evaluation with some
// of the same questions in a second one, people, groups and assignments. The service does
// everything that happens there; what the reports should say is counted only from the records, see
// record_test.go.
type fair struct {
	*cohort
	operator    db.Scope
	desk        *session.Desk
	printed     []authoring.Snapshot // by version, as versions and units are
	units       []ids.ID
	users       []ids.ID
	groups      []ids.ID
	assigned    []assigned
	open, ended []begun // sessions that can be submitted, and submissions that can be corrected
	events      map[ids.ID]eventCounts
	active      []ids.ID // remediations that count, and remediations that were taken back
	reverted    []ids.ID
	rekeys      map[ids.ID]rekey
	exempted    map[ids.ID]rekey // without a key
	remedied    map[ids.ID]int64 // how many submissions a remediation is about
	tried       []*tried
}

type begun struct {
	id, user ids.ID
	version  int
	started  time.Time
}

type assigned struct {
	id, target ids.ID
	kind       string
	run        *string
}

// rekey is a new key that a remediation gave a question: in a version, or in chosen submissions.
type rekey struct {
	version  int
	whole    bool
	question ids.ID
	right    []string
	pairs    []scoring.Pair
	gaps     []remediation.GapKey
}

// eventCounts are kept here: the projector deletes the events.
type eventCounts struct{ focus, exits int }

func newFair(t *testing.T) *fair {
	t.Helper()
	store := dbtest.Open(t, db.Options{URL: dbtest.Clone(t).App, MaxConns: 4})
	return &fair{cohort: &cohort{store: store}}
}

// The places of the questions in the keys.
const (
	choice = iota
	several
	number
	essay
	survey
	sequence
	pairing
	filling
)

func fairKeys() []scoring.Key {
	some := sample.Choice("B", "C")
	some.Method, some.Weight, some.MaxSelections = scoring.Partial, 2, 3
	asked := sample.Choice("A")
	asked.ContributesToScore = false
	ordered := sample.Choice()
	ordered.QType, ordered.Method, ordered.Weight, ordered.Order = scoring.Order, scoring.Partial, 3, []string{"D", "A", "C", "B"}
	paired := sample.Choice()
	paired.QType, paired.Method, paired.Weight, paired.MaxPerPrompt = scoring.Match, scoring.Partial, 2, 2
	paired.Prompts, paired.Pairs = []string{"p1", "p2", "p3"}, []scoring.Pair{{"p1", "A"}, {"p1", "B"}, {"p2", "C"}}
	gaps := scoring.Key{QType: scoring.Gap, Method: scoring.Partial, Weight: 2, ContributesToScore: true, Pool: []string{"A", "B"}, Gaps: []scoring.GapKey{
		{ID: "g1", Kind: scoring.GapText, Accepted: []string{"yes"}}, {ID: "g2", Kind: scoring.GapChoice, Options: []string{"A", "B", "C"}, Correct: []string{"B"}},
		{ID: "g3", Kind: scoring.GapNumber, Value: new(5.0), Tolerance: 1, Weight: 2}, {ID: "g4", Kind: scoring.GapPool, Correct: []string{"A"}}, {ID: "g5", Kind: scoring.GapPool, Correct: []string{"B"}}}}
	return []scoring.Key{sample.Choice("A"), some,
		{QType: scoring.Numeric, Weight: 3, Value: 10, Tolerance: 0.5, ContributesToScore: true},
		{QType: scoring.Essay, Weight: 4, ContributesToScore: true}, asked, ordered, paired, gaps}
}

// found makes a new tenant.
func (f *fair) found(t *testing.T, rt *rapid.T) {
	t.Helper()
	operator := sample.Tenant(t, f.store)
	*f = fair{cohort: &cohort{store: f.store, tenant: operator.Tenant, orgs: []ids.ID{operator.OrgUnit}}, operator: operator,
		desk: session.NewDesk(), events: map[ids.ID]eventCounts{}, rekeys: map[ids.ID]rekey{}, exempted: map[ids.ID]rekey{}}
	sample.Write(t, f.store, operator, func(tx *db.Tx) error {
		f.orgs = append(f.orgs, sample.OrgUnit(t, tx, "second").ID)
		pass := 50.0
		settings := authoring.Settings{PassMarkPercent: &pass, ReviewPolicy: "four_eyes", ScoringConfig: scoring.Config{NegativeMarking: 0.25, DefaultOutcome: scoring.Pass}}
		draft := sample.Published(t, tx, settings, fairKeys()...)
		for range 5 {
			f.users = append(f.users, sample.User(t, tx).ID)
		}
		other := ids.New()
		f.publish(t, tx, draft, f.orgs[0], draft.EvaluationID, map[int][]string{choice: {"a"}, several: {"a", "b"}, number: {"b"}},
			[]int{choice, several}, []int{number, sequence, essay, survey, pairing, filling})
		f.publish(t, tx, draft, f.orgs[0], draft.EvaluationID, map[int][]string{choice: {"a", "b"}, several: {"a"}},
			[]int{several}, []int{essay, choice}, []int{number, sequence})
		f.publish(t, tx, draft, f.orgs[1], other, map[int][]string{choice: {"a"}}, []int{choice, several, sequence, pairing, filling})
		return nil
	})
	for i := range 2 {
		group := ids.New()
		f.groups = append(f.groups, group)
		f.exec(t, "insert into groups (tenant_id, id, org_unit_id, name, join_token, created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $6)",
			f.tenant, group, f.orgs[0], fmt.Sprintf("Group %d", i), group.String(), epoch)
	}
	slices.SortFunc(f.groups, byID)
	f.assign(t, rt)
}

// publish writes a version of an evaluation that has some questions of the draft, with tags
// and sections of its own.
func (f *fair) publish(t *testing.T, tx *db.Tx, draft authoring.Snapshot, org, evaluation ids.ID, tags map[int][]string, sections ...[]int) {
	t.Helper()
	s := draft
	s.EvaluationID, s.EvaluationVersionID, s.Number = evaluation, ids.New(), len(f.printed)+2
	s.Sections, s.Questions = nil, map[string]authoring.SnapshotQuestion{}
	at := 0
	for _, places := range sections {
		section := authoring.SnapshotSection{ID: ids.New(), Title: "Section"}
		for _, place := range places {
			item := draft.Sections[0].Items[place]
			question := draft.Questions[item.QuestionVersionID.String()]
			question.StructuredTags = map[string][]string{"topic": tags[place]}
			if tags[place] == nil {
				question.StructuredTags = nil
			}
			item.Position, at = at, at+1
			section.Items = append(section.Items, item)
			s.Questions[item.QuestionVersionID.String()] = question
		}
		s.Sections = append(s.Sections, section)
	}
	canonical, err := content.Canonical(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		`insert into evaluations (tenant_id, id, org_unit_id, title, status, created_at, updated_at)
			select $1::uuid, $2::uuid, $3::uuid, 'E', 'published', $6::timestamptz, $6::timestamptz
			where $4::text <> '' and $5::text <> '' and $7::uuid is not null
			on conflict do nothing`,
		`insert into version_snapshots (tenant_id, hash, org_unit_id, content, created_at)
			select $1::uuid, $4::text, $3::uuid, $5::text::jsonb, $6::timestamptz where $2::uuid is not null and $7::uuid is not null
			returning true`,
		`insert into evaluation_versions (tenant_id, id, org_unit_id, evaluation_id, number, status, title, sections, settings,
			snapshot_hash, created_at, updated_at)
			select $1::uuid, $7::uuid, $3::uuid, $2::uuid, 2 + (select count(*) from evaluation_versions where tenant_id = $1::uuid), 'published',
				'E', '[]', $5::text::jsonb -> 'settings', $4::text, $6::timestamptz, $6::timestamptz
			returning true`,
	} {
		_, err = tx.Exec(t.Context(), sql, f.tenant, evaluation, org, content.Hash(canonical), string(canonical), epoch, s.EvaluationVersionID)
		if err != nil {
			t.Fatalf("%v in %s", err, sql)
		}
	}
	f.printed, f.versions, f.units = append(f.printed, s), append(f.versions, s.EvaluationVersionID), append(f.units, org)
}

// exec runs a statement as the system.
func (f *fair) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	sample.Write(t, f.store, db.System(f.tenant, "test"), func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), sql, args...)
		if err != nil {
			return fmt.Errorf("%w in %s", err, sql)
		}
		return nil
	})
}

func (f *fair) queue(t *testing.T, kind string, id ids.ID) {
	t.Helper()
	f.exec(t, "insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at) values ($1, $2, $3, $4)", f.tenant, kind, id, epoch)
}

func (f *fair) taker(user ids.ID, version int) db.Scope {
	scope := sample.As(f.operator, user, capability.SessionsTake)
	scope.OrgUnit = f.units[version]
	return scope
}

func drawRun(rt *rapid.T) *string {
	run := rapid.SampledFrom([]string{"", "spring", "summer"}).Draw(rt, "run")
	if run == "" {
		return nil
	}
	return &run
}

func (f *fair) assign(t *testing.T, rt *rapid.T) {
	t.Helper()
	kinds := rapid.SampledFrom([][]string{{"user_id", "email"}, {"user_id", "email", "group_id", "public_link"}, {"group_id"}}).Draw(rt, "kinds")
	for range rapid.IntRange(0, 6).Draw(rt, "assignments") {
		a := assigned{id: ids.New(), kind: rapid.SampledFrom(kinds).Draw(rt, "kind"), run: drawRun(rt)}
		var target any
		switch a.kind {
		case "user_id", "email":
			a.target = rapid.SampledFrom(f.users).Draw(rt, "invitee")
			target = a.target.String()
		case "group_id":
			a.target = rapid.SampledFrom(f.groups).Draw(rt, "group")
			target = a.target.String()
		}
		if slices.ContainsFunc(f.assigned, func(b assigned) bool {
			return a.kind != "public_link" && b.kind == a.kind && b.target == a.target && label(b.run) == label(a.run)
		}) {
			continue
		}
		f.assigned = append(f.assigned, a)
		f.exec(t, `insert into assignments (tenant_id, id, org_unit_id, evaluation_id, target_type, target_ref, run_label, status, created_by,
			created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $7, $8, 'test', $9, $9)`,
			f.tenant, a.id, f.orgs[0], f.printed[0].EvaluationID, a.kind, target, a.run, rapid.SampledFrom([]string{"active", "closed"}).Draw(rt, "status"), epoch)
		f.queue(t, "assignment", a.id)
	}
}

func label(run *string) string {
	if run == nil {
		return ""
	}
	return *run
}

// question gives the version of the question at a place, and whether a version has it.
func (f *fair) question(version, place int) (authoring.SnapshotItem, bool) {
	for _, section := range f.printed[version].Sections {
		for _, item := range section.Items {
			if item.Key.QType == fairKeys()[place].QType && item.Key.ContributesToScore == (place != survey) {
				return item, true
			}
		}
	}
	return authoring.SnapshotItem{}, false
}

// allQuestions lists the question versions of the fair.
func (f *fair) allQuestions() []ids.ID {
	found := map[ids.ID]bool{}
	for _, s := range f.printed {
		for _, section := range s.Sections {
			for _, item := range section.Items {
				found[item.QuestionVersionID] = true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(found), byID)
}

func byID(a, b ids.ID) int { return bytes.Compare(a[:], b[:]) }
