package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
	"assess/pkg/trust/translog"
)

// eventsSQL writes events as publishing questions does. $1 tenant, $2 events.
const eventsSQL = `
with head as (
	update ledger_heads set last_seq = last_seq + $2 where tenant_id = $1 returning last_seq - $2 as before
)
insert into ledger_events (tenant_id, seq, id, event_type, actor, subject_type, subject_id, request_id, payload, occurred_at)
select $1, before + n, gen_random_uuid(), 'question.published', 'user:' || gen_random_uuid(), 'question', gen_random_uuid(),
	gen_random_uuid()::text, jsonb_build_object('number', n, 'versionId', gen_random_uuid(), 'contentHash', encode(sha256(n::text::bytea), 'hex')),
	timestamptz '2026-01-01 08:00Z' + n * interval '1 second'
from head, generate_series(1, $2::bigint) n`

// measureLedger sequences a ledger of many events, verifies it with the database and offline, and
// proves events of it and of one with a tenth of them.
func measureLedger(ctx context.Context, h *house) ([]result, error) {
	few, _, err := h.sequenced(ctx, "small-ledger", h.size.events/10)
	if err != nil {
		return nil, err
	}
	many, rate, err := h.sequenced(ctx, "large-ledger", h.size.events)
	if err != nil {
		return nil, err
	}
	all := []result{{Name: fmt.Sprintf("events sequenced, of %d", h.size.events), Unit: "events/s", Value: rate, AtLeast: 20_000}}
	verified, err := h.verifyLedger(ctx, many)
	if err != nil {
		return nil, err
	}
	proved, err := h.prove(ctx, few, many)
	if err != nil {
		return nil, err
	}
	states, err := h.verifyStates(ctx)
	return append(append(append(all, verified...), proved...), states...), err
}

// verifyStates sequences many submissions and verifies them with the database, and compares with a
// tenth of them.
func (h *house) verifyStates(ctx context.Context) ([]result, error) {
	var took []float64
	for _, n := range []int{h.size.many / 10, h.size.many} {
		e, err := writeExam(ctx, h.store, h.authority, fmt.Sprintf("states-%d", n), 1)
		if err == nil {
			err = e.load(ctx, h.super, n, n/attemptsOfOne, remediatedDays)
		}
		if err == nil {
			_, err = h.super.Exec(ctx, `insert into ledger_states_due (tenant_id, submission_id)
				select tenant_id, id from submissions where tenant_id = $1 order by id`, uuid(e.operator.Tenant))
		}
		if err == nil {
			err = h.calm(ctx, "submissions", "submission_items")
		}
		logs := translog.Service{Store: h.store, Secret: auth().KeySecret, Origin: "bench"}
		if err == nil {
			_, err = logs.Sequence(ctx, e.operator.Tenant)
		}
		start := time.Now()
		var r translog.Report
		if err == nil {
			err = h.store.Report(ctx, e.operator, func(tx *db.Tx) error {
				var err error
				r, err = translog.Verify(ctx, tx, translog.VerifyInput{})
				return err
			})
		}
		if err == nil && (!r.Sound() || r.Submissions != int64(n)) {
			err = fmt.Errorf("of %d submissions %d were verified: %+v", n, r.Submissions, r.Findings)
		}
		if err != nil {
			return nil, err
		}
		took = append(took, time.Since(start).Seconds())
	}
	return []result{{Name: fmt.Sprintf("%d submissions of %d answers, verified with the database, and a tenth of them", h.size.many, items), Unit: "s", Value: took[1],
		Beside: took[0], AtMost: 300 * float64(h.size.many) / 1_000_000}}, nil
}

// sequenced makes a tenant with a ledger, and gives how many events a second were added to its log.
func (h *house) sequenced(ctx context.Context, name string, events int) (db.Scope, float64, error) {
	operator := db.Scope{Tenant: ids.New(), All: true, Actor: db.Actor{Kind: db.OperatorActor, Name: "bench"}}
	err := h.store.Write(ctx, operator, func(tx *db.Tx) error {
		_, err := people.CreateTenant(ctx, tx, people.TenantInput{Slug: name, Name: "Bench " + name})
		return err
	})
	if err == nil {
		_, err = h.super.Exec(ctx, eventsSQL, uuid(operator.Tenant), events)
	}
	if err != nil {
		return operator, 0, fmt.Errorf("write a ledger: %w", err)
	}
	err = h.calm(ctx, "ledger_events")
	if err != nil {
		return operator, 0, err
	}
	logs := translog.Service{Store: h.store, Secret: auth().KeySecret, Origin: "bench"}
	start := time.Now()
	done, err := logs.Sequence(ctx, operator.Tenant)
	return operator, float64(done.Events) / time.Since(start).Seconds(), err
}

func (h *house) verifyLedger(ctx context.Context, scope db.Scope) ([]result, error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a folder too many does no harm
	path := filepath.Join(dir, "ledger.ndjson")
	exported := func() error {
		file, err := os.Create(path)
		if err != nil {
			return err
		}
		defer file.Close() //nolint:errcheck // the verification would miss what is not there
		return h.store.Report(ctx, scope, func(tx *db.Tx) error {
			_, err := translog.Export(ctx, tx, file, nil)
			return err
		})
	}
	var r translog.Report
	with := func() error {
		return h.store.Report(ctx, scope, func(tx *db.Tx) error {
			var err error
			r, err = translog.Verify(ctx, tx, translog.VerifyInput{})
			return err
		})
	}
	without := func() error {
		var err error
		r, err = translog.VerifyFile(translog.FileInput{Path: path})
		return err
	}
	var all []result
	for _, one := range []struct {
		name string
		most float64
		do   func() error
	}{{"verified with the database", 30, with}, {"exported", 0, exported}, {"verified offline", 30, without}} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		start := time.Now()
		err := one.do()
		took := time.Since(start).Seconds()
		runtime.ReadMemStats(&after)
		if err == nil && !r.Sound() {
			err = fmt.Errorf("found %+v", r.Findings)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", one.name, err)
		}
		all = append(all, result{Name: fmt.Sprintf("%d events, %s", h.size.events, one.name), Unit: "s", Value: took,
			AtMost: one.most * float64(h.size.events) / 1_000_000,
			Note:   fmt.Sprintf("%d MiB of memory beside what was there", int64(after.Sys-before.Sys)>>20)})
	}
	return all, nil
}

// prove proves events of a large log and of a small one in turns.
func (h *house) prove(ctx context.Context, few, many db.Scope) ([]result, error) {
	var t times
	for i := range inventoryReads + warmUp {
		for _, one := range []struct {
			scope  db.Scope
			events int
			into   *[]float64
		}{{few, h.size.events / 10, &t.few}, {many, h.size.events, &t.many}} {
			start := time.Now()
			err := h.store.Read(ctx, one.scope, func(tx *db.Tx) error {
				_, err := translog.EventProof(ctx, tx, int64(i*7919%one.events)+1)
				return err
			})
			if err != nil {
				return nil, err
			}
			if i >= warmUp {
				*one.into = append(*one.into, float64(time.Since(start).Microseconds())/1000)
			}
		}
	}
	var all []result
	for name, at := range map[string]float64{"p50": 0.5, "p95": 0.95} {
		all = append(all, result{Name: fmt.Sprintf("proof of an event, of %d and of %d, %s", h.size.events, h.size.events/10, name), Unit: "ms",
			Value: quantile(t.many, at), Beside: quantile(t.few, at)})
	}
	return all, nil
}
