package reporting

import (
	"context"
	"fmt"
	"time"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// settle narrows the org units to the ones with attempts, nearly always one, and widens one version
// to all versions with attempts if the caller wants all versions.
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

// peopleKind is a way to count people; There is the condition that a person was there on a day of
// report_evaluation_takers d.
type peopleKind struct{ Name, There string }

var peopleKinds = []peopleKind{{"user", ""}, {"invited", " and d.invited_n > 0"}, {"completed", " and d.invited_completed_n > 0"}}

// countPeople counts different people. Within one org unit the people of whole days are a sum, which
// includes days that are mostly in the period. Otherwise the same person may be in several sums, and
// people are looked at one by one.
func (q summaryQuery) countPeople(ctx context.Context, tx *db.Tx, all tallied) error {
	text := q.text(tx)
	text.Stretches = text.days(len(q.orgs) == 1)
	if len(q.orgs) == 1 {
		text.sumDays()
	}
	var key string
	var users, started, completed int64
	return text.read(ctx, tx, "people.sql", []any{&key, &users, &started, &completed}, func() {
		c := all.at(key)
		c.users, c.inviteesStarted, c.inviteesCompleted = users, started, completed
	})
}

// sumDays makes one sum of the whole days and the days at the edges that are mostly in the period.
func (t *summaryText) sumDays() {
	var edges []stretch
	for _, s := range t.Stretches {
		if s.Counted {
			t.Between, t.Sum = &s, &s
			continue
		}
		edges = append(edges, s)
		if s.Sign != "" {
			t.Sum = joined(t.Sum, s.OfDay())
		}
	}
	t.Stretches = edges
}

// joined adds to some days the day before or after them.
func joined(days *stretch, day stretch) *stretch {
	switch {
	case days == nil:
	case days.From != nil && days.From.Equal(*day.To):
		day.To = days.To
	default:
		day.From = days.From
	}
	return &day
}

// countAssignments reads how the evaluation is assigned. Assignments belong to all of its versions,
// since an assigned person takes the one that is published then, and to all times.
func (q summaryQuery) countAssignments(ctx context.Context, tx *db.Tx, all tallied) error {
	var key string
	var users, emails, groups, links, invitees int64
	return q.text(tx).read(ctx, tx, "assignments.sql", []any{&key, &users, &emails, &groups, &links, &invitees}, func() {
		c := all.at(key)
		c.invitees = invitees
		c.targets = map[string]int64{models.TargetUser: users, models.TargetEmail: emails, models.TargetGroup: groups, models.TargetPublicLink: links}
	})
}

// readMedians finds the exact medians of the durations, the mean of the two in the middle
// where the number is even. They are counted in bands at all times, or by week and day.
func (q summaryQuery) readMedians(ctx context.Context, tx *db.Tx, all tallied) error {
	text := q.text(tx)
	text.Stretches = []stretch{{summaryText: text, Counted: true}}
	if q.from != nil || q.to != nil {
		text.Stretches = text.divided(q.period(), []time.Duration{projection.Week, projection.Day})
	}
	var key string
	var median float64
	return text.read(ctx, tx, "medians.sql", []any{&key, &median}, func() { all.at(key).medianMs = new(median) })
}
