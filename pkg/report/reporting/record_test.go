package reporting

import (
	"context"
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// tried is one attempt according to the records: session, submission, items, and corrections.
type tried struct {
	id, user               ids.ID
	version                int
	org, evaluation        ids.ID
	by                     *assigned
	run                    *string
	state, method, outcome string
	started                time.Time
	ended                  *time.Time
	voided                 bool
	focus, exits           int
	score, max             *big.Rat
	items                  []triedItem
}

type triedItem struct {
	id, question, section   ids.ID
	position                int // of the section
	qtype, status           string
	tags                    []string
	options                 []string
	gaps                    map[string]string
	rightParts              string
	score, max              *big.Rat
	correct, omitted        bool
	survey                  bool
	invalid                 *string
	right, wrong, allRights int
	ms                      *int64
}

// completed says that the attempt counts as completed.
func (s *tried) completed() bool { return s.ended != nil && !s.voided }

func (i triedItem) scored() bool { return i.status == "SCORED" && !i.omitted }

// share is the part of the maximum; of nothing it is 0.
func share(score, max *big.Rat) *big.Rat {
	if max.Sign() == 0 {
		return new(big.Rat)
	}
	return new(big.Rat).Quo(score, max)
}

// tenth is the whole tenths of a share.
func tenth(part *big.Rat) int64 {
	ten := new(big.Rat).Mul(part, big.NewRat(10, 1))
	return new(big.Int).Div(ten.Num(), ten.Denom()).Int64()
}

func float(r *big.Rat) float64 {
	v, _ := r.Float64()
	return v
}

// read reads all attempts from the records, with plain selects over whole tables.
func (f *fair) read(t *testing.T) {
	t.Helper()
	f.tried = nil
	byID := map[ids.ID]*tried{}
	err := f.store.Read(t.Context(), f.operator, func(tx *db.Tx) error {
		err := f.readSessions(t.Context(), tx, byID)
		if err != nil {
			return err
		}
		err = readSubmissions(t.Context(), tx, byID)
		if err != nil {
			return err
		}
		err = f.readRemedied(t.Context(), tx)
		if err != nil {
			return err
		}
		return f.readItems(t.Context(), tx, byID)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (f *fair) readSessions(ctx context.Context, tx *db.Tx, byID map[ids.ID]*tried) error {
	rows, err := tx.Query(ctx, `select id, user_id, evaluation_version_id, evaluation_id, org_unit_id, assignment_id, run_label, state, started_at
		from sessions where tenant_id = $1 order by id`, f.tenant)
	if err != nil {
		return err
	}
	var s tried
	var version ids.ID
	var assignment *ids.ID
	_, err = pgx.ForEachRow(rows, []any{&s.id, &s.user, &version, &s.evaluation, &s.org, &assignment, &s.run, &s.state, &s.started}, func() error {
		one := s
		one.version = slices.Index(f.versions, version)
		one.focus, one.exits = f.events[s.id].focus, f.events[s.id].exits
		for i := range f.assigned {
			if assignment != nil && f.assigned[i].id == *assignment {
				one.by = &f.assigned[i]
			}
		}
		f.tried, byID[s.id] = append(f.tried, &one), &one
		return nil
	})
	return err
}

// readSubmissions takes the totals of the newest score version, where there is one.
func readSubmissions(ctx context.Context, tx *db.Tx, byID map[ids.ID]*tried) error {
	rows, err := tx.Query(ctx, `select id, status = 'voided', completion_method, completed_at, outcome_code, score::text, max_score::text
		from submissions where tenant_id = $1`, tx.Tenant())
	if err != nil {
		return err
	}
	var id ids.ID
	var voided bool
	var method, outcome, score, most string
	var ended time.Time
	_, err = pgx.ForEachRow(rows, []any{&id, &voided, &method, &ended, &outcome, &score, &most}, func() error {
		s, at := byID[id], ended
		s.voided, s.method, s.ended, s.outcome, s.score, s.max = voided, method, &at, outcome, rational(score), rational(most)
		return nil
	})
	if err != nil {
		return err
	}
	rows, err = tx.Query(ctx, `select submission_id, outcome_code, score::text, max_score::text from score_versions
		where tenant_id = $1 order by submission_id, number`, tx.Tenant())
	if err != nil {
		return err
	}
	_, err = pgx.ForEachRow(rows, []any{&id, &outcome, &score, &most}, func() error {
		s := byID[id]
		s.outcome, s.score, s.max = outcome, rational(score), rational(most)
		return nil
	})
	return err
}

func (f *fair) readRemedied(ctx context.Context, tx *db.Tx) error {
	f.remedied = map[ids.ID]int64{}
	rows, err := tx.Query(ctx, "select remediation_id, submission_id from remediation_submissions where tenant_id = $1 and not waiting", f.tenant)
	if err != nil {
		return err
	}
	var remediation, submission ids.ID
	_, err = pgx.ForEachRow(rows, []any{&remediation, &submission}, func() error {
		f.remedied[remediation]++
		return nil
	})
	return err
}

func rational(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("not a number: " + text)
	}
	return r
}

// readItems takes the items as they were submitted and puts the newer scores over them.
func (f *fair) readItems(ctx context.Context, tx *db.Tx, byID map[ids.ID]*tried) error {
	rows, err := tx.Query(ctx, `select submission_id, id, question_version_id, qtype, response, is_omitted,
			time_spent_ms, started_at, answered_at, score_status, score::text, max_score::text, is_correct, invalid_code,
			correct_selected, incorrect_selected, total_correct, coalesce(right_parts, '')
		from submission_items where tenant_id = $1 order by submission_id, position`, f.tenant)
	if err != nil {
		return err
	}
	var of ids.ID
	var i triedItem
	var response *string
	var started, answered *time.Time
	var score, most string
	_, err = pgx.ForEachRow(rows, []any{&of, &i.id, &i.question, &i.qtype, &response, &i.omitted, &i.ms, &started, &answered,
		&i.status, &score, &most, &i.correct, &i.invalid, &i.right, &i.wrong, &i.allRights, &i.rightParts}, func() error {
		one := i
		one.score, one.max = rational(score), rational(most)
		one.ms = timeOnItem(i.ms, started, answered)
		one.options, one.gaps = optionsIn(response)
		s := byID[of]
		f.place(&one, f.printed[s.version])
		s.items = append(s.items, one)
		return nil
	})
	if err != nil {
		return err
	}
	rows, err = tx.Query(ctx, `select submission_id, submission_item_id, score_status, score::text, max_score::text, is_correct, invalid_code,
			correct_selected, incorrect_selected, total_correct, coalesce(right_parts, '')
		from item_scores where tenant_id = $1 order by submission_id, number`, f.tenant)
	if err != nil {
		return err
	}
	_, err = pgx.ForEachRow(rows, []any{&of, &i.id, &i.status, &score, &most, &i.correct, &i.invalid, &i.right, &i.wrong, &i.allRights, &i.rightParts}, func() error {
		items := byID[of].items
		one := &items[slices.IndexFunc(items, func(o triedItem) bool { return o.id == i.id })]
		one.status, one.score, one.max, one.correct, one.invalid = i.status, rational(score), rational(most), i.correct, i.invalid
		one.right, one.wrong, one.allRights, one.rightParts = i.right, i.wrong, i.allRights, i.rightParts
		return nil
	})
	for _, s := range byID {
		for at := range s.items {
			s.items[at].fill()
		}
	}
	return err
}

func timeOnItem(spent *int64, started, answered *time.Time) *int64 {
	if spent != nil {
		ms := *spent
		return &ms
	}
	if started == nil || answered == nil || answered.Before(*started) {
		return nil
	}
	ms := answered.Sub(*started).Milliseconds()
	return &ms
}

// fill says for each gap which option is there, or whether the typed answer is right.
func (i *triedItem) fill() {
	for id, text := range i.gaps {
		switch {
		case strings.TrimSpace(text) == "":
			continue
		case (id == "g1" || id == "g3") && slices.Contains(strings.Split(i.rightParts, "+"), id):
			text = "right"
		case id == "g1" || id == "g3":
			text = "wrong"
		}
		i.options = append(i.options, id+"="+text)
	}
	if len(i.gaps) > 0 {
		slices.Sort(i.options)
	}
}

func optionsIn(response *string) ([]string, map[string]string) {
	var r struct {
		OptionIDs []string          `json:"optionIds"`
		Pairs     []scoring.Pair    `json:"pairs"`
		Gaps      map[string]string `json:"gaps"`
	}
	if response != nil && json.Unmarshal([]byte(*response), &r) != nil {
		panic("not an answer: " + *response)
	}
	return append(r.OptionIDs, joinedPairs(r.Pairs)...), r.Gaps
}

// place finds an item in the snapshot.
func (f *fair) place(i *triedItem, s authoring.Snapshot) {
	for at, section := range s.Sections {
		for _, item := range section.Items {
			if item.QuestionVersionID == i.question {
				i.section, i.position, i.survey = section.ID, at, !item.Key.ContributesToScore
			}
		}
	}
	for facet, terms := range s.Questions[i.question.String()].StructuredTags {
		for _, term := range terms {
			i.tags = append(i.tags, facet+":"+term)
		}
	}
}
