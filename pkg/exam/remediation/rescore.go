package remediation

import (
	"context"
	"fmt"
	"slices"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// A sheet is what scoring needs from a snapshot.
type sheet struct {
	config scoring.Config
	mark   *float64
	keys   map[ids.ID]scoring.Key
	// surveys are the items that count for nothing; keys has them too.
	surveys []ids.ID
	// finer says that items may be worth more than ten decimals tell, and so may the totals.
	finer bool
}

// scorer scores items of one question version again. It keeps everything it has looked up, and each
// answer's score: of thousands of answers few are different.
type scorer struct {
	question ids.ID
	sheets   map[string]*sheet
	rules    map[ids.ID]rule
	scores   map[answerKey]scoring.Item
}

type answerKey struct {
	remediation, item  ids.ID
	snapshot, response string
}

// maxKept bounds the scores that a scorer keeps: everybody may have written something else.
const maxKept = 10_000

func newScorer(question ids.ID) *scorer {
	return &scorer{question: question, sheets: map[string]*sheet{}, rules: map[ids.ID]rule{}, scores: map[answerKey]scoring.Item{}}
}

// change is a submission whose scores are to change.
type change struct {
	submission, user ids.ID
	snapshot         string
	items            []itemChange
	before, after    scoring.Result
}

type itemChange struct {
	id, itemID    ids.ID
	before, after scoring.Item
}

// rescore finds what changes in the submissions when base and remediations are applied. If first is
// given, that remediation overrides the others; without is ignored.
func (s *scorer) rescore(ctx context.Context, tx *db.Tx, submissions []ids.ID, first, without ids.ID) ([]change, error) {
	var piece [][]seen
	err := s.look(ctx, tx, these, submissions, without, func(items []seen) error {
		piece = append(piece, slices.Clone(items))
		return nil
	})
	if err != nil {
		return nil, err
	}
	var all []change
	for _, items := range piece {
		c, err := s.judge(ctx, tx, items, first)
		if err != nil {
			return nil, err
		}
		if len(c.items) > 0 {
			all = append(all, c)
		}
	}
	return all, s.total(ctx, tx, all)
}

// judge finds what changes in one submission, except its totals.
func (s *scorer) judge(ctx context.Context, tx *db.Tx, items []seen, first ids.ID) (change, error) {
	c := change{submission: items[0].submission, user: items[0].user, snapshot: items[0].snapshot, before: items[0].total}
	for _, item := range items {
		score, err := s.score(ctx, tx, item, first)
		if err != nil {
			return c, err
		}
		if !same(score, item.current) {
			c.items = append(c.items, itemChange{item.id, item.itemID, item.current, score})
		}
	}
	return c, nil
}

func (s *scorer) score(ctx context.Context, tx *db.Tx, item seen, first ids.ID) (scoring.Item, error) {
	by := item.last
	if first != ids.None {
		r, err := s.rule(ctx, tx, first)
		if err != nil {
			return scoring.Item{}, err
		}
		if r.overrules(item) {
			by = first
		}
	}
	if by == ids.None {
		return item.base, nil
	}
	r, err := s.rule(ctx, tx, by)
	if err != nil {
		return scoring.Item{}, err
	}
	if r.name != RuleRekey || item.omitted || item.response == nil {
		return r.give(item, scoring.Key{}, scoring.Config{}), nil
	}
	at := answerKey{by, item.itemID, item.snapshot, *item.response}
	known, ok := s.scores[at]
	if ok {
		return known, nil
	}
	page, err := s.sheet(ctx, tx, item.snapshot)
	if err != nil {
		return scoring.Item{}, err
	}
	given := r.give(item, page.keys[item.itemID], page.config)
	if len(s.scores) == maxKept {
		clear(s.scores)
	}
	s.scores[at] = given
	return given, nil
}

func (s *scorer) rule(ctx context.Context, tx *db.Tx, id ids.ID) (rule, error) {
	known, ok := s.rules[id]
	if ok {
		return known, nil
	}
	var row models.Remediation
	err := tx.NewSelect().Model(&row).Column("rule", "parameters").Where("r.tenant_id = ? and r.id = ?", tx.Tenant(), id).Scan(ctx)
	if err != nil {
		return rule{}, fmt.Errorf("read rule: %w", err)
	}
	r, err := ruleOf(row)
	if err != nil {
		return rule{}, fmt.Errorf("read rule: %w", err)
	}
	s.rules[id] = r
	return r, nil
}

func (s *scorer) sheet(ctx context.Context, tx *db.Tx, hash string) (*sheet, error) {
	known, ok := s.sheets[hash]
	if ok {
		return known, nil
	}
	snapshot, err := authoring.SnapshotByHash(ctx, tx, hash)
	if err != nil {
		return nil, fmt.Errorf("find snapshot: %w", err)
	}
	page := &sheet{config: snapshot.Settings.ScoringConfig, mark: snapshot.Settings.PassMarkPercent, keys: map[ids.ID]scoring.Key{}, surveys: []ids.ID{}}
	for _, section := range snapshot.Sections {
		for _, item := range section.Items {
			page.keys[item.ItemID] = item.Key
			page.finer = page.finer || item.Key.Finer(page.config)
			if !item.Key.ContributesToScore {
				page.surveys = append(page.surveys, item.ItemID)
			}
		}
	}
	s.sheets[hash] = page
	return page, nil
}

// rescorings makes new versions of the changes.
func rescorings(changes []change) []submission.Rescoring {
	all := make([]submission.Rescoring, 0, len(changes))
	for _, c := range changes {
		one := submission.Rescoring{SubmissionID: c.submission, Result: c.after}
		for _, i := range c.items {
			one.Items = append(one.Items, submission.CorrectedItem{ID: i.id, Score: i.after})
		}
		all = append(all, one)
	}
	return all
}
