package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// maxLookback is how many earlier attempts of a person avoidSeen looks at, the newest.
const maxLookback = 100

// worn is what an exposure policy needs to know about questions: which ones the person has seen,
// and in how many sessions each was drawn.
type worn struct {
	seen  map[ids.ID]bool
	drawn map[ids.ID]int
	most  int
}

// spare draws for a session under the exposure policy and gives the drawn items; nil where only the
// seed decides. It costs statements of its own, which only evaluations with such a policy pay.
func (d *Desk) spare(ctx context.Context, tx *db.Tx, f *form, s models.Session) ([]ids.ID, error) {
	policy := f.settings.ExposurePolicy
	if !f.draws() || !policy.AvoidSeen && policy.MaxExposurePerQuestion == nil {
		return nil, nil
	}
	var w worn
	var err error
	if policy.AvoidSeen {
		w.seen, err = d.seen(ctx, tx, s)
		if err != nil {
			return nil, err
		}
	}
	if policy.MaxExposurePerQuestion != nil {
		w.most = *policy.MaxExposurePerQuestion
		w.drawn, err = lockExposures(ctx, tx, s.EvaluationID)
		if err != nil {
			return nil, err
		}
	}
	items, questions := f.spared(s.Seed, w)
	if w.drawn != nil {
		err = countExposures(ctx, tx, s, questions)
	}
	return items, err
}

// draws says whether any section draws.
func (f *form) draws() bool {
	return slices.ContainsFunc(f.sections, func(s formSection) bool { return s.draws })
}

// spared gives what every draw of the form chooses: items, and their questions.
func (f *form) spared(seed int64, w worn) ([]ids.ID, []ids.ID) {
	items, questions := []ids.ID{}, []ids.ID{}
	for _, section := range f.sections {
		for _, u := range section.units {
			if u.pool == nil {
				continue
			}
			for _, item := range u.pool.spared(seed, w) {
				items, questions = append(items, item.ItemID), append(questions, item.QuestionID)
			}
		}
	}
	return items, questions
}

// spared chooses as many items as the draw requires: first items within the bound that the person
// has not seen, then the ones they have seen, then items over the bound; among these the least
// drawn, so that no session is left with fewer questions within the bound than it draws while the
// pool could have served it. Among equals the seed decides.
func (p *pool) spared(seed int64, w worn) []*formItem {
	mixed := authoring.Shuffle(seed, p.id, p.items)
	over := func(item *formItem) int {
		if w.drawn != nil && w.drawn[item.QuestionID] >= w.most {
			return 1
		}
		return 0
	}
	seen := func(item *formItem) int {
		if w.seen[item.QuestionID] {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(mixed, func(a, b *formItem) int {
		return cmp.Or(cmp.Compare(over(a), over(b)), cmp.Compare(seen(a), seen(b)),
			cmp.Compare(w.drawn[a.QuestionID], w.drawn[b.QuestionID]))
	})
	return mixed[:min(p.count, len(mixed))]
}

// seen gives the questions that earlier sessions at the evaluation showed the person,
// whatever became of these sessions and whatever their version.
func (d *Desk) seen(ctx context.Context, tx *db.Tx, s models.Session) (map[ids.ID]bool, error) {
	rows, err := tx.Query(ctx, `
		select evaluation_version_id, seed, drawn from sessions
		where tenant_id = $1 and evaluation_id = $2 and user_id = $3 order by started_at desc limit $4`,
		tx.Tenant(), s.EvaluationID, s.UserID, maxLookback)
	if err != nil {
		return nil, fmt.Errorf("find earlier attempts: %w", err)
	}
	earlier, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (models.Session, error) {
		var one models.Session
		return one, row.Scan(&one.EvaluationVersionID, &one.Seed, &one.Drawn)
	})
	if err != nil {
		return nil, fmt.Errorf("find earlier attempts: %w", err)
	}
	seen := map[ids.ID]bool{}
	for _, one := range earlier {
		f, err := d.form(ctx, tx, one.EvaluationVersionID)
		if err != nil {
			return nil, err
		}
		for _, section := range f.order(dealOf(one)) {
			for _, item := range section.items {
				seen[item.QuestionID] = true
			}
		}
	}
	return seen, nil
}

// lockExposures reads in how many sessions each question of an evaluation was drawn. Starts
// of an evaluation that bounds this wait for one another, so that the bound holds exactly.
func lockExposures(ctx context.Context, tx *db.Tx, evaluation ids.ID) (map[ids.ID]int, error) {
	_, err := tx.Exec(ctx, "select pg_advisory_xact_lock(hashtextextended(concat_ws('/', 'exposures', $1::text, $2::text), 0))",
		tx.Tenant().String(), evaluation.String())
	if err != nil {
		return nil, fmt.Errorf("lock exposures: %w", err)
	}
	rows, err := tx.Query(ctx, "select question_id, sessions from question_exposures where tenant_id = $1 and evaluation_id = $2",
		tx.Tenant(), evaluation)
	if err != nil {
		return nil, fmt.Errorf("read exposures: %w", err)
	}
	drawn := map[ids.ID]int{}
	var question ids.ID
	var n int
	_, err = pgx.ForEachRow(rows, []any{&question, &n}, func() error {
		drawn[question] = n
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read exposures: %w", err)
	}
	return drawn, nil
}

func countExposures(ctx context.Context, tx *db.Tx, s models.Session, questions []ids.ID) error {
	_, err := tx.Exec(ctx, `
		insert into question_exposures as e (tenant_id, evaluation_id, question_id, org_unit_id, sessions)
		select $1, $2, question, $3, 1 from unnest($4::uuid[]) question order by question
		on conflict (tenant_id, evaluation_id, question_id) do update set sessions = e.sessions + 1`,
		tx.Tenant(), s.EvaluationID, s.OrgUnitID, questions)
	if err != nil {
		return fmt.Errorf("count exposures: %w", err)
	}
	return nil
}
