package inventory

import (
	"context"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// The actions of a bulk call.
const (
	ArchiveAction         = "archive"
	RestoreAction         = "restore"
	TaxonomyReplaceAction = "taxonomyReplace"
)

// The codes of bulk results that succeeded; those that failed have an error code.
const (
	Changed  = "changed"
	NoChange = "no_change"
)

// BulkInput asks for one change of many questions or evaluations (specification, section
// 4.6). taxonomyReplace takes either the whole set of terms or what to take away and what
// to add: from one term to another is one of each.
type BulkInput struct {
	Action          string    `json:"action" enum:"archive,restore,taxonomyReplace"`
	IDs             []ids.ID  `json:"ids" nullable:"false" minItems:"1" maxItems:"10000" doc:"Each id once"`
	DryRun          bool      `json:"dryRun,omitempty" doc:"Do everything, answer the results, and change nothing; needs no Idempotency-Key"`
	TaxonomyTermIDs *[]ids.ID `json:"taxonomyTermIds,omitempty" nullable:"false" maxItems:"200" doc:"taxonomyReplace: the terms that replace all others; none takes all away"`
	RemoveTermIDs   []ids.ID  `json:"removeTermIds,omitempty" nullable:"false" maxItems:"200" doc:"taxonomyReplace: terms to take away; the others stay"`
	AddTermIDs      []ids.ID  `json:"addTermIds,omitempty" nullable:"false" maxItems:"200" doc:"taxonomyReplace: terms to add; the others stay"`
}

// BulkOutput says what became of each id, in the order of the call.
type BulkOutput struct {
	DryRun  bool         `json:"dryRun"`
	Results []BulkResult `json:"results" nullable:"false"`
	Summary BulkSummary  `json:"summary"`
}

// BulkResult is what became of one id.
type BulkResult struct {
	ID      ids.ID `json:"id"`
	OK      bool   `json:"ok"`
	Code    string `json:"code" doc:"changed, no_change, or an error code" example:"changed"`
	Message string `json:"message"`
	Changed bool   `json:"changed"`
}

// BulkSummary counts the results; changed ones are among those that succeeded.
type BulkSummary struct {
	Total     int `json:"total"`
	Succeeded int `json:"succeeded"`
	Failed    int `json:"failed"`
	Changed   int `json:"changed"`
}

// Bulk changes many questions or evaluations in a fixed number of statements. An id that
// cannot be changed fails by itself: not_found outside the scope, archived where terms are
// to be replaced. For a dry run the surface rolls back (Store.DryRun). Errors:
// validation_failed for duplicate ids and unusable terms; then nothing is changed.
func Bulk(ctx context.Context, tx *db.Tx, k *Kind, in BulkInput) (BulkOutput, error) {
	if err := tx.Require(k.write); err != nil {
		return BulkOutput{}, err
	}
	do, err := in.action(ctx, tx)
	if err != nil {
		return BulkOutput{}, err
	}
	found, err := k.lock(ctx, tx, toChange, in.IDs)
	if err != nil {
		return BulkOutput{}, err
	}
	var rows []row
	for _, id := range in.IDs {
		if r, known := found[id]; known && !in.refuses(r) {
			rows = append(rows, r)
		}
	}
	done, err := do(ctx, tx, k, rows)
	if err != nil {
		return BulkOutput{}, err
	}
	out := BulkOutput{DryRun: in.DryRun, Results: make([]BulkResult, 0, len(in.IDs))}
	for _, id := range in.IDs {
		r, known := found[id]
		out.add(in.result(k, id, known, known && in.refuses(r), done[id].Changed))
	}
	return out, nil
}

// refuses says that a row cannot be changed in this way.
func (in BulkInput) refuses(r row) bool {
	return in.Action == TaxonomyReplaceAction && r.status == archived
}

// messages of success, by whether something changed.
var messages = map[string]map[bool]string{
	ArchiveAction:         {true: "Archived.", false: "It was archived already."},
	RestoreAction:         {true: "Restored.", false: "It was not archived."},
	TaxonomyReplaceAction: {true: "The terms were replaced.", false: "It had these terms already."},
}

func (in BulkInput) result(k *Kind, id ids.ID, known, refused, changed bool) BulkResult {
	switch {
	case !known:
		return BulkResult{ID: id, Code: string(errs.NotFound), Message: errs.Of(k.notFound()).Message}
	case refused:
		return BulkResult{ID: id, Code: string(errs.Archived), Message: errs.Meaning(errs.Archived)}
	}
	r := BulkResult{ID: id, OK: true, Code: NoChange, Message: messages[in.Action][changed], Changed: changed}
	if changed {
		r.Code = Changed
	}
	return r
}

// Join adds the results of a further call.
func (out *BulkOutput) Join(further BulkOutput) {
	for _, r := range further.Results {
		out.add(r)
	}
}

func (out *BulkOutput) add(r BulkResult) {
	out.Results = append(out.Results, r)
	out.Summary.Total++
	if !r.OK {
		out.Summary.Failed++
		return
	}
	out.Summary.Succeeded++
	if r.Changed {
		out.Summary.Changed++
	}
}
