package projection

import (
	"context"
	"testing"

	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// peopleSQL compares the people of periods of whole days, of versions and of evaluations, in all cuts and of all kinds: the
// sum of links with a count of different users in the records. The periods begin and end on each $2nd day with attempts.
const peopleSQL = `
with attempts as (
	select s.evaluation_version_id, s.evaluation_id, s.user_id, coalesce(s.run_label, '') as run, case when a.target_type = 'group_id' then a.target_ref::uuid end as grp,
		coalesce(a.target_type = 'user_id', false) as invited, coalesce(m.status = 'completed', false) as completed,
		(coalesce(m.completed_at, s.started_at) at time zone 'UTC')::date as day
	from sessions s
	left join submissions m on m.tenant_id = s.tenant_id and m.id = s.id
	left join assignments a on a.tenant_id = s.tenant_id and a.id = s.assignment_id
	where s.tenant_id = $1
), bounds as (
	select day from (select day, row_number() over (order by day) as place from (select day from attempts union select max(day) + 1 from attempts) d) d
	where place % $2 = 0
), asked as (
	select a.day as first, b.day as last from bounds a join bounds b on a.day < b.day
), counted as (
	select subject, c.cut, c.run, c.grp, k.kind, first, last, count(distinct user_id) as n
	from asked, attempts t, lateral (values (evaluation_version_id), (evaluation_id)) s (subject),
		lateral (values ('all', '', ` + noGroup + `), ('run', t.run, ` + noGroup + `), ('group', '', t.grp), ('run_group', t.run, t.grp)) c (cut, run, grp),
		lateral (values ('user', true), ('invited', t.invited), ('completed', t.invited and t.completed)) k (kind, holds)
	where c.grp is not null and k.holds and t.day >= first and t.day < last
	group by 1, 2, 3, 4, 5, 6, 7
), linked as (
	select subject_id as subject, cut, run_label as run, group_id as grp, kind, first, last, sum(n) as n
	from report_evaluation_people d join asked on d.before < first and d.day >= first and d.day < last
	where d.tenant_id = $1
	group by 1, 2, 3, 4, 5, 6, 7
)
select count(*), count(*) filter (where c.n is distinct from l.n)
from counted c full join linked l using (subject, cut, run, grp, kind, first, last)`

// comparePeople gives the number of sums, and how many of them are wrong.
func comparePeople(t *testing.T, w *world, step int) (sums, wrong int) {
	t.Helper()
	w.write(t, func(ctx context.Context, tx *db.Tx) error {
		return tx.QueryRow(ctx, peopleSQL, w.tenant, step).Scan(&sums, &wrong)
	})
	return sums, wrong
}

// Somebody who comes again and again counts once in any period, in whatever order their attempts
// were projected and after one of them moved to another day.
func TestPeopleOfAnyDaysAreASum(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newStore(t, dbtest.Clone(t)))
	all := submitted(t, w, 24)
	compare := func() {
		t.Helper()
		if sums, wrong := comparePeople(t, w, 1); sums < 100 || wrong > 0 {
			t.Errorf("%d of %d sums are another number of people", wrong, sums)
		}
	}
	// Days that are projected later come between the days that are there.
	for _, sql := range []string{
		"update projection_outbox set not_before = now() + interval '1 year' where tenant_id = $1 and id % 3 = 0",
		"update projection_outbox set not_before = null where tenant_id = $1"} {
		w.write(t, func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.Exec(ctx, sql, w.tenant)
			return err
		})
		w.drain(t, 5)
	}
	compare()
	w.write(t, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, "update submissions set completed_at = later_by(completed_at, 3 * 86400) where tenant_id = $1 and id = $2", w.tenant, all[7].id)
		if err == nil {
			_, err = tx.Exec(ctx, "insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at) values ($1, 'submission', $2, now())", w.tenant, all[7].id)
		}
		return err
	})
	w.drain(t, 5)
	compare()
	if r := w.verify(t); r.Differences != 0 {
		t.Errorf("the tables differ from a rebuild: %+v", r)
	}
}

// Batches with different versions of an evaluation take turns, because the same person may be in
// both: the later batch sees the days of the earlier one.
func TestVersionsOfAnEvaluationTakeTurns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newStore(t, dbtest.Clone(t)))
	for i, v := range w.versions[:2] {
		w.write(t, func(ctx context.Context, tx *db.Tx) error {
			return w.start(ctx, tx, attempt{id: ids.New(), version: v, user: w.users[0], startedAt: epoch.AddDate(0, 0, i)})
		})
	}
	project := func(ctx context.Context, tx *db.Tx) error {
		n, err := ProjectBatch(ctx, tx, 1)
		if n != 1 {
			t.Errorf("a batch took %d rows", n)
		}
		return err
	}
	var other <-chan error
	w.write(t, func(ctx context.Context, tx *db.Tx) error {
		err := project(ctx, tx)
		other = sample.Blocked(t, tx, func() error {
			return w.store.Write(ctx, db.System(w.tenant, "test"), func(tx *db.Tx) error { return project(ctx, tx) })
		})
		return err
	})
	if err := <-other; err != nil {
		t.Fatal(err)
	}
	if sums, wrong := comparePeople(t, w, 1); sums == 0 || wrong > 0 {
		t.Errorf("%d of %d sums are another number of people", wrong, sums)
	}
	if r := w.verify(t); r.Differences != 0 {
		t.Errorf("the tables differ from a rebuild: %+v", r)
	}
}
