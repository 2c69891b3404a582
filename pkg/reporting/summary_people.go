package reporting

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/db"
	"assess/pkg/ids"
)

// settle narrows the org units to those with attempts, which is one nearly always, and
// widens one version to all those with attempts where that is asked for.
func (q *summaryQuery) settle(ctx context.Context, tx *db.Tx, allVersions bool) error {
	var orgs, versions []ids.ID
	err := tx.QueryRow(ctx, `
		select array_agg(distinct org_unit_id), array_agg(distinct evaluation_version_id) from report_evaluation_rollup
		where tenant_id = $1 and org_unit_id = any($2) and evaluation_id = $3 and cut = 'all' and ($4 or evaluation_version_id = any($5))`,
		tx.Tenant(), q.orgs, q.evaluation, allVersions, q.versions).Scan(&orgs, &versions)
	if err != nil {
		return fmt.Errorf("find attempts: %w", err)
	}
	if len(orgs) > 0 {
		q.orgs, q.versions = orgs, versions
	}
	return nil
}

// countPeople counts different people. They are counted already for one version in one org
// unit at all times; otherwise they are counted from the starts, in the order of the users,
// by an index that holds all that it takes.
func (q summaryQuery) countPeople(ctx context.Context, tx *db.Tx, all tallied) error {
	var s statement
	sql := q.peopleSQL(&s, tx, all)
	rows, err := tx.Query(ctx, sql, s.args...)
	if err != nil {
		return fmt.Errorf("count people: %w", err)
	}
	var key string
	var users, started, completed int64
	_, err = pgx.ForEachRow(rows, []any{&key, &users, &started, &completed}, func() error {
		c := all.at(key)
		c.users, c.inviteesStarted, c.inviteesCompleted = users, started, completed
		return nil
	})
	if err != nil {
		return fmt.Errorf("count people: %w", err)
	}
	return nil
}

// peopleSQL asks for invited people only where everybody is invited: nothing else needs them.
func (q summaryQuery) peopleSQL(s *statement, tx *db.Tx, all tallied) string {
	if q.from == nil && q.to == nil && len(q.orgs) == 1 && len(q.versions) == 1 {
		return "select " + q.key("d") + `, unique_users_n, invitees_started_n, invitees_completed_n
			from report_evaluation_rollup d where ` + q.ofCut(s, tx)
	}
	counted, columns := "0::bigint, 0::bigint", "distinct"
	if all.anyFull() {
		counted, columns = "count(*) filter (where invited), count(*) filter (where done)", ""
	}
	where := q.ofRows(s, tx, "attempt_at", q.period()) + " and r.evaluation_id = " + s.arg(q.evaluation)
	if columns != "" {
		return "select key, count(*), " + counted + " from (select distinct " + q.key("r") + " as key, r.user_id from report_session_starts r where " +
			where + ") u group by key"
	}
	return "select key, count(*), " + counted + " from (select " + q.key("r") + ` as key, r.user_id, bool_or(r.is_invited) as invited,
		bool_or(r.is_invited and r.is_completed) as done from report_session_starts r where ` + where + " group by 1, 2) u group by key"
}

func (all tallied) anyFull() bool {
	for _, c := range all {
		if c.accessPoints().Coverage() == Full {
			return true
		}
	}
	return false
}

// countAssignments reads how the evaluation is assigned. Assignments belong to all of its
// versions, since whoever is assigned takes the one that is published then, and to all times.
func (q summaryQuery) countAssignments(ctx context.Context, tx *db.Tx, all tallied) error {
	var s statement
	rows, err := tx.Query(ctx, "select "+q.key("a")+`, sum(user_id_n)::bigint, sum(email_n)::bigint, sum(group_id_n)::bigint,
			sum(public_link_n)::bigint, sum(invitees_n)::bigint
		from report_access_points a where `+q.ofAssignments(&s, tx)+" group by 1", s.args...)
	if err != nil {
		return fmt.Errorf("count assignments: %w", err)
	}
	var key string
	var users, emails, groups, links, invitees int64
	_, err = pgx.ForEachRow(rows, []any{&key, &users, &emails, &groups, &links, &invitees}, func() error {
		c := all.at(key)
		c.invitees = invitees
		c.targets = map[string]int64{models.TargetUser: users, models.TargetEmail: emails, models.TargetGroup: groups, models.TargetPublicLink: links}
		return nil
	})
	if err != nil {
		return fmt.Errorf("count assignments: %w", err)
	}
	return nil
}

// ofAssignments is the condition on access points, table a.
func (q summaryQuery) ofAssignments(s *statement, tx *db.Tx) string {
	where := "a.tenant_id = " + s.arg(tx.Tenant()) + " and " + among(s, "a.org_unit_id", q.orgs) + " and a.evaluation_id = " + s.arg(q.evaluation) +
		" and a.cut = " + s.arg(q.cut())
	if q.runs != nil {
		where += " and " + among(s, "a.run_label", q.runs)
	}
	if q.groups != nil {
		where += " and " + among(s, "a.group_id", q.groups)
	}
	return where
}
