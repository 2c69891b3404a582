package correction

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/authoring"
	"assess/pkg/db"
	"assess/pkg/ids"
	"assess/pkg/scoring"
	"assess/pkg/submission"
)

// A sheet is what scoring needs of a snapshot.
type sheet struct {
	config scoring.Config
	mark   *float64
	keys   map[ids.ID]scoring.Key
	// surveys are the items that count for nothing.
	surveys []ids.ID
}

// scorer scores items of one question version anew. It keeps what it has looked up, and
// each answer's score: of thousands of answers few are different.
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

func newScorer(question ids.ID) *scorer {
	return &scorer{question: question, sheets: map[string]*sheet{}, rules: map[ids.ID]rule{}, scores: map[answerKey]scoring.Item{}}
}

// change is a submission whose scores are to change.
type change struct {
	submission, user ids.ID
	items            []itemChange
	before, after    scoring.Result
}

type itemChange struct {
	id, itemID    ids.ID
	before, after scoring.Item
}

// What the newest remediation of an item says is what counts, but for a rekey of what a
// person scored. $4 is left out of account. "offset 0" holds the planner to looking submission
// by submission.
const seenSQL = `
select s.id, i.id, i.item_id, s.snapshot_hash, i.response::text, i.is_omitted, k.score is not null,
	case when k.score is null then i.score_status else 'SCORED' end, case when k.score is null then i.score_method else 'manual' end,
	coalesce(k.score, i.score)::float8, i.max_score::float8, case when k.score is null then i.is_correct else k.score = i.max_score end,
	case when k.score is null then coalesce(i.invalid_code, '') else '' end,
	i.correct_selected, i.incorrect_selected, i.total_correct,
	coalesce(c.score_status, i.score_status), coalesce(c.score_method, i.score_method), coalesce(c.score, i.score)::float8,
	coalesce(c.max_score, i.max_score)::float8, coalesce(c.is_correct, i.is_correct),
	coalesce(case when c.number is null then i.invalid_code else c.invalid_code end, ''),
	coalesce(c.correct_selected, i.correct_selected), coalesce(c.incorrect_selected, i.incorrect_selected),
	coalesce(c.total_correct, i.total_correct), coalesce(r.id, '00000000-0000-0000-0000-000000000000')
from submissions s
cross join lateral (select * from submission_items i where i.tenant_id = $1 and i.submission_id = s.id
	and i.question_version_id = $3 offset 0) i
left join lateral (select k.score from item_marks k where k.tenant_id = $1 and k.submission_id = s.id and k.submission_item_id = i.id
	order by k.number desc limit 1) k on true
left join lateral (select * from item_scores c where c.tenant_id = $1 and c.submission_id = s.id and c.submission_item_id = i.id
	order by c.number desc limit 1) c on true
left join lateral (select r.id
	from (select remediation_id from remediation_submissions m
		where m.tenant_id = $1 and m.submission_id = s.id and m.active offset 0) m
	join remediations r on r.tenant_id = $1 and r.id = m.remediation_id
	where r.question_version_id = $3 and r.id <> $4 and (r.rule <> 'rekey' or k.score is null)
	order by r.applied_number desc limit 1) r on true
where s.tenant_id = $1 and s.id = any($2) and s.status = 'completed'
order by s.id`

// look reads the items of the question in completed submissions, without the say of one
// remediation.
func (s *scorer) look(ctx context.Context, tx *db.Tx, submissions []ids.ID, without ids.ID) ([]seen, error) {
	rows, err := tx.Query(ctx, seenSQL, tx.Tenant(), submissions, s.question, without)
	if err != nil {
		return nil, fmt.Errorf("read items: %w", err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (seen, error) {
		var i seen
		b, c := &i.base, &i.current
		err := row.Scan(&i.submission, &i.id, &i.itemID, &i.snapshot, &i.response, &i.omitted, &i.marked,
			&b.Status, &b.Method, &b.Score, &b.MaxScore, &b.IsCorrect, &b.InvalidCode, &b.CorrectSelected, &b.IncorrectSelected, &b.TotalCorrect,
			&c.Status, &c.Method, &c.Score, &c.MaxScore, &c.IsCorrect, &c.InvalidCode, &c.CorrectSelected, &c.IncorrectSelected, &c.TotalCorrect,
			&i.last)
		return i, err
	})
	if err != nil {
		return nil, fmt.Errorf("read items: %w", err)
	}
	return all, nil
}

// rescore finds what changes when base and remediations are made to hold. The remediation
// first has the last word where it is given; without is not heard at all.
func (s *scorer) rescore(ctx context.Context, tx *db.Tx, submissions []ids.ID, first, without ids.ID) ([]change, error) {
	items, err := s.look(ctx, tx, submissions, without)
	if err != nil {
		return nil, err
	}
	changed := map[string][]itemOf{}
	for _, item := range items {
		score, err := s.score(ctx, tx, item, first)
		if err != nil {
			return nil, err
		}
		if !same(score, item.current) {
			changed[item.snapshot] = append(changed[item.snapshot], itemOf{item.submission, itemChange{item.id, item.itemID, item.current, score}})
		}
	}
	var all []change
	for snapshot, items := range changed {
		more, err := s.total(ctx, tx, snapshot, items)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

// itemOf is an item that changes, of a submission.
type itemOf struct {
	submission ids.ID
	itemChange
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
			if !item.Key.ContributesToScore {
				page.surveys = append(page.surveys, item.ItemID)
			}
		}
	}
	s.sheets[hash] = page
	return page, nil
}

// corrections makes new versions of the changes.
func corrections(changes []change) []submission.Correction {
	all := make([]submission.Correction, 0, len(changes))
	for _, c := range changes {
		one := submission.Correction{SubmissionID: c.submission, Result: c.after}
		for _, i := range c.items {
			one.Items = append(one.Items, submission.CorrectedItem{ID: i.id, Score: i.after})
		}
		all = append(all, one)
	}
	return all
}
