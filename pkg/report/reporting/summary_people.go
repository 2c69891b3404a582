package reporting

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// settle narrows the org units to those with attempts, which is one nearly always, and
// widens one version to all those with attempts where that is asked for.
func (q *summaryQuery) settle(ctx context.Context, tx *db.Tx) error {
	var orgs, versions []ids.ID
	err := tx.QueryRow(ctx, `
		select array_agg(distinct org_unit_id), array_agg(distinct evaluation_version_id) from report_evaluation_rollup
		where tenant_id = $1 and org_unit_id = any($2) and evaluation_id = $3 and cut = 'all' and ($4 or evaluation_version_id = any($5))`,
		tx.Tenant(), q.orgs, q.evaluation, q.allVersions, q.versions).Scan(&orgs, &versions)
	if err != nil {
		return fmt.Errorf("find attempts: %w", err)
	}
	if len(orgs) > 0 {
		q.orgs, q.versions = orgs, versions
	}
	return nil
}

// countPeople counts different people.
func (q summaryQuery) countPeople(ctx context.Context, tx *db.Tx, all tallied) error {
	var s statement
	sql := q.peopleSQL(&s, tx)
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

// peopleSQL counts the people of whole days and of the edges of the period. Within one org unit
// those of days are a sum, a day that is mostly in the period among them; of those who are in one of
// sum and edges alone, only who was not there on the days between is counted, or taken off: an
// index alone says that. Otherwise the same person may be in several sums, and people are looked at
// one by one.
func (q summaryQuery) peopleSQL(s *statement, tx *db.Tx) string {
	days, none, edges := q.period().Pieces()
	oneUnit := len(q.orgs) == 1
	var people, counts []string
	sum, unsummed := days, none
	for _, edge := range edges {
		at, inside, summed := edge, "true", "false"
		if _, smaller := edge.Outside(); smaller && oneUnit {
			at = edge.Day()
			inside, summed = "true"+within(s, "r.attempt_at", edge), "true"
			sum, unsummed = joined(sum, at, unsummed), false
		}
		people = append(people, "select "+q.key("r")+", r.user_id, r.is_invited, r.is_invited and r.is_completed, "+inside+", "+summed+
			" from "+q.rows(s, tx, "report_session_starts", "attempt_at", at))
	}
	if !none && !oneUnit {
		people = append(people, "select "+q.key("d")+", d.user_id, d.invited_n > 0, d.invited_completed_n > 0, true, false from report_evaluation_takers d where "+
			q.ofTakers(s, tx, days))
	}
	if !unsummed && oneUnit {
		counts = append(counts, q.firstsSQL(s, tx, sum))
	}
	if len(people) > 0 {
		counted := func(kind, condition string) string {
			where := "inside_" + kind + " <> summed_" + kind
			if !none && oneUnit {
				where += " and (select true from report_evaluation_takers d where " + q.ofTakers(s, tx, days) + " and d.user_id = p.user_id" +
					q.same("d", "p.key") + condition + " limit 1) is null"
			}
			return "sum(inside_" + kind + "::int - summed_" + kind + "::int) filter (where " + where + ")"
		}
		counts = append(counts, "select key, "+counted("user", "")+", "+counted("invited", " and d.invited_n > 0")+", "+
			counted("completed", " and d.invited_completed_n > 0")+`
		from (select key, user_id, bool_or(inside) as inside_user, bool_or(summed) as summed_user,
				bool_or(inside and invited) as inside_invited, bool_or(summed and invited) as summed_invited,
				bool_or(inside and completed) as inside_completed, bool_or(summed and completed) as summed_completed
			from (`+strings.Join(people, "\nunion all\n")+`) r (key, user_id, invited, completed, inside, summed) group by 1, 2 offset 0) p
		group by 1`)
	}
	return "select key::text, coalesce(sum(users), 0)::bigint, coalesce(sum(invited), 0)::bigint, coalesce(sum(completed), 0)::bigint from (" + strings.Join(counts, "\nunion all\n") +
		") c (key, users, invited, completed) group by 1"
}

// joined is a period with the day before or after it; the day alone where there is none.
func joined(p, day projection.Period, none bool) projection.Period {
	switch {
	case none:
		return day
	case p.From != nil && p.From.Equal(*day.To):
		p.From = day.From
	default:
		p.To = day.To
	}
	return p
}

// firstsSQL counts each person on the first day of theirs that is in the period.
func (q summaryQuery) firstsSQL(s *statement, tx *db.Tx, days projection.Period) string {
	first, subject := "= '-infinity'", q.versions[0]
	if days.From != nil {
		first = "< " + s.arg(*days.From)
	}
	if q.allVersions {
		subject = q.evaluation
	}
	return "select " + q.key("d") + ` as key, sum(d.n) filter (where d.kind = 'user') as users, sum(d.n) filter (where d.kind = 'invited') as invited,
			sum(d.n) filter (where d.kind = 'completed') as completed
		from report_evaluation_people d where d.tenant_id = ` + s.arg(tx.Tenant()) + " and d.org_unit_id = " + s.arg(q.orgs[0]) +
		" and d.subject_id = " + s.arg(subject) + " and d.cut = " + s.arg(q.cut()) + q.narrowed(s, "d") +
		" and d.before " + first + within(s, "d.day", days) + " group by 1"
}

// ofTakers is the condition on takers, table d.
func (q summaryQuery) ofTakers(s *statement, tx *db.Tx, days projection.Period) string {
	where := "d.tenant_id = " + s.arg(tx.Tenant()) + " and " + among(s, "d.org_unit_id", q.orgs) + " and d.evaluation_id = " + s.arg(q.evaluation)
	if !q.allVersions {
		where += " and d.evaluation_version_id = " + s.arg(q.versions[0])
	}
	return where + q.narrowed(s, "d") + within(s, "d.day", days)
}

// narrowed is a condition on runs and groups in table t, where there is one.
func (q summaryQuery) narrowed(s *statement, t string) string {
	where := ""
	if q.runs != nil {
		where += " and " + among(s, t+".run_label", q.runs)
	}
	if q.groups != nil {
		where += " and " + among(s, t+".group_id", q.groups)
	}
	return where
}

// same is a condition that a row of table t has the key, where keys are kept apart.
func (q summaryQuery) same(t, key string) string {
	switch q.by {
	case byRun:
		return " and " + t + ".run_label = " + key
	case byGroup:
		return " and " + t + ".group_id = " + key
	}
	return ""
}

// countAssignments reads how the evaluation is assigned. Assignments belong to all of its
// versions, since whoever is assigned takes the one that is published then, and to all times.
func (q summaryQuery) countAssignments(ctx context.Context, tx *db.Tx, all tallied) error {
	var s statement
	rows, err := tx.Query(ctx, "select "+q.key("a")+`::text, sum(user_id_n)::bigint, sum(email_n)::bigint, sum(group_id_n)::bigint,
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
	return "a.tenant_id = " + s.arg(tx.Tenant()) + " and " + among(s, "a.org_unit_id", q.orgs) + " and a.evaluation_id = " + s.arg(q.evaluation) +
		" and a.cut = " + s.arg(q.cut()) + q.narrowed(s, "a")
}
