package apptest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/apptest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/remediation"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
	"assess/pkg/people/access"
	"assess/pkg/report/projection"
)

// service makes the calls of a history: over HTTP what people ask, by hand what jobs and the
// clock do.
type service struct {
	*apptest.App
	desk  *session.Desk
	exams map[string]authoring.Snapshot
	// tokens are the tokens of candidates and of the staff.
	tokens map[string]string

	mu sync.Mutex
	// ids are the ids of the people and of the things that calls made, by the names of the
	// calls; bodies are the answers to calls with a key.
	ids    map[string]ids.ID
	bodies map[string]string
}

var candidates = []string{"ann", "bob"}

// newService makes a tenant with two exams of the same paper, one of them with a time limit.
func newService(t *testing.T, app *apptest.App) *service {
	s := &service{App: app.NewTenant(t), desk: session.NewDesk(), exams: map[string]authoring.Snapshot{}, tokens: map[string]string{},
		ids: map[string]ids.ID{}, bodies: map[string]string{}}
	sample.Write(t, s.Store, s.Scope, func(tx *db.Tx) error {
		half, hour := 50.0, 3600
		settings := authoring.Settings{PassMarkPercent: &half, ScoringConfig: scoring.Config{NegativeMarking: 0.25}}
		s.exams["untimed"] = sample.Published(t, tx, settings, keys()...)
		settings.TimeLimitSeconds = &hour
		s.exams["timed"] = sample.Published(t, tx, settings, keys()...)
		for who, roles := range map[string][]string{"ann": {capability.Candidate}, "bob": {capability.Candidate}, "staff": {capability.OrgAdmin}} {
			user := sample.User(t, tx, roles...)
			token, err := s.Authority.IssueToken(t.Context(), tx, user.ID, s.OrgUnit)
			if err != nil {
				return err
			}
			s.tokens[who], s.ids[who] = token.Token, user.ID
		}
		return nil
	})
	return s
}

// keys are the keys of the paper.
func keys() []scoring.Key {
	var all []scoring.Key
	for _, q := range paper {
		k := scoring.Key{QType: scoring.QType(q.qtype), Weight: q.weight, ContributesToScore: !q.survey}
		switch q.qtype {
		case "mcq":
			k.Options = sample.Choice(q.right).Options
		case "mrq":
			k.Options, k.Method = sample.Choice("B", "C").Options, scoring.Partial
		case "short_text":
			k.Accepted = []string{q.right}
		case "numeric":
			k.Value, k.Tolerance = 10.25, 0.25
		}
		all = append(all, k)
	}
	return all
}

// items are the ids of the items of each exam.
func (s *service) items() map[string][]string {
	all := map[string][]string{}
	for exam, snapshot := range s.exams {
		for _, item := range snapshot.Sections[0].Items {
			all[exam] = append(all[exam], item.ItemID.String())
		}
	}
	return all
}

// place gives the place of an item on the paper.
func (s *service) place(exam string, item ids.ID) int {
	for i, one := range s.exams[exam].Sections[0].Items {
		if one.ItemID == item {
			return i
		}
	}
	return -1
}

// do makes a call.
func (s *service) do(ctx context.Context, c call, owner string) answer {
	var err error
	switch c.kind {
	case "overrun":
		err = s.later(ctx, c, "deadline_at = case when deadline_at is not null then $3::timestamptz end", time.Now().Add(-time.Minute))
	case "rest":
		err = s.later(ctx, c, "last_activity_at = later_by(last_activity_at, -108000)")
	case "expire":
		err = session.NewExpireWorker(s.Store, s.desk).Work(ctx, nil)
	case "abandon":
		err = (&session.AbandonWorker{Store: s.Store, After: 24 * time.Hour}).Work(ctx, nil)
	case "project":
		err = s.Store.Write(ctx, db.System(s.Tenant, "test"), func(tx *db.Tx) error {
			_, err := projection.ProjectBatch(ctx, tx, 3)
			return err
		})
	case "work":
		var done remediation.Remediation
		done, err = remediation.Run(ctx, s.Store, s.Tenant, s.id(c.remedy), nil)
		if err == nil {
			return s.facts(c, reply{State: done.State, Changed: done.Changed})
		}
	default:
		method, path, body := s.request(c)
		return s.ask(ctx, c, method, path, s.token(c, owner), body)
	}
	if err != nil {
		return refuse(err.Error())
	}
	return answer{}
}

// later moves an open session into the past, as if the clock had gone on.
func (s *service) later(ctx context.Context, c call, change string, more ...any) error {
	return s.Store.Write(ctx, s.Scope, func(tx *db.Tx) error {
		id := s.id(c.session)
		moved, err := tx.Exec(ctx, "update sessions set started_at = later_by(started_at, -108000), "+change+
			" where tenant_id = $1 and id = $2 and state = 'open'", append([]any{tx.Tenant(), id}, more...)...)
		if err == nil && moved > 0 {
			_, err = tx.Exec(ctx, "insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at) values ($1, 'session', $2, $3)",
				tx.Tenant(), id, tx.Now())
		}
		return err
	})
}

func (s *service) id(name string) ids.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ids[name]
}

// token gives the token of the person who makes a call.
func (s *service) token(c call, owner string) string {
	switch {
	case c.kind == "start":
		return s.tokens[c.by]
	case c.by == "owner":
		return s.tokens[owner]
	case c.by == "stranger" && owner == "ann":
		return s.tokens["bob"]
	case c.by == "stranger":
		return s.tokens["ann"]
	}
	return s.tokens["staff"]
}

// ask sends a request and reads the answer.
func (s *service) ask(ctx context.Context, c call, method, path, token string, body any) answer {
	var sent []byte
	if body != nil {
		var err error
		sent, err = json.Marshal(body)
		if err != nil {
			return refuse(err.Error())
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, s.URL+"/api/v1"+path, bytes.NewReader(sent))
	if err != nil {
		return refuse(err.Error())
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	if c.key != "" {
		req.Header.Set("Idempotency-Key", c.key)
	}
	if c.kind == "void" {
		proof, err := s.proof(ctx)
		if err != nil {
			return refuse(err.Error())
		}
		req.Header.Set("X-Step-Up-Proof", proof)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return refuse(err.Error())
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		return refuse(err.Error())
	}
	a, err := s.read(c, res.StatusCode, got)
	if err != nil {
		return refuse(fmt.Sprintf("%d %s: %v", res.StatusCode, got, err))
	}
	a.replayed = res.Header.Get("Idempotency-Replayed") == "true"
	return a
}

func (s *service) proof(ctx context.Context) (string, error) {
	var proof access.Proof
	staff := s.id("staff")
	err := s.Store.Write(ctx, s.Scope, func(tx *db.Tx) (err error) {
		proof, err = s.Authority.IssueProof(ctx, tx, staff, access.ByMagicLink)
		return err
	})
	return proof.ID.String(), err
}

var errOther = errors.New("another answer under the same key")

// read makes an answer from the response. A response kept under a key has to come back the same, byte for byte.
func (s *service) read(c call, status int, body []byte) (answer, error) {
	var r reply
	err := json.Unmarshal(body, &r)
	if err != nil {
		return answer{}, err
	}
	if status >= 300 {
		return answer{code: r.Code, message: r.Message}, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.key != "" {
		before, known := s.bodies[c.key]
		if known && before != string(body) {
			return answer{}, fmt.Errorf("%w: %s", errOther, before)
		}
		s.bodies[c.key] = string(body)
	}
	return s.facts(c, r), nil
}
