package centre

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"assess/config"
	"assess/pkg/author/authoring"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
	"assess/pkg/people/policy"
	"assess/pkg/trust/compliance"
)

// office is where jobs of every kind are worked on.
type office struct {
	*testing.T
	store *db.Store
	urls  dbtest.URLs
	super *pgx.Conn
	blobs *blob.Store
	*compliance.Centre
}

func newOffice(t *testing.T) *office {
	t.Helper()
	urls := dbtest.Fresh(t)
	o := &office{T: t, urls: urls, store: dbtest.Open(t, db.Options{URL: urls.App, MaxConns: 8})}
	var err error
	o.super, err = pgx.Connect(t.Context(), urls.Super)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.super.Close(context.WithoutCancel(t.Context())) }) //nolint:errcheck // it is the end
	o.blobs, err = blob.Open(t.Context(), "file://"+t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.blobs.Close() })
	c := config.Default()
	c.Auth.KeySecret = sample.KeySecret
	c.Mail = config.Mail{Mode: config.MailFolder, Folder: t.TempDir(), From: "assessd <a@example.org>"}
	o.Centre = New(o.store, o.blobs, c)
	return o
}

// matter is a tenant with a person, and one job to do.
type matter struct {
	operator db.Scope
	person   ids.ID
	job      compliance.Job
}

// before says what a job needs besides a person who took an exam; arguments what it is told.
var (
	before    = map[string]func(*office, matter){compliance.PrivacyPack: (*office).export, compliance.RetentionSweep: (*office).endLives}
	arguments = map[string]string{compliance.Restrict: `{"action":"place","kind":"legal","reason_code":"litigation"}`}
)

func (o *office) newMatter(kind compliance.Kind) matter {
	o.Helper()
	m := o.newPerson(kind)
	m.job = o.ask(m, kind)
	return m
}

// newPerson makes a person that a job of the kind can be about.
func (o *office) newPerson(kind compliance.Kind) matter {
	o.Helper()
	m := matter{operator: sample.Tenant(o.T, o.store)}
	m.operator.All = true
	var exam authoring.Snapshot
	sample.Write(o.T, o.store, m.operator, func(tx *db.Tx) error {
		_, err := policy.SetRetention(o.Context(), tx, policy.RetentionInput{Policies: []policy.Retention{{Domain: "submissions", Days: 30, Action: policy.Redact}}})
		exam = sample.Published(o.T, tx, authoring.Settings{}, sample.Choice("A"), scoring.Key{QType: scoring.Essay, Weight: 1, ContributesToScore: true})
		m.person = sample.User(o.T, tx, "candidate").ID
		return err
	})
	sample.Write(o.T, o.store, sample.As(m.operator, m.person, capability.SessionsTake), func(tx *db.Tx) error {
		sample.Submission(o.T, tx, session.NewDesk(), exam, `{"optionIds":["A"]}`, `{"text":"My name is Ada."}`)
		return nil
	})
	if prepare := before[kind.Type]; prepare != nil {
		prepare(o, m)
	}
	return m
}

func (o *office) ask(m matter, kind compliance.Kind) compliance.Job {
	o.Helper()
	var made compliance.Job
	sample.Write(o.T, o.store, m.operator, func(tx *db.Tx) error {
		var err error
		made, err = o.Create(o.Context(), tx, m.input(kind))
		return err
	})
	return made
}

func (m matter) input(kind compliance.Kind) compliance.Input {
	in := compliance.Input{Type: kind.Type}
	if kind.Subject {
		in.SubjectID = m.person
	}
	if told := arguments[kind.Type]; told != "" {
		in.Arguments = []byte(told)
	}
	return in
}

// export makes what a pack holds.
func (o *office) export(m matter) {
	o.Helper()
	at := slices.IndexFunc(o.Kinds, func(k compliance.Kind) bool { return k.Type == compliance.DSARExport })
	_, err := o.Work(o.Context(), m.operator.Tenant, o.ask(m, o.Kinds[at]).ID, nil)
	if err != nil {
		o.Fatal(err)
	}
}

func (o *office) endLives(m matter) {
	o.Helper()
	_, err := dbtest.Heap(o.T, o.urls).Exec(o.Context(), "update submissions set retain_until = now() - interval '1 day'")
	if err != nil {
		o.Fatal(err)
	}
}

// endSQL gives all that a job can leave of and about a person, in words that are the same for
// every person.
const endSQL = `
select format('%s named, %s restricted, held or erasing, %s open holds, %s org units, %s roles, %s texts, %s rows of %s',
	(select count(*) from users where tenant_id = $1 and id = $2 and name <> '' and email not like '%erased.invalid'),
	(select count(*) from users where tenant_id = $1 and id = $2 and (restricted or held or erasing)),
	(select count(*) from holds where tenant_id = $1 and lifted_at is null),
	(select count(*) from user_org_units where tenant_id = $1 and user_id = $2),
	(select count(*) from user_roles where tenant_id = $1 and user_id = $2),
	(select count(*) from submission_items where tenant_id = $1 and response ->> 'text' like '%Ada%'),
	(select count(*) from compliance_ledger where tenant_id = $1 and job_id = $3),
	(select string_agg(event_type, ', ' order by created_at, event_type) from compliance_ledger where tenant_id = $1 and job_id = $3))
	|| (select format(', %s steps', count(*)) from compliance_steps where tenant_id = $1 and job_id = $3)
	|| (select format(', %s sealed', count(*)) from compliance_jobs where tenant_id = $1 and sealed is not null)`

// end is what a job did, in words that are the same for everybody.
func (o *office) end(m matter, done compliance.Job) []string {
	o.Helper()
	var text string
	err := o.super.QueryRow(o.Context(), endSQL, m.operator.Tenant, m.person, m.job.ID).Scan(&text)
	if err != nil {
		o.Fatal(err)
	}
	all := []string{text, fmt.Sprintf("%s, partial %v", done.Status, done.Partial)}
	for _, table := range slices.Sorted(maps.Keys(done.Counts)) {
		all = append(all, fmt.Sprintf("%d of %s", done.Counts[table], table))
	}
	for _, file := range done.ArtifactRefs {
		all = append(all, file.Name)
	}
	return all
}

// broken does what a step does and is killed before that is written down.
func broken(kind compliance.Kind, number int, outside bool, killed error) compliance.Kind {
	kind.Steps = slices.Clone(kind.Steps)
	step := kind.Steps[number]
	if outside {
		kind.Steps[number].Outside = func(ctx context.Context, r *compliance.Run) error { return errors.Join(step.Outside(ctx, r), killed) }
		return kind
	}
	kind.Steps[number].Do = func(ctx context.Context, tx *db.Tx, r *compliance.Run) (bool, error) {
		if step.Do != nil {
			if _, err := step.Do(ctx, tx, r); err != nil {
				return false, err
			}
		}
		return false, killed
	}
	return kind
}

// leavesNothing checks that a job that is done at once, and killed meanwhile, leaves no job behind.
func (o *office) leavesNothing(breaking *compliance.Centre, kind compliance.Kind, killed error) {
	o.Helper()
	m := o.newPerson(kind)
	var jobs int
	err := o.store.Write(o.Context(), m.operator, func(tx *db.Tx) error {
		_, err := breaking.Create(o.Context(), tx, m.input(kind))
		return err
	})
	counted := o.super.QueryRow(o.Context(), "select count(*) from compliance_jobs where tenant_id = $1", m.operator.Tenant).Scan(&jobs)
	if !errors.Is(err, killed) || counted != nil || jobs != 0 {
		o.Errorf("%s: killed at once it left %d jobs: %v, %v", kind.Type, jobs, err, counted)
	}
}

// A job of any kind that is killed in any of its steps ends, when it runs again, as one that was never broken off.
func TestEveryKindOfJobGoesOnWhereverItWasKilled(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	if len(o.Kinds) != len(compliance.Types) {
		t.Fatalf("there are %d kinds of %d types", len(o.Kinds), len(compliance.Types))
	}
	killed := errors.New("killed")
	for _, kind := range o.Kinds {
		whole := o.newMatter(kind)
		done, err := o.Work(t.Context(), whole.operator.Tenant, whole.job.ID, nil)
		if err != nil {
			t.Fatalf("%s: %v", kind.Type, err)
		}
		want := o.end(whole, done)
		t.Log(kind.Type, want)
		for number, step := range kind.Steps {
			for _, outside := range []bool{true, false} {
				if outside && step.Outside == nil {
					continue
				}
				breaking := *o.Centre
				breaking.Kinds = []compliance.Kind{broken(kind, number, outside, killed)}
				if kind.AtOnce {
					o.leavesNothing(&breaking, kind, killed)
					continue
				}
				m := o.newMatter(kind)
				if _, err := breaking.Work(t.Context(), m.operator.Tenant, m.job.ID, nil); !errors.Is(err, killed) {
					t.Fatalf("%s, %s: %v", kind.Type, step.Name, err)
				}
				done, err := o.Work(t.Context(), m.operator.Tenant, m.job.ID, nil)
				if err != nil {
					t.Fatalf("%s, %s again: %v", kind.Type, step.Name, err)
				}
				if diff := cmp.Diff(want, o.end(m, done)); diff != "" {
					t.Errorf("%s, killed in %s (outside %v), ended otherwise: %s", kind.Type, step.Name, outside, diff)
				}
			}
		}
	}
}
