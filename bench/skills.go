package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

const (
	// late are the submissions that are projected with and without rules, in batches in turns; alone is
	// how many are projected one by one.
	late, alone = 3 * projection.BatchSize, 60
	// peopleAtOnce is how many people an overview adds up.
	peopleAtOnce = 100_000
	// skillAttempts are the submissions of a person.
	skillAttempts = 5
)

//go:embed skills.sql
var writeRulesSQL string

const (
	skillPeopleSQL = `
		insert into users (tenant_id, id, email, email_key, name, created_at, updated_at)
		select distinct on (user_id) tenant_id, user_id, user_id || '@example.com', user_id || '@example.com', 'Somebody', now(), now()
		from submissions where tenant_id = $1 on conflict do nothing`
	// keepBackSQL keeps the newest submissions out of the reports for a while.
	keepBackSQL = `
		update submissions set status = $2 where (tenant_id, id) in (
			select tenant_id, id from submissions where tenant_id = $1 order by id desc limit $3)`
	queueLateSQL = `
		insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at)
		select tenant_id, 'submission', id, now() from submissions where tenant_id = $1 order by id desc limit $2`
	handFactsSQL = `
		insert into hand_skill_facts
		select f.tenant_id, f.org_unit_id, f.submission_id, f.submission_item_id, m.rule_id, m.skill_id, f.user_id, f.question_version_id,
			f.completed_at, least(greatest(f.score_awarded / f.max_score, 0), 1), m.weight, m.term_id
		from report_item_attempts_flat f
		join report_skill_matches m on m.tenant_id = f.tenant_id and m.evaluation_version_id = f.evaluation_version_id
			and m.question_version_id = f.question_version_id
		where f.tenant_id = $1 and f.score_status = 'SCORED' and f.max_score > 0`
	// crowdSQL gives people figures as the projector does, all of the same skills.
	crowdSQL = `
		insert into report_skill_rollups (tenant_id, org_unit_id, user_id, skill_id, value, facts_n, submissions_n, first_at, last_at,
			strategy, earned, weight, newest_submission_id, newest_earned, newest_weight)
		select $1, $2, u.id, t.skill_id, u.n % 101 / 100.0, 1, 1, now(), now(), t.strategy, 1, 1, u.id, 1, 1
		from (select gen_random_uuid() as id, n from generate_series(1, $3::int) n) u
		cross join report_skill_targets t where t.tenant_id = $1`
	markCrowdSQL = `
		insert into report_skill_stale (tenant_id, org_unit_id, skill_id, revision, marked_at)
		select $1, $2, skill_id, 1, now() from report_skill_targets where tenant_id = $1 on conflict do nothing`
)

var skillReadings = []reading{
	{"profile of a person's skills", 20, false, nil, func(e *exam) string { return "/users/" + e.profiled.String() + "/skills-profile" }},
	{fmt.Sprintf("overview of the skills of %d people", peopleAtOnce), 100, false, nil, func(*exam) string { return "/skills/overview" }},
}

// measureSkills makes all facts and figures of skills from the item attempts of a tenant, and compares this with one
// statement that writes the facts; projects the same submissions with rules and without; and reads profiles and overviews
// of as many people where there are ten times the attempts.
func measureSkills(ctx context.Context, h *house) ([]result, error) {
	few, err := h.writeSkilled(ctx, "few-skills", h.size.skilled/10)
	if err != nil {
		return nil, err
	}
	many, err := h.writeSkilled(ctx, "many-skills", h.size.skilled)
	if err != nil {
		return nil, err
	}
	recalculated, err := h.contestFacts(ctx, &many)
	if err != nil {
		return nil, err
	}
	_, err = h.recalculate(ctx, &few)
	if err != nil {
		return nil, err
	}
	projected, err := h.projectLate(ctx, &many)
	if err != nil {
		return nil, err
	}
	for _, e := range []*exam{&few, &many} {
		err = h.countCrowd(ctx, e)
		if err != nil {
			return nil, err
		}
	}
	read, err := h.read(ctx, skillReadings, &few, &many)
	return append(append(recalculated, projected...), read...), err
}

// writeSkilled makes a tenant with n submissions and some newer ones that no report shows yet, and with rules
// that nobody has applied.
func (h *house) writeSkilled(ctx context.Context, name string, n int) (exam, error) {
	e, err := writeExam(ctx, h.store, h.authority, name, 1)
	if err != nil {
		return e, err
	}
	err = h.fill(ctx, &e, n+late, n/skillAttempts)
	if err != nil {
		return e, err
	}
	err = h.store.Write(ctx, e.operator, func(tx *db.Tx) error {
		_, e.analyst, err = e.enrol(ctx, tx, h.authority, "head", "named_analyst")
		return err
	})
	if err != nil {
		return e, err
	}
	for _, step := range []struct {
		sql  string
		args []any
	}{
		{skillPeopleSQL, nil}, {keepBackSQL, []any{"voided", late}},
	} {
		_, err = h.super.Exec(ctx, step.sql, append([]any{uuid(e.operator.Tenant)}, step.args...)...)
		if err != nil {
			return e, err
		}
	}
	err = projection.Rebuild(ctx, h.store, e.operator.Tenant, nil)
	if err != nil {
		return e, err
	}
	_, questions := e.columns()
	_, err = h.super.Exec(ctx, writeRulesSQL, uuid(e.operator.Tenant), uuid(ids.New()), uuids(questions))
	if err != nil {
		return e, err
	}
	err = h.super.QueryRow(ctx, "select user_id from report_submissions where tenant_id = $1 limit 1", uuid(e.operator.Tenant)).Scan(&e.profiled)
	if err != nil {
		return e, err
	}
	return e, h.calm(ctx, projection.Tables...)
}

// contestFacts recalculates and writes the facts by hand in turns. A recalculation first takes out what the one
// before it wrote.
func (h *house) contestFacts(ctx context.Context, e *exam) ([]result, error) {
	var first, again, byHand []float64
	for round := range 3 {
		spent, err := h.recalculate(ctx, e)
		if err != nil {
			return nil, err
		}
		facts, took, err := h.factsByHand(ctx, e)
		if err != nil {
			return nil, err
		}
		rate := float64(facts) / spent.Seconds()
		byHand = append(byHand, float64(facts)/took.Seconds())
		if round == 0 {
			first = append(first, rate)
		} else {
			again = append(again, rate)
		}
	}
	what := fmt.Sprintf("%d item attempts and 500 rules: recalculation of facts and figures, beside the facts alone", h.size.skilled*items)
	return []result{compared(what, "facts/s", first, byHand[:1], 0.5),
		compared(what+", once more", "facts/s", again, byHand[1:], 0)}, nil
}

// recalculate applies the rules and makes all facts and figures, as a worker does, and says how long that took.
func (h *house) recalculate(ctx context.Context, e *exam) (time.Duration, error) {
	var job projection.Job
	err := h.store.Write(ctx, e.operator, func(tx *db.Tx) error {
		var err error
		job, err = projection.QueueRecalculation(ctx, tx, projection.RecalculateInput{})
		return err
	})
	if err != nil {
		return 0, err
	}
	return took(func() error {
		for state := ""; state != models.ReportJobCompleted; {
			done, err := projection.RunPiece(ctx, h.store, e.operator.Tenant, job.ID)
			if err != nil {
				return err
			}
			state = done.State
		}
		return nil
	})
}

// factsByHand writes the facts of a tenant into an empty table that is like theirs.
func (h *house) factsByHand(ctx context.Context, e *exam) (facts int64, spent time.Duration, err error) {
	_, err = h.super.Exec(ctx, "drop table if exists hand_skill_facts; create table hand_skill_facts (like report_skill_facts including all)")
	if err != nil {
		return 0, 0, err
	}
	spent, err = took(func() error {
		done, err := h.super.Exec(ctx, handFactsSQL, uuid(e.operator.Tenant))
		facts = done.RowsAffected()
		return err
	})
	return facts, spent, err
}

// projectLate projects the submissions that were kept back, with the rules and like a tenant that has none, and takes
// that back each time.
func (h *house) projectLate(ctx context.Context, e *exam) ([]result, error) {
	_, err := h.super.Exec(ctx, keepBackSQL, uuid(e.operator.Tenant), "completed", late)
	if err != nil {
		return nil, err
	}
	var all []result
	for _, kind := range []struct {
		what            string
		batch, n, turns int
	}{{"in batches", projection.BatchSize, late, 5}, {"one by one", 1, alone, 5}} {
		spent := map[bool][]float64{}
		for turn := range 2 * (kind.turns + 1) {
			mapped := turn%2 == 0
			ms, err := h.projectAgain(ctx, e, kind.batch, kind.n, mapped)
			if err != nil {
				return nil, err
			}
			if turn > 1 {
				spent[mapped] = append(spent[mapped], ms/float64(kind.n))
			}
		}
		all = append(all, result{Name: fmt.Sprintf("projection of a submission %s with 500 rules, beside none", kind.what), Unit: "ms",
			Value: median(spent[true]), Beside: median(spent[false]), Ratio: ratio(spent[true], spent[false]), AtMost: 1.2})
	}
	return all, nil
}

// projectAgain projects n of the submissions in batches and says how many ms it took.
func (h *house) projectAgain(ctx context.Context, e *exam, batch, n int, mapped bool) (float64, error) {
	_, err := h.super.Exec(ctx, queueLateSQL, uuid(e.operator.Tenant), n)
	if err != nil {
		return 0, err
	}
	var spent time.Duration
	err = h.store.Write(ctx, db.System(e.operator.Tenant, "bench"), func(tx *db.Tx) error {
		if !mapped {
			_, err := tx.Exec(ctx, "delete from report_skill_targets where tenant_id = $1", tx.Tenant())
			if err != nil {
				return err
			}
		}
		var err error
		spent, err = took(func() error {
			for taken := 1; taken > 0; {
				var err error
				taken, err = projection.ProjectBatch(ctx, tx, batch)
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		return errUndo
	})
	if !errors.Is(err, errUndo) {
		return 0, err
	}
	_, err = h.super.Exec(ctx, "truncate projection_outbox")
	return float64(spent.Microseconds()) / 1000, err
}

// countCrowd gives very many other people figures of the same skills, and derives the overview.
func (h *house) countCrowd(ctx context.Context, e *exam) error {
	for _, sql := range []string{crowdSQL, markCrowdSQL} {
		args := []any{uuid(e.operator.Tenant), uuid(e.operator.OrgUnit)}
		if sql == crowdSQL {
			args = append(args, peopleAtOnce)
		}
		_, err := h.super.Exec(ctx, sql, args...)
		if err != nil {
			return err
		}
	}
	_, err := projection.RecomputeAllSkills(ctx, h.store, e.operator.Tenant)
	return err
}
