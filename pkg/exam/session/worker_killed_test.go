package session_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/dev/await"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/assignment"
	"assess/pkg/exam/inventory"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/pgdev"
	"assess/pkg/people/people"
	"assess/pkg/report/projection"
)

// taker saves answers to one item after the other, and notes what was acknowledged and what was refused.
type taker struct {
	scope    db.Scope
	operator db.Scope
	node     string
	snapshot authoring.Snapshot
	session  ids.ID
	late     db.Scope // comes while the worker is away
	proctor  db.Scope
	acked    map[ids.ID]int64
	saves    atomic.Int64
	refusals map[errs.Code]int
	odd      []error
}

func newTaker(t *testing.T, store *db.Store, super *pgx.Conn, desk *session.Desk) *taker {
	t.Helper()
	operator := sample.Tenant(t, store)
	k := &taker{operator: operator, acked: map[ids.ID]int64{}, refusals: map[errs.Code]int{}}
	k.proctor = sample.As(operator, ids.New(), capability.SessionsProctor)
	sample.Write(t, store, operator, func(tx *db.Tx) error {
		k.snapshot = sample.Published(t, tx, authoring.Settings{TimeLimitSeconds: ptr(3600)}, sample.Choice("A"), sample.Choice("A"), sample.Choice("A"))
		k.scope = sample.As(operator, sample.User(t, tx).ID, capability.SessionsTake)
		k.late = sample.As(operator, sample.User(t, tx).ID, capability.SessionsTake)
		return nil
	})
	sample.Write(t, store, k.scope, func(tx *db.Tx) error {
		k.session = sample.Session(t, tx, desk, k.snapshot.EvaluationID).ID
		return nil
	})
	err := super.QueryRow(t.Context(), "select nodename from citus_shards where shardid = get_shard_id_for_distribution_column('sessions', $1::uuid)", k.scope.Tenant).Scan(&k.node)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func (k *taker) take(ctx context.Context, store *db.Store, desk *session.Desk, over *atomic.Bool) {
	items := k.snapshot.Sections[0].Items
	for n := int64(1); !over.Load(); n++ {
		item := items[n%int64(len(items))].ItemID
		err := store.WriteShort(ctx, k.scope, func(tx *db.Tx) error {
			_, err := desk.Save(ctx, tx, session.SaveInput{EvaluationID: k.snapshot.EvaluationID, SessionID: k.session,
				Answers: []session.Answer{answer(item, n, fmt.Sprintf(`{"optionIds":[%q]}`, "AB"[n%2:n%2+1]))}})
			return err
		})
		var known *errs.Error
		switch {
		case err == nil:
			k.acked[item] = n
			k.saves.Add(1)
			continue
		case errors.As(err, &known) && known.RetryAfter > 0:
			k.refusals[known.Code]++
		default:
			k.odd = append(k.odd, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// A worker dies while candidates of tenants on both save, and comes back. Candidates on the other one notice nothing and
// take whole exams meanwhile, while authors, managers and the projector go on; candidates on the dead one are told to come
// again. Every acknowledged answer is there, and saving goes on without anybody's help.
func TestAWorkerThatIsKilledLosesNoAcknowledgedAnswer(t *testing.T) {
	t.Parallel()
	own, urls := dbtest.OwnCluster(t)
	store := dbtest.Open(t, db.Options{URL: urls.App, MaxConns: 12, LockTimeout: 2 * time.Second})
	super, err := pgx.Connect(t.Context(), urls.Super)
	if err != nil {
		t.Fatal(err)
	}
	defer super.Close(context.Background()) //nolint:errcheck // nothing hangs on it
	desk := session.NewDesk()
	var takers []*taker
	on := map[string]int{}
	for len(on) < 2 || len(takers) < 6 {
		k := newTaker(t, store, super, desk)
		takers = append(takers, k)
		on[k.node]++
	}
	victim := takers[0].node
	var over atomic.Bool
	var all sync.WaitGroup
	for _, k := range takers {
		all.Go(func() { k.take(t.Context(), store, desk, &over) })
	}
	further(t, takers, func(*taker) bool { return true })
	node := named(t, own, victim)
	if err := node.Kill(); err != nil {
		t.Fatal(err)
	}
	further(t, takers, func(k *taker) bool { return k.node != victim })
	for _, k := range takers {
		if k.node != victim {
			k.wholly(t, store, desk)
			k.around(t, store, desk)
		}
	}
	if err := node.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	further(t, takers, func(*taker) bool { return true })
	over.Store(true)
	all.Wait()
	refusals := map[errs.Code]int{}
	for _, k := range takers {
		for _, err := range k.odd {
			t.Errorf("a save was answered with %v", err)
		}
		if k.node != victim && len(k.refusals) > 0 {
			t.Errorf("a tenant of the other worker was refused: %v", k.refusals)
		}
		if k.node == victim {
			maps.Copy(refusals, k.refusals)
		}
		k.verify(t, store)
	}
	if len(refusals) == 0 {
		t.Error("nobody noticed that the worker was away")
	}
	t.Logf("tenants by worker %v, refusals %v", on, refusals)
}

// wholly takes the evaluation from start to submit, with more time from the proctor, and again until the proctor closes it.
func (k *taker) wholly(t *testing.T, store *db.Store, desk *session.Desk) {
	t.Helper()
	var open session.Session
	evaluation := k.snapshot.EvaluationID
	step := func(as db.Scope, run func(tx *db.Tx) error) { t.Helper(); sample.Write(t, store, as, run) }
	start := func(tx *db.Tx) (err error) {
		open, err = desk.Start(t.Context(), tx, session.StartInput{EvaluationID: evaluation})
		return err
	}
	step(k.late, start)
	step(k.late, func(tx *db.Tx) error {
		_, err := desk.Save(t.Context(), tx, session.SaveInput{EvaluationID: evaluation, SessionID: open.ID, Answers: sample.Answers(k.snapshot, `{"optionIds":["A"]}`)})
		return err
	})
	step(k.late, func(tx *db.Tx) error {
		_, err := desk.RecordEvents(t.Context(), tx, session.EventsInput{EvaluationID: evaluation, SessionID: open.ID, Events: []session.Event{{Type: "focus_lost"}}})
		return err
	})
	step(k.proctor, func(tx *db.Tx) error {
		_, err := desk.Extend(t.Context(), tx, session.ExtendInput{EvaluationID: evaluation, SessionID: open.ID, ExtraTimeSeconds: 60, Reason: "a node is away"})
		return err
	})
	step(k.late, func(tx *db.Tx) error {
		_, err := desk.Submit(t.Context(), tx, session.SubmitInput{EvaluationID: evaluation, SessionID: open.ID})
		return err
	})
	step(k.late, start)
	step(k.proctor, func(tx *db.Tx) error {
		_, err := desk.Close(t.Context(), tx, session.CloseInput{EvaluationID: evaluation, SessionID: open.ID, Reason: "a node is away"})
		return err
	})
}

// around is the work of others on exams: it makes content and people, hands an evaluation out, withdraws it, archives it
// while somebody takes it, and projects everything that happened.
func (k *taker) around(t *testing.T, store *db.Store, desk *session.Desk) {
	t.Helper()
	var evaluation, person, handedOut ids.ID
	var open session.Session
	step := func(as db.Scope, run func(tx *db.Tx) error) { t.Helper(); sample.Write(t, store, as, run) }
	step(k.operator, func(tx *db.Tx) error {
		_, err := people.CreateGroup(t.Context(), tx, people.GroupInput{Name: "Cohort", MembershipRule: &people.Rule{All: []people.Condition{{Key: "cohort", Op: "exists"}}}})
		return err
	})
	step(k.operator, func(tx *db.Tx) error {
		sample.Term(t, tx, "topic", "fractions")
		evaluation = sample.Evaluation(t, tx, sample.Question(t, tx, "A").ID).ID
		user, err := people.CreateUser(t.Context(), tx, people.UserInput{Email: "new@example.test", Metadata: map[string]any{"cohort": "2031"}})
		if err != nil {
			return err
		}
		person = user.ID
		made, err := assignment.Create(t.Context(), tx, assignment.CreateInput{Terms: assignment.Terms{EvaluationID: evaluation},
			Type: models.TargetUser, Ref: person.String()})
		if err == nil {
			handedOut = made.ID
		}
		return err
	})
	step(sample.As(k.operator, person, capability.SessionsTake), func(tx *db.Tx) (err error) {
		open, err = desk.Start(t.Context(), tx, session.StartInput{EvaluationID: evaluation, AssignmentID: &handedOut})
		return err
	})
	step(k.operator, func(tx *db.Tx) error {
		withdrawn, _, err := assignment.Withdraw(t.Context(), tx, person, ids.None)
		if withdrawn != 1 {
			t.Errorf("%d assignments were withdrawn", withdrawn)
		}
		return err
	})
	step(k.operator, func(tx *db.Tx) error {
		closed, err := inventory.ArchiveEvaluations(t.Context(), tx, []ids.ID{evaluation})
		if closed != 1 {
			t.Errorf("%d sessions were closed", closed)
		}
		return err
	})
	projected := 0
	for n := 1; n > 0; projected += n {
		step(k.operator, func(tx *db.Tx) (err error) {
			n, err = projection.ProjectBatch(t.Context(), tx, 100)
			return err
		})
	}
	var entered, shown bool
	step(k.operator, func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), `
			select exists (select from group_members where tenant_id = $1 and user_id = $2),
				exists (select from report_session_starts where tenant_id = $1 and session_id = $3 and state = 'closed')`,
			tx.Tenant(), person, open.ID).Scan(&entered, &shown)
	})
	if projected == 0 || !entered || !shown {
		t.Errorf("%d rows were projected; the person entered their group: %t; the closed session is shown: %t", projected, entered, shown)
	}
}

// further waits until each of these takers has saved more.
func further(t *testing.T, takers []*taker, which func(*taker) bool) {
	t.Helper()
	const more = 20
	for _, k := range takers {
		if !which(k) {
			continue
		}
		before := k.saves.Load()
		await.Until(t, "more saves go through", func() bool { return k.saves.Load() >= before+more })
	}
}

func named(t *testing.T, of *pgdev.Cluster, host string) *pgdev.Server {
	t.Helper()
	for _, node := range of.Nodes {
		config, err := pgx.ParseConfig(node.SuperURL("postgres"))
		if err == nil && config.Host == host {
			return node
		}
	}
	t.Fatalf("no node is %s", host)
	return nil
}

// verify compares the acknowledged answers with the database.
func (k *taker) verify(t *testing.T, store *db.Store) {
	t.Helper()
	var revision int64
	err := store.Read(t.Context(), k.scope, func(tx *db.Tx) error {
		for item, want := range k.acked {
			var got int64
			err := tx.QueryRow(t.Context(), "select sequence from session_answers where tenant_id = $1 and session_id = $2 and item_id = $3",
				tx.Tenant(), k.session, item).Scan(&got)
			if err != nil {
				return err
			}
			if got < want {
				t.Errorf("answer %d was acknowledged, and %d is there", want, got)
			}
		}
		return tx.QueryRow(t.Context(), "select revision from sessions where tenant_id = $1 and id = $2", tx.Tenant(), k.session).Scan(&revision)
	})
	if err != nil || revision < k.saves.Load() {
		t.Errorf("%d saves were acknowledged, and the session counts %d (%v)", k.saves.Load(), revision, err)
	}
}
