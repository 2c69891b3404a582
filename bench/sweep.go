package main

import (
	"context"
	"fmt"
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/people/policy"
	"assess/pkg/trust/compliance"
)

// sweepGoal bounds the p95 of saves during a sweep, as a multiple of the p95 without one.
const sweepGoal = 2

// measureSweep times saves of candidates without a sweep, and while one deletes submissions whose time is over.
func measureSweep(ctx context.Context, h *house) ([]result, error) {
	office, closeOffice, err := h.office(ctx)
	if err != nil {
		return nil, err
	}
	defer closeOffice()
	job, err := h.expire(ctx, office)
	if err != nil {
		return nil, err
	}
	server, err := h.startServer(ctx, false)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	r := &hall{h: h}
	r.sessions, err = h.openSessions(ctx, 50)
	if err != nil {
		return nil, err
	}
	_, err = r.timed(server.wires[0]) // caches are warm from here on
	if err != nil {
		return nil, err
	}
	quiet, err := r.timed(server.wires[0])
	if err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	start := time.Now()
	go func() {
		done, err := office.Work(ctx, job.tenant.Tenant, job.ID, nil)
		if err == nil && (done.Status != "completed" || done.Partial || done.Counts["submissions"] != int64(h.size.expired)) {
			err = fmt.Errorf("the sweep ended %s: %v", done.Status, done.Counts)
		}
		ended <- err
	}()
	var beside []float64
	for swept := false; !swept; {
		took, err := r.timed(server.wires[0])
		if err != nil {
			return nil, err
		}
		beside = append(beside, took...)
		select {
		case err := <-ended:
			if err != nil {
				return nil, err
			}
			swept = true
		default:
		}
	}
	rate := float64(h.size.expired) / time.Since(start).Seconds()
	p95, usual := quantile(beside, 0.95), quantile(quiet, 0.95)
	return []result{{Name: fmt.Sprintf("save of one answer while a sweep deletes %d submissions, p95", h.size.expired), Unit: "ms", Value: p95, Beside: usual,
		Ratio: p95 / usual, AtMost: sweepGoal, Note: fmt.Sprintf("%.0f submissions a second were deleted meanwhile, with their 20 answers each", rate)}}, nil
}

type sweepJob struct {
	compliance.Job
	tenant db.Scope
}

// expire loads submissions whose time is over, and requests a sweep.
func (h *house) expire(ctx context.Context, office *compliance.Centre) (sweepJob, error) {
	e, err := writeExam(ctx, h.store, h.authority, "sweep", 1)
	if err != nil {
		return sweepJob{}, err
	}
	err = h.store.Write(ctx, e.operator, func(tx *db.Tx) error {
		_, err := policy.SetRetention(ctx, tx, policy.RetentionInput{Policies: []policy.Retention{{Domain: "submissions", Days: 30, Action: policy.Delete}}})
		return err
	})
	if err == nil {
		err = e.load(ctx, h.super, h.size.expired, h.size.expired/attemptsOfOne, remediatedDays)
	}
	if err != nil {
		return sweepJob{}, err
	}
	_, err = h.super.Exec(ctx, `update submissions s set retain_until = now() - interval '1 day', retention_basis = 'policy:' || p.id
		from retention_policies p where p.tenant_id = $1 and p.domain = 'submissions' and s.tenant_id = $1`, uuid(e.operator.Tenant))
	if err == nil {
		_, err = h.super.Exec(ctx, "vacuum analyze")
	}
	if err != nil {
		return sweepJob{}, err
	}
	job, err := ordered(ctx, office, e.operator, compliance.Input{Type: compliance.RetentionSweep})
	return sweepJob{job, e.operator}, err
}
