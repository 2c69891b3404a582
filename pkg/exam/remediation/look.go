package remediation

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// seen is an item of a submission in its present state.
type seen struct {
	submission, user, id, itemID ids.ID
	snapshot                     string
	response                     *string
	omitted, marked              bool
	// total is the present result of the submission.
	total scoring.Result
	// base is the score from the last person, or else from submit; current is the newest score.
	base, current scoring.Item
	// last is the remediation that counts; none where the base does.
	last ids.ID
}

// which says in SQL what submissions to look at; $2 is its parameter.
type which string

const (
	these     which = "select unnest($2::uuid[]) as id"
	ofVersion which = "select id from submissions where tenant_id = $1 and evaluation_version_id = $2"
	ofItsOwn  which = "select submission_id as id from remediation_submissions where tenant_id = $1 and remediation_id = $2"
)

// sql gives the ids first and puts them in order then, since an index that has them in order would
// go through the whole tenant. Each submission is looked up by its key.
func (w which) sql() string {
	return strings.Replace(seenSQL, "{which}", "(select id from ("+string(w)+" offset 0) w order by id offset 0) w", 1)
}

// The newest remediation of an item counts, except a rekey of an item scored by a person. $4 is
// ignored. "offset 0" makes the planner look submission by submission. In the first version
// every item has its score from submit; a mark comes before its version.
const seenSQL = `
select s.id, s.user_id, s.score::float8, s.max_score::float8, s.outcome_code, s.outcome_label, s.pending,
	i.id, i.item_id, s.snapshot_hash, i.response::text, i.is_omitted, k.score is not null,
	case when k.score is null then i.score_status else 'SCORED' end, case when k.score is null then i.score_method else 'manual' end,
	coalesce(k.score, i.score)::float8, i.max_score::float8, case when k.score is null then i.is_correct else k.score = i.max_score end,
	case when k.score is null then coalesce(i.invalid_code, '') else '' end,
	i.correct_selected, i.incorrect_selected, i.total_correct, coalesce(i.right_parts, ''),
	coalesce(c.score_status, i.score_status), coalesce(c.score_method, i.score_method), coalesce(c.score, i.score)::float8,
	coalesce(c.max_score, i.max_score)::float8, coalesce(c.is_correct, i.is_correct),
	coalesce(case when c.number is null then i.invalid_code else c.invalid_code end, ''),
	coalesce(c.correct_selected, i.correct_selected), coalesce(c.incorrect_selected, i.incorrect_selected),
	coalesce(c.total_correct, i.total_correct), coalesce(case when c.number is null then i.right_parts else c.right_parts end, ''), r.id, r.rule, r.parameters
from {which}
cross join lateral (select * from submissions s where s.tenant_id = $1 and s.id = w.id and s.status = 'completed' offset 0) s
cross join lateral (select * from submission_items i where i.tenant_id = $1 and i.submission_id = s.id
	and i.question_version_id = $3 offset 0) i
left join lateral (select k.score from item_marks k where k.tenant_id = $1 and k.submission_id = s.id and k.submission_item_id = i.id
	order by k.number desc limit 1) k on true
left join lateral (select * from item_scores c where s.score_version > 1 and c.tenant_id = $1 and c.submission_id = s.id
	and c.submission_item_id = i.id order by c.number desc limit 1) c on true
left join lateral (select r.id, r.rule, r.parameters::text
	from (select remediation_id from remediation_submissions m
		where m.tenant_id = $1 and m.submission_id = s.id and m.active offset 0) m
	join remediations r on r.tenant_id = $1 and r.id = m.remediation_id
	where r.question_version_id = $3 and r.id <> $4 and (r.rule <> 'rekey' or k.score is null)
	order by r.applied_number desc limit 1) r on true
order by w.id, i.id`

// look gives the items of the question in completed submissions, without the say of one
// remediation, submission by submission in the order of their ids. They are gone after each call
// of heed, which may ask the database for nothing: it is being read.
func (s *scorer) look(ctx context.Context, tx *db.Tx, at which, of any, without ids.ID, heed func([]seen) error) error {
	rows, err := tx.Query(ctx, at.sql(), tx.Tenant(), of, s.question, without)
	if err != nil {
		return fmt.Errorf("read items: %w", err)
	}
	defer rows.Close()
	var items []seen
	for rows.Next() {
		item, err := s.scan(rows)
		if err != nil {
			return fmt.Errorf("read items: %w", err)
		}
		if len(items) > 0 && items[0].submission != item.submission {
			err = heed(items)
			if err != nil {
				return err
			}
			items = items[:0]
		}
		items = append(items, item)
	}
	err = rows.Err()
	if err != nil {
		return fmt.Errorf("read items: %w", err)
	}
	if len(items) == 0 {
		return nil
	}
	return heed(items)
}

// scan reads a row, and learns the rule of its remediation.
func (s *scorer) scan(row pgx.CollectableRow) (seen, error) {
	var i seen
	var last *ids.ID
	var name, parameters *string
	b, c, t := &i.base, &i.current, &i.total
	err := row.Scan(&i.submission, &i.user, &t.Score, &t.MaxScore, &t.OutcomeCode, &t.OutcomeLabel, &t.Pending,
		&i.id, &i.itemID, &i.snapshot, &i.response, &i.omitted, &i.marked,
		&b.Status, &b.Method, &b.Score, &b.MaxScore, &b.IsCorrect, &b.InvalidCode, &b.CorrectSelected, &b.IncorrectSelected, &b.TotalCorrect, &b.RightParts,
		&c.Status, &c.Method, &c.Score, &c.MaxScore, &c.IsCorrect, &c.InvalidCode, &c.CorrectSelected, &c.IncorrectSelected, &c.TotalCorrect, &c.RightParts,
		&last, &name, &parameters)
	if err != nil || last == nil {
		return i, err
	}
	i.last = *last
	if _, known := s.rules[i.last]; !known {
		r := rule{name: *name}
		err = json.Unmarshal([]byte(*parameters), &r.Parameters)
		s.rules[i.last] = r
	}
	return i, err
}
