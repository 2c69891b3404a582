package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/translog"
)

const (
	// piece is how many entries of the ledger a transaction reads, and mostFacts after how many events it stops: little at a time, so
	// that candidates in an exam do not notice.
	piece     = 100
	mostFacts = 5
)

var isJob = func() map[string]bool {
	all := map[string]bool{}
	for _, t := range compliance.Types {
		all[t] = true
	}
	return all
}()

// entry is an event of the ledger.
type entry struct {
	Seq               int64
	ID                ids.ID
	OrgUnit           *ids.ID
	Type, SubjectType string
	Subject           ids.ID
	Payload           json.RawMessage
	OccurredAt        time.Time
	said              said
}

// said is what payloads tell.
type said struct {
	Batch        int64   `json:"batch"`
	Status       string  `json:"status"`
	Reason       string  `json:"reason"`
	ScoreVersion int     `json:"scoreVersion"`
	Score        string  `json:"score"`
	MaxScore     string  `json:"maxScore"`
	OutcomeCode  string  `json:"outcomeCode"`
	SnapshotHash string  `json:"snapshotHash"`
	EvaluationID *ids.ID `json:"evaluationId"`
	JobID        *ids.ID `json:"jobId"`
	TaskID       *ids.ID `json:"taskId"`
	WebhookID    *ids.ID `json:"webhookId"`
	Kind         string  `json:"kind"`
}

// fact is an event that endpoints are told of.
type fact struct {
	id       ids.ID
	kind, of string
	at       time.Time
	user     *ids.ID
	// only is the one endpoint that is told, whatever it subscribes to.
	only *ids.ID
	data Data
}

// identify gives a fact its id, which is the same whenever it is made of the same entry.
func (f *fact) identify(of ids.ID) {
	f.of = db.OrZero(subjectOf(f.data)).String()
	f.id = uuid.NewSHA1(of, []byte(f.kind+" "+f.of))
}

func subjectOf(d Data) *ids.ID {
	for _, id := range []*ids.ID{d.SubmissionID, d.JobID, d.TaskID, d.ImportID, d.AssignmentID, d.EvaluationID, d.UserID, d.WebhookID} {
		if id != nil {
			return id
		}
	}
	return nil
}

// Feed reads the ledger of a tenant on and writes what endpoints are to be told. It gives how many deliveries it wrote, and false once
// there is nothing more.
func Feed(ctx context.Context, tx *db.Tx) (told int, more bool, err error) {
	var seq, last int64
	err = tx.QueryRow(ctx, "select seq from webhook_cursors where tenant_id = $1 for update skip locked", tx.Tenant()).Scan(&seq)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, false, nil // somebody else reads
	}
	if err == nil {
		err = tx.QueryRow(ctx, "select last_seq from ledger_heads where tenant_id = $1", tx.Tenant()).Scan(&last)
	}
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return 0, false, fmt.Errorf("look how far the ledger is: %w", err)
	}
	all, err := listeners(ctx, tx)
	if err != nil {
		return 0, false, err
	}
	told, more, err = replay(ctx, tx, all)
	if err != nil || seq >= last {
		return told, more, err
	}
	to := last // where nobody listens there is nothing to read
	if len(all) > 0 {
		var facts []fact
		facts, to, err = factsOf(ctx, tx, seq, min(last, seq+piece))
		var made []ids.ID
		if err == nil {
			made, err = tell(ctx, tx, all, facts, false)
		}
		told += len(made)
	}
	if err == nil {
		_, err = tx.Exec(ctx, "update webhook_cursors set seq = $2 where tenant_id = $1", tx.Tenant(), to)
	}
	if err != nil {
		return 0, false, fmt.Errorf("read the ledger for webhooks: %w", err)
	}
	return told, more || to < last, nil
}

// replay reads a piece again for each endpoint that wants a replay.
func replay(ctx context.Context, tx *db.Tx, all []listener) (told int, more bool, err error) {
	for _, l := range all {
		if l.replayNext == nil || l.state != Active {
			continue
		}
		facts, to, err := factsOf(ctx, tx, *l.replayNext-1, min(*l.replayLast, *l.replayNext-1+piece))
		var made []ids.ID
		if err == nil {
			l.since = 0
			made, err = tell(ctx, tx, []listener{l}, facts, true)
		}
		if err == nil {
			next, last := new(to+1), l.replayLast
			if to >= *l.replayLast {
				next, last = nil, nil
			}
			_, err = tx.Exec(ctx, "update webhook_endpoints set replay_next = $3, replay_last = $4 where tenant_id = $1 and id = $2", tx.Tenant(), l.id, next, last)
		}
		if err != nil {
			return 0, false, fmt.Errorf("replay: %w", err)
		}
		told, more = told+len(made), more || to < *l.replayLast
	}
	return told, more, nil
}

// factsOf gives the facts of the entries behind one number up to another, and how far it came.
func factsOf(ctx context.Context, tx *db.Tx, behind, to int64) ([]fact, int64, error) {
	rows, err := tx.Query(ctx, `
		select seq, id, org_unit_id, event_type, subject_type, subject_id, payload, occurred_at
		from ledger_events where tenant_id = $1 and seq > $2 and seq <= $3 order by seq`, tx.Tenant(), behind, to)
	if err != nil {
		return nil, 0, fmt.Errorf("read the ledger: %w", err)
	}
	entries, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (entry, error) {
		var e entry
		err := row.Scan(&e.Seq, &e.ID, &e.OrgUnit, &e.Type, &e.SubjectType, &e.Subject, &e.Payload, &e.OccurredAt)
		if err == nil {
			// Payloads of other events may hold other things under these names; these say nothing then.
			_ = json.Unmarshal(e.Payload, &e.said)
		}
		return e, err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("read the ledger: %w", err)
	}
	c := collection{tx: tx}
	for _, e := range entries {
		err := c.add(ctx, e)
		if err != nil {
			return nil, 0, err
		}
		if len(c.facts) >= mostFacts {
			to = e.Seq
			break
		}
	}
	return c.facts, to, c.complete(ctx)
}

// collection gathers the facts of entries.
type collection struct {
	tx    *db.Tx
	facts []fact
}

func (c *collection) add(ctx context.Context, e entry) error {
	f := fact{kind: kindOf(e), at: e.OccurredAt, data: Data{Seq: e.Seq, TenantID: c.tx.Tenant(), OrgUnitID: e.OrgUnit}}
	switch {
	case e.Type == translog.BatchEvent:
		return c.addBatch(ctx, e)
	case e.Type == submission.VersionEvent:
		f.kind = map[string]string{models.ScoredByPerson: SubmissionScored, models.ScoreRemediationApplied: SubmissionCorrected,
			models.ScoreRemediationReverted: SubmissionCorrected}[e.said.Reason]
		f.data.SubmissionID, f.data.ScoreVersion, f.data.Outcome = &e.Subject, e.said.ScoreVersion, e.said.OutcomeCode
		f.data.Score, f.data.MaxScore = number(e.said.Score), number(e.said.MaxScore)
	case e.Type == "user.updated" && e.said.Status == models.UserDeactivated:
		f.kind, f.user, f.data.UserID = UserDeactivated, &e.Subject, &e.Subject
	case f.kind == SubmissionDecided, f.kind == SubmissionVoided:
		f.data.SubmissionID, f.data.ScoreVersion = &e.Subject, e.said.ScoreVersion
		if f.kind == SubmissionDecided {
			f.data.Decision = e.Type[len("submission."):]
		}
	case f.kind == EvaluationPublished:
		f.data.EvaluationID, f.data.SnapshotHash = &e.Subject, e.said.SnapshotHash
	case f.kind == AssignmentCreated:
		f.data.AssignmentID, f.data.EvaluationID = &e.Subject, e.said.EvaluationID
	case f.kind == RecipientTask:
		if e.said.WebhookID == nil {
			return nil // it is told by mail, or by hand
		}
		f.only, f.user, f.data.UserID, f.data.TaskID, f.data.What = e.said.WebhookID, &e.Subject, &e.Subject, e.said.TaskID, e.said.Kind
	case f.kind == ImportCompleted:
		f.data.ImportID, f.data.What = &e.Subject, e.Type[:len(e.Type)-len(".imported")]
	case f.kind == JobCompleted:
		f.data.JobID, f.data.What = e.said.JobID, e.Type[:len(e.Type)-len(".completed")]
		if e.SubjectType == "user" {
			f.user = &e.Subject
		}
	}
	if f.kind == "" {
		return nil
	}
	f.identify(e.ID)
	c.facts = append(c.facts, f)
	return nil
}

func number(text string) *float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil
	}
	return &n
}

// firstStatesSQL gives the states of a batch that are the first of their submissions: these were handed in.
const firstStatesSQL = `
select s.submission_id, s.state_hash from ledger_states s
cross join lateral (select exists (select from ledger_states e where e.tenant_id = $1 and e.submission_id = s.submission_id and e.batch < $2) as known offset 0) e
where s.tenant_id = $1 and s.batch = $2 and s.state_hash is not null and not e.known order by s.position`

// addBatch adds that submissions were handed in; complete says what else follows from it.
func (c *collection) addBatch(ctx context.Context, e entry) error {
	rows, err := c.tx.Query(ctx, firstStatesSQL, c.tx.Tenant(), e.said.Batch)
	if err != nil {
		return fmt.Errorf("read a batch of states: %w", err)
	}
	var id ids.ID
	var hash string
	_, err = pgx.ForEachRow(rows, []any{&id, &hash}, func() error {
		of := id
		f := fact{kind: SubmissionCompleted, at: e.OccurredAt, data: Data{Seq: e.Seq, TenantID: c.tx.Tenant(), SubmissionID: &of, StateHash: hash, ScoreVersion: 1}}
		f.identify(e.ID)
		c.facts = append(c.facts, f)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read a batch of states: %w", err)
	}
	return nil
}

// record is what the database has of a submission.
type record struct {
	ID, OrgUnit, Evaluation, User ids.ID
	Assignment                    *ids.ID
	CompletedAt                   time.Time
	Method, Outcome               string
	Score, MaxScore               float64
	Pending, ByPerson, Erased     bool
}

const recordsSQL = `
select s.id, s.org_unit_id, s.evaluation_id, s.user_id, s.assignment_id, s.completed_at, s.completion_method,
	s.outcome_code, s.score::float8, s.max_score::float8, s.pending, false,
	coalesce((select ` + people.IsErased + ` from users u where u.tenant_id = $1 and u.id = s.user_id), true)
from submissions s where s.tenant_id = $1 and s.id = any($2)`

// firstVersionsSQL gives what scores were at submit, where they changed since, and whether a person scored some of it.
const firstVersionsSQL = `
select submission_id, max(outcome_code) filter (where number = 1), max(score) filter (where number = 1)::float8,
	max(max_score) filter (where number = 1)::float8, bool_or(reason = 'scored_by_person')
from score_versions where tenant_id = $1 and submission_id = any($2) group by submission_id having bool_or(number = 1)`

// complete fills in what submissions say of themselves. Submissions that are gone, or belong to a person who is erased, are no longer told
// of, nor is it told that such a person was deactivated. A job about such a person is told of, and stored without them; so is the task of a
// recipient, which has to erase the person it knows by this id.
func (c *collection) complete(ctx context.Context) error {
	var wanted, persons []ids.ID
	for _, f := range c.facts {
		switch {
		case f.data.SubmissionID != nil:
			wanted = append(wanted, *f.data.SubmissionID)
		case f.user != nil:
			persons = append(persons, *f.user)
		}
	}
	records, err := recordsOf(ctx, c.tx, wanted)
	if err != nil {
		return err
	}
	erased, err := erasedOf(ctx, c.tx, persons)
	if err != nil {
		return err
	}
	var all []fact
	for _, f := range c.facts {
		if f.data.SubmissionID == nil {
			if f.user != nil && erased[*f.user] {
				f.user = nil
			}
			if f.user != nil || f.data.UserID == nil || f.kind == RecipientTask {
				all = append(all, f)
			}
			continue
		}
		r, there := records[*f.data.SubmissionID]
		if !there || r.Erased || f.kind == SubmissionScored && r.Pending {
			continue
		}
		f.user, f.data.UserID, f.data.OrgUnitID, f.data.EvaluationID, f.data.AssignmentID = &r.User, &r.User, &r.OrgUnit, &r.Evaluation, r.Assignment
		f.data.SessionID = f.data.SubmissionID
		if f.kind != SubmissionCompleted {
			all = append(all, f)
			continue
		}
		all = append(all, r.handedIn(f)...)
	}
	c.facts = all
	return nil
}

// erasedOf says who of some people is erased, or being erased.
func erasedOf(ctx context.Context, tx *db.Tx, of []ids.ID) (map[ids.ID]bool, error) {
	all := map[ids.ID]bool{}
	if len(of) == 0 {
		return all, nil
	}
	rows, err := tx.Query(ctx, "select u.id from users u where u.tenant_id = $1 and u.id = any($2) and "+people.IsErased, tx.Tenant(), of)
	if err != nil {
		return nil, fmt.Errorf("look who is erased: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	for _, id := range found {
		all[id] = true
	}
	if err != nil {
		return nil, fmt.Errorf("look who is erased: %w", err)
	}
	return all, nil
}

// handedIn gives what follows from a session that was handed in.
func (r record) handedIn(f fact) []fact {
	f.at = r.CompletedAt
	all := []fact{f}
	of := f.id
	if r.Method == models.CompletionAutoSubmitted {
		expired := f
		expired.kind, expired.data.StateHash, expired.data.ScoreVersion = SessionExpired, "", 0
		expired.identify(of)
		all = append(all, expired)
	}
	if !r.Pending && !r.ByPerson {
		scored := f
		scored.kind, scored.data.Score, scored.data.MaxScore, scored.data.Outcome = SubmissionScored, &r.Score, &r.MaxScore, r.Outcome
		scored.identify(of)
		all = append(all, scored)
	}
	return all
}

func recordsOf(ctx context.Context, tx *db.Tx, of []ids.ID) (map[ids.ID]record, error) {
	all := map[ids.ID]record{}
	if len(of) == 0 {
		return all, nil
	}
	rows, err := tx.Query(ctx, recordsSQL, tx.Tenant(), of)
	if err != nil {
		return nil, fmt.Errorf("read submissions: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[record])
	if err != nil {
		return nil, fmt.Errorf("read submissions: %w", err)
	}
	for _, r := range found {
		all[r.ID] = r
	}
	rows, err = tx.Query(ctx, firstVersionsSQL, tx.Tenant(), of)
	if err != nil {
		return nil, fmt.Errorf("read first versions of scores: %w", err)
	}
	var id ids.ID
	var outcome string
	var score, most float64
	var byPerson bool
	_, err = pgx.ForEachRow(rows, []any{&id, &outcome, &score, &most, &byPerson}, func() error {
		r := all[id]
		r.Outcome, r.Score, r.MaxScore, r.ByPerson = outcome, score, most, byPerson
		all[id] = r
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read first versions of scores: %w", err)
	}
	return all, nil
}

// listener is an endpoint as the feed sees it.
type listener struct {
	id                     ids.ID
	org                    *ids.ID
	events                 []string
	scores                 bool
	state, maker           string
	since                  int64
	replayNext, replayLast *int64
}

// hears says whether an endpoint is told of a fact.
func (l listener) hears(f fact) bool {
	if f.only != nil {
		return *f.only == l.id && f.data.Seq > l.since
	}
	return f.data.Seq > l.since && slices.Contains(l.events, f.kind) && (l.org == nil || f.data.OrgUnitID != nil && *f.data.OrgUnitID == *l.org)
}

// listeners gives the endpoints that are not disabled. Scores are only for endpoints whose maker may still see them there.
func listeners(ctx context.Context, tx *db.Tx) ([]listener, error) {
	rows, err := tx.Query(ctx, `
		select id, org_unit_id, events, with_scores, state, created_by, since_seq, replay_next, replay_last
		from webhook_endpoints where tenant_id = $1 and state <> 'disabled' order by id`, tx.Tenant())
	if err != nil {
		return nil, fmt.Errorf("look for endpoints: %w", err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (listener, error) {
		var l listener
		err := row.Scan(&l.id, &l.org, &l.events, &l.scores, &l.state, &l.maker, &l.since, &l.replayNext, &l.replayLast)
		return l, err
	})
	if err != nil {
		return nil, fmt.Errorf("look for endpoints: %w", err)
	}
	for i, l := range all {
		if l.scores {
			all[i].scores, err = maySee(ctx, tx, l)
			if err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// maySee says whether the maker of an endpoint may see the scores that the endpoint hears of.
// Operators may.
func maySee(ctx context.Context, tx *db.Tx, l listener) (bool, error) {
	user, isUser := makerOf(l.maker)
	if !isUser {
		return true, nil
	}
	var may bool
	err := tx.QueryRow(ctx, `
		select exists (select from users u where u.tenant_id = $1 and u.id = $2 and u.status = 'active')
			and exists (select from user_roles r join role_capabilities c on c.tenant_id = r.tenant_id and c.role_id = r.role_id
				where r.tenant_id = $1 and r.user_id = $2 and c.capability = $3)
			and (exists (select from user_roles r join role_capabilities c on c.tenant_id = r.tenant_id and c.role_id = r.role_id
				where r.tenant_id = $1 and r.user_id = $2 and c.capability = $4)
			or exists (select from user_org_units m where m.tenant_id = $1 and m.user_id = $2 and m.org_unit_id = $5))`,
		tx.Tenant(), user, capability.ReportingView, capability.ScopeAll, l.org).Scan(&may)
	if err != nil {
		return false, fmt.Errorf("look what the maker of an endpoint may see: %w", err)
	}
	return may, nil
}

// makerOf gives the user who made an endpoint; false for an operator.
func makerOf(actor string) (ids.ID, bool) {
	const user = "user:"
	if len(actor) < len(user) || actor[:len(user)] != user {
		return ids.None, false
	}
	id, err := ids.Parse("", actor[len(user):])
	return id, err == nil
}

// tellSQL writes deliveries. If a delivery is there already, an endpoint that requests a replay gets another call.
const tellSQL = `
insert into webhook_deliveries (tenant_id, id, endpoint_id, event_id, event_type, seq, subject, user_id, body, occurred_at, next_at, created_at)
select $1, id, endpoint, event, kind, seq, subject, person, body, at, $2, $2
from unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::bigint[], $8::text[], $9::uuid[], $10::text[], $11::timestamptz[])
	as d (id, endpoint, event, kind, seq, subject, person, body, at)
on conflict (tenant_id, endpoint_id, event_id) do `

const (
	tellOnceSQL  = tellSQL + "nothing"
	tellAgainSQL = tellSQL + `update set state = 'due', attempts = 0, next_at = excluded.next_at, ended_at = null where webhook_deliveries.state <> 'due'`
)

// tell writes what endpoints are to be told of facts, and gives the ids of the deliveries that are new.
func tell(ctx context.Context, tx *db.Tx, all []listener, facts []fact, again bool) ([]ids.ID, error) {
	var made, endpoints, events []ids.ID
	var kinds, subjects, bodies []string
	var seqs []int64
	var persons []*ids.ID
	var times []time.Time
	for _, f := range facts {
		plain, full, err := f.bodies()
		if err != nil {
			return nil, err
		}
		for _, l := range all {
			if !l.hears(f) {
				continue
			}
			body := plain
			if l.scores {
				body = full
			}
			made, endpoints, events, persons = append(made, ids.New()), append(endpoints, l.id), append(events, f.id), append(persons, f.user)
			kinds, subjects, bodies = append(kinds, f.kind), append(subjects, f.of), append(bodies, body)
			seqs, times = append(seqs, f.data.Seq), append(times, f.at)
		}
	}
	if len(made) == 0 {
		return nil, nil
	}
	sql := tellOnceSQL
	if again {
		sql = tellAgainSQL
	}
	_, err := tx.Exec(ctx, sql, tx.Tenant(), tx.Now(), made, endpoints, events, kinds, seqs, subjects, persons, bodies, times)
	if err != nil {
		return nil, fmt.Errorf("write deliveries: %w", err)
	}
	return made, nil
}

// bodies gives the body without scores and with them.
func (f fact) bodies() (plain, full string, err error) {
	m := Message{Type: f.kind, Timestamp: f.at.UTC(), Data: f.data.without()}
	a, err := json.Marshal(m)
	if err != nil {
		return "", "", fmt.Errorf("encode %s: %w", f.kind, err)
	}
	m.Data = f.data
	b, err := json.Marshal(m)
	return string(a), string(b), err
}
