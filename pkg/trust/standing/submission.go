package standing

import (
	"context"

	"assess/pkg/exam/submission"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/readiness"
)

// Submission is a submission in detail, with its readiness.
type Submission struct {
	submission.Submission
	Readiness
}

// Readiness is the pair of blocks, where they are shown.
type Readiness struct {
	KoeStatus      *readiness.KoeStatus      `json:"koeStatus,omitempty" doc:"How knowledge, observation and evidence stand; not in the candidate view"`
	ProofReadiness *readiness.ProofReadiness `json:"proofReadiness,omitempty" doc:"Whether the result can be defended; not in the candidate view"`
}

func shown(b readiness.Blocks) Readiness { return Readiness{&b.KoeStatus, &b.ProofReadiness} }

// Get gives a submission in detail, with its readiness but in the candidate view. Capabilities and
// errors as submission.Get.
func Get(ctx context.Context, tx *db.Tx, in submission.GetInput) (Submission, error) {
	s, err := submission.Get(ctx, tx, in)
	if err != nil || in.View == submission.ViewCandidate || !tx.Can(capability.SubmissionsRead) {
		return Submission{Submission: s}, err
	}
	r, err := Of(ctx, tx, in.ID)
	return Submission{s, r}, err
}

// Of gives the readiness of one submission, which the caller has found.
func Of(ctx context.Context, tx *db.Tx, id ids.ID) (Readiness, error) {
	all, err := Read(ctx, tx, []ids.ID{id})
	if err != nil || len(all) == 0 {
		return Readiness{}, err
	}
	return shown(all[0].Blocks(tx.Now())), nil
}

// Summary is a row of a list of submissions, with its readiness where that was requested.
type Summary struct {
	submission.Summary
	Readiness
}

// IncludeReadiness is what a list of submissions can include.
const IncludeReadiness = "readiness"

// Lister is a list of submissions in package submission.
type Lister func(context.Context, *db.Tx) (db.List[submission.Summary], error)

// List runs a list of submissions and adds the readiness of its page if include says so.
// Capabilities and errors: as for the list; validation_failed for another include.
func List(ctx context.Context, tx *db.Tx, include string, of Lister) (db.List[Summary], error) {
	none := db.List[Summary]{}
	err := errs.Invalid(errs.OneOf("include", include, []string{IncludeReadiness})...)
	if err != nil {
		return none, err
	}
	found, err := of(ctx, tx)
	if err != nil {
		return none, err
	}
	blocks := map[ids.ID]Readiness{}
	if include == IncludeReadiness {
		blocks, err = blocksOf(ctx, tx, found.Items)
		if err != nil {
			return none, err
		}
	}
	items := make([]Summary, 0, len(found.Items))
	for _, s := range found.Items {
		items = append(items, Summary{s, blocks[s.ID]})
	}
	return db.List[Summary]{Items: items, Page: found.Page, Limit: found.Limit, Total: found.Total}, nil
}

func blocksOf(ctx context.Context, tx *db.Tx, items []submission.Summary) (map[ids.ID]Readiness, error) {
	var wanted []ids.ID
	for _, s := range items {
		wanted = append(wanted, s.ID)
	}
	all, err := Read(ctx, tx, wanted)
	blocks := map[ids.ID]Readiness{}
	for _, s := range all {
		blocks[s.ID] = shown(s.Blocks(tx.Now()))
	}
	return blocks, err
}
