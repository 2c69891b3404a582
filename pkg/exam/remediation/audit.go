package remediation

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// audit makes a preview. One statement goes through the submissions and keeps of each only what
// it adds to the counts, so that memory does not grow with them; the submissions of the page are
// scored again at the end.
type audit struct {
	Preview
	row    models.Remediation
	scorer *scorer
	// first overrides the others: the remediation in question, if the preview is of applying it.
	first ids.ID
	page  db.Page
	shown []ids.ID
	// open are the submissions whose totals do not say what becomes of them.
	open  []ids.ID
	flips map[[2]scoring.Outcome]int
}

func newAudit(row models.Remediation, action string, page db.Page) *audit {
	a := &audit{Preview: Preview{Action: action, Submissions: row.SubmissionsN, Flips: []Flip{}}, row: row, scorer: newScorer(row.QuestionVersionID),
		page: page, flips: map[[2]scoring.Outcome]int{}}
	if action == ActionApply {
		a.first = row.ID
	}
	return a
}

func (a *audit) run(ctx context.Context, tx *db.Tx) error {
	err := a.scorer.learn(ctx, tx, a.row)
	if err != nil {
		return err
	}
	at, of, found := ofItsOwn, a.row.ID, 0
	if a.row.EvaluationVersionID != nil && a.Action == ActionApply {
		at, of = ofVersion, *a.row.EvaluationVersionID
	}
	err = a.scorer.look(ctx, tx, at, of, a.row.ID, func(items []seen) error {
		changed, own := a.Changed, items[0].user == tx.Actor().ID
		err := a.weigh(ctx, tx, items)
		// Apply leaves out the actor's own submission, or refuses where it would change.
		if !own || a.Changed > changed {
			found++
		}
		return err
	})
	if err != nil {
		return err
	}
	if at == ofVersion {
		a.Submissions = found
	}
	for piece := range slices.Chunk(a.open, chunk) {
		changes, err := a.scorer.rescore(ctx, tx, piece, a.first, a.row.ID)
		if err != nil {
			return err
		}
		for _, c := range changes {
			a.count(c)
		}
	}
	a.listFlips()
	changes, err := a.scorer.rescore(ctx, tx, a.shown, a.first, a.row.ID)
	a.Affected = db.NewList(affected(changes), a.page, a.Changed)
	return err
}

// weigh counts a submission.
func (a *audit) weigh(ctx context.Context, tx *db.Tx, items []seen) error {
	c, err := a.scorer.judge(ctx, tx, items, a.first)
	if err != nil || len(c.items) == 0 {
		return err
	}
	if a.Changed >= a.page.Offset() && len(a.shown) < a.page.Limit {
		a.shown = append(a.shown, c.submission)
	}
	a.Changed++
	if !c.settle(a.scorer.sheets[c.snapshot]) {
		a.open = append(a.open, c.submission)
		return nil
	}
	a.count(c)
	return nil
}

func (a *audit) count(c change) {
	switch gain := c.gain(); {
	case gain > sameShare:
		a.Raised++
	case gain < -sameShare:
		a.Lowered++
	}
	if c.after.OutcomeCode != c.before.OutcomeCode {
		a.flips[[2]scoring.Outcome{c.before.OutcomeCode, c.after.OutcomeCode}]++
	}
}

// sameShare is how far apart two shares of ten decimals are that mean the same.
const sameShare = 1e-9

// gain is how much greater the share of the maximum becomes. Where there is nothing to earn, before
// or after, there is no share: nobody gains or loses.
func (c change) gain() float64 {
	if c.before.MaxScore == 0 || c.after.MaxScore == 0 {
		return 0
	}
	return c.after.Score/c.after.MaxScore - c.before.Score/c.before.MaxScore
}

func (a *audit) listFlips() {
	outcomes := []scoring.Outcome{scoring.Pass, scoring.Fail, scoring.Incomplete}
	for _, from := range outcomes {
		for _, to := range outcomes {
			if n := a.flips[[2]scoring.Outcome{from, to}]; n > 0 {
				a.Flips = append(a.Flips, Flip{string(from), string(to), n})
			}
		}
	}
}

// All submissions of an evaluation version have its snapshot.
const snapshotsSQL = `
select snapshot_hash from evaluation_versions where tenant_id = $1 and id = $2 and snapshot_hash is not null
union
select s.snapshot_hash from remediation_submissions m
cross join lateral (select snapshot_hash from submissions s where s.tenant_id = $1 and s.id = m.submission_id offset 0) s
where m.tenant_id = $1 and m.remediation_id = $3 and $2::uuid is null`

// learn reads the rule of a remediation and the snapshots of all that it may be about, so that
// nothing is left to ask while submissions are gone through.
func (s *scorer) learn(ctx context.Context, tx *db.Tx, row models.Remediation) error {
	_, err := s.rule(ctx, tx, row.ID)
	if err != nil {
		return err
	}
	rows, err := tx.Query(ctx, snapshotsSQL, tx.Tenant(), row.EvaluationVersionID, row.ID)
	if err != nil {
		return fmt.Errorf("find snapshots: %w", err)
	}
	hashes, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("find snapshots: %w", err)
	}
	for _, hash := range hashes {
		_, err = s.sheet(ctx, tx, hash)
		if err != nil {
			return err
		}
	}
	return nil
}
