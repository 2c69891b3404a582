package reporting

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// The orders of the question health list.
const (
	NeedsAttentionFirst = "needs_attention_first"
	HighestOmit         = "highest_omit"
	MostDrift           = "most_drift"
	MostExposed         = "most_exposed"
)

// HealthFilter chooses and orders questions. Tags are snapshot tags, "facet:term", and an
// attempt must carry all of them. Sort defaults to needs_attention_first.
type HealthFilter struct {
	Tags                []string
	From, To            *time.Time
	EvaluationVersionID ids.ID
	RunLabel            *string
	Sort                string
	Page                db.Page
	// Progress gets the number of questions of an export that are done; it may be nil.
	Progress func(done int)
}

// HealthList is one page of questions.
type HealthList struct {
	db.List[HealthRow]
	projection.Freshness
}

// order is one sort order: as the index has it, and the same over rows in memory.
type order struct {
	sql     string
	compare func(a, b projection.Ranked) int
}

// The question version id settles ties, so that pages do not overlap.
var orders = map[string]order{
	NeedsAttentionFirst: {"h.attention_rank desc, h.attempts_n desc, h.question_version_id", byAttention},
	HighestOmit: {"h.omit_rate desc nulls last, h.question_version_id",
		func(a, b projection.Ranked) int { return cmp.Compare(orLast(b.OmitRate), orLast(a.OmitRate)) }},
	MostDrift:   {"h.drift desc, h.question_version_id", func(a, b projection.Ranked) int { return cmp.Compare(b.Drift, a.Drift) }},
	MostExposed: {"h.attempts_n desc, h.question_version_id", func(a, b projection.Ranked) int { return cmp.Compare(b.Attempts, a.Attempts) }},
}

func byAttention(a, b projection.Ranked) int {
	return cmp.Or(cmp.Compare(b.AttentionRank, a.AttentionRank), cmp.Compare(b.Attempts, a.Attempts))
}

func orLast(rate *float64) float64 {
	if rate == nil {
		return -1
	}
	return *rate
}

// ListHealth needs reporting.view. validation_failed for an unknown order, a page out of
// range, or a period that ends before it begins.
func ListHealth(ctx context.Context, tx *db.Tx, f HealthFilter) (HealthList, error) {
	err := tx.Require(capability.ReportingView)
	if err != nil {
		return HealthList{}, err
	}
	page, by, err := f.check()
	if err != nil {
		return HealthList{}, err
	}
	orgs, err := projection.OrgUnits(ctx, tx)
	if err != nil {
		return HealthList{}, err
	}
	ready, err := f.fromRollup(ctx, tx, orgs)
	if err != nil {
		return HealthList{}, err
	}
	list := measuredPage
	if ready {
		list = storedPage
	}
	rows, total, err := list(ctx, tx, f, orgs, by, page)
	if err != nil {
		return HealthList{}, err
	}
	fresh, err := projection.Fresh(ctx, tx)
	if err != nil {
		return HealthList{}, err
	}
	said, err := readWords(ctx, tx, orgs, questionsOf(rows))
	if err != nil {
		return HealthList{}, err
	}
	var items []HealthRow
	for _, h := range rows {
		items = append(items, rowOf(h, said[h.QuestionVersionID]))
	}
	return HealthList{List: db.NewList(items, page, total), Freshness: fresh}, nil
}

// Check names everything that is wrong with the filter. Errors: validation_failed.
func (f HealthFilter) Check() error {
	_, _, err := f.check()
	return err
}

func (f HealthFilter) check() (db.Page, order, error) {
	page, err := f.Page.Check()
	var bad []errs.Field
	if err != nil {
		bad = errs.Of(err).Fields
	}
	by, known := orders[cmp.Or(f.Sort, NeedsAttentionFirst)]
	if !known {
		bad = append(bad, errs.Field{Path: "sort", Code: "unknown_value",
			Message: "expected needs_attention_first, highest_omit, most_drift or most_exposed"})
	}
	for i, tag := range f.Tags {
		facet, term, ok := strings.Cut(tag, ":")
		if !ok || facet == "" || term == "" {
			bad = append(bad, errs.Field{Path: fmt.Sprintf("tag[%d]", i), Code: "invalid_format", Message: "expected facet:term"})
		}
	}
	return page, by, errs.Invalid(append(bad, periodProblems(f.From, f.To)...)...)
}

// fromRollup says whether the rollup can answer: there is no filter, and no question has attempts
// in several org units of the scope.
func (f HealthFilter) fromRollup(ctx context.Context, tx *db.Tx, orgs []ids.ID) (bool, error) {
	if !f.unfiltered() {
		return false, nil
	}
	if len(orgs) < 2 {
		return true, nil
	}
	var shared bool
	err := tx.QueryRow(ctx, `
		select exists (select from report_question_health_rollup where tenant_id = $1 and org_unit_id = any($2)
			group by question_version_id having count(*) > 1)`, tx.Tenant(), orgs).Scan(&shared)
	if err != nil {
		return false, fmt.Errorf("look for shared questions: %w", err)
	}
	return !shared, nil
}

// unfiltered says that all attempts of the scope are chosen.
func (f HealthFilter) unfiltered() bool {
	return len(f.Tags) == 0 && f.From == nil && f.To == nil && f.EvaluationVersionID == ids.None && f.RunLabel == nil
}

func storedPage(ctx context.Context, tx *db.Tx, _ HealthFilter, orgs []ids.ID, by order, page db.Page) ([]models.QuestionHealth, int, error) {
	var rows []models.QuestionHealth
	if len(orgs) == 0 {
		return rows, 0, nil
	}
	query := tx.NewSelect().Model(&rows).Where("h.tenant_id = ?", tx.Tenant()).Where("h.org_unit_id in (?)", bun.List(orgs))
	total, err := query.Count(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("count questions: %w", err)
	}
	err = query.OrderExpr(by.sql).Limit(int64(page.Limit)).Offset(int64(page.Offset())).Scan(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("list question health: %w", err)
	}
	return rows, int(total), nil
}

// projected is the filter for package projection.
func (f HealthFilter) projected() projection.Filter {
	return projection.Filter{EvaluationVersionID: f.EvaluationVersionID, RunLabel: f.RunLabel, From: f.From, To: f.To, Tags: f.Tags}
}
