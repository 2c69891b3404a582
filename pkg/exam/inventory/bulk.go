package inventory

import (
	"context"
	"maps"
	"slices"

	"assess/pkg/exam/session"
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

// The codes of bulk results that succeeded; failed ones have an error code.
const (
	Changed  = "changed"
	NoChange = "no_change"
)

// BulkInput is one change of many questions or evaluations (specification, section 4.6).
// taxonomyReplace takes either the whole set of terms or what to remove and what to add: moving
// from one term to another takes one of each.
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

// BulkResult is the result for one id.
type BulkResult struct {
	ID      ids.ID `json:"id"`
	OK      bool   `json:"ok"`
	Code    string `json:"code" shape:"outcome of one" doc:"changed, no_change, or an error code" example:"changed"`
	Message string `json:"message"`
	Changed bool   `json:"changed"`
}

// BulkSummary counts the results; Succeeded includes Changed.
type BulkSummary struct {
	Total     int `json:"total"`
	Succeeded int `json:"succeeded"`
	Failed    int `json:"failed"`
	Changed   int `json:"changed"`
}

// Bulk changes many questions or evaluations in a fixed number of statements. An id that
// cannot be changed fails by itself: not_found outside the scope, archived where terms are
// to be replaced, four_eyes_required as Archive has it. For a dry run the surface rolls back (Store.DryRun). Errors:
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
	refused, err := in.refused(ctx, tx, k, found)
	if err != nil {
		return BulkOutput{}, err
	}
	var rows []row
	for _, id := range in.IDs {
		if refused[id] == nil {
			rows = append(rows, found[id])
		}
	}
	done, err := do(ctx, tx, k, rows)
	if err != nil {
		return BulkOutput{}, err
	}
	out := BulkOutput{DryRun: in.DryRun, Results: make([]BulkResult, 0, len(in.IDs))}
	for _, id := range in.IDs {
		out.add(in.result(id, refused[id], done[id].Changed))
	}
	return out, nil
}

// refused says which ids cannot be changed in this way, and why.
func (in BulkInput) refused(ctx context.Context, tx *db.Tx, k *Kind, found map[ids.ID]row) (map[ids.ID]*errs.Error, error) {
	refused := map[ids.ID]*errs.Error{}
	for _, id := range in.IDs {
		r, known := found[id]
		switch {
		case !known:
			refused[id] = errs.Of(k.notFound())
		case in.Action == TaxonomyReplaceAction && r.status == archived:
			refused[id] = errs.New(errs.Archived, "%s", errs.Meaning(errs.Archived))
		}
	}
	if in.Action != ArchiveAction || k != Evaluations {
		return refused, nil
	}
	own, err := session.OwnOpen(ctx, tx, slices.Collect(maps.Keys(found)))
	for _, id := range own {
		refused[id] = session.ErrOwnOpenSession
	}
	return refused, err
}

// messages of success, by whether something changed.
var messages = map[string]map[bool]string{
	ArchiveAction:         {true: "Archived.", false: "It was archived already."},
	RestoreAction:         {true: "Restored.", false: "It was not archived."},
	TaxonomyReplaceAction: {true: "The terms were replaced.", false: "It had these terms already."},
}

func (in BulkInput) result(id ids.ID, refused *errs.Error, changed bool) BulkResult {
	if refused != nil {
		return BulkResult{ID: id, Code: string(refused.Code), Message: refused.Message}
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
