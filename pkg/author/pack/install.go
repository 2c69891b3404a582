package pack

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/policy"
)

// The choices of an org unit for a record that both it and the pack changed.
const (
	KeepLocal = "keep_local"
	TakePack  = "take_pack"
)

// maxListed limits the lists of an answer; the totals next to them count all.
const maxListed = 200

// InstallInput installs a revision into an org unit within the caller's reach.
type InstallInput struct {
	RevisionInput
	OrgUnitID   ids.ID       `json:"orgUnitId" noun:"org-unit" doc:"Where the copies go"`
	CreateTerms bool         `json:"createTerms,omitempty" doc:"Make the terms that the tenant lacks; needs taxonomy.manage. Otherwise a pack whose terms are missing is refused"`
	OnConflict  string       `json:"onConflict,omitempty" enum:"keep_local,take_pack" doc:"What to do where the org unit changed its copy and the pack changed, too; absent: refuse, and list them"`
	Resolve     []Resolution `json:"resolve,omitempty" nullable:"false" maxItems:"1000" doc:"What to do with single records, before onConflict"`
	DryRun      bool         `json:"dryRun,omitempty" doc:"Say what installing would do, conflicts and missing terms included, and change nothing; needs neither proof nor Idempotency-Key"`
}

// Resolution decides one conflict.
type Resolution struct {
	SourceID ids.ID `json:"sourceId" doc:"The record in the library's org unit, as the conflict names it"`
	Take     string `json:"take" enum:"keep_local,take_pack"`
}

// Conflict is a record that the org unit changed since it was installed, and that the pack changed too.
type Conflict struct {
	Kind       string `json:"kind" enum:"evaluation,passage,question"`
	SourceID   ids.ID `json:"sourceId"`
	CopyID     ids.ID `json:"copyId" doc:"The record of the org unit"`
	Local      string `json:"local" enum:"draft,published,archived" doc:"What the org unit did: began a draft, published a version of its own, archived it"`
	Resolution string `json:"resolution,omitempty" enum:"keep_local,take_pack"`
}

// Installation tells what installing did, or would do.
type Installation struct {
	ID             ids.ID                `json:"id"`
	LibraryID      ids.ID                `json:"libraryId"`
	RevisionID     ids.ID                `json:"revisionId"`
	RevisionNumber int                   `json:"revisionNumber"`
	ManifestHash   string                `json:"manifestHash"`
	OrgUnitID      ids.ID                `json:"orgUnitId"`
	DryRun         bool                  `json:"dryRun"`
	Unchanged      bool                  `json:"unchanged" doc:"The org unit works with this revision already"`
	InstalledAt    time.Time             `json:"installedAt"`
	Created        Counts                `json:"created" doc:"New records"`
	Changed        Counts                `json:"changed" doc:"Records that got another version"`
	Kept           Counts                `json:"kept" doc:"Records that stay as the org unit has them, though the pack changed"`
	CreatedAssets  int                   `json:"createdAssets"`
	CreatedTerms   int                   `json:"createdTerms"`
	LostExternal   int                   `json:"withoutExternalId" doc:"New records without their external id, which another record of the org unit has"`
	Evaluations    []InstalledEvaluation `json:"evaluations" nullable:"false"`
	Conflicts      []Conflict            `json:"conflicts" nullable:"false" doc:"At most 200"`
	ConflictsTotal int                   `json:"conflictsTotal"`
	MissingTerms   []string              `json:"missingTerms" nullable:"false" doc:"As facet:slug; at most 200"`
	MissingTotal   int                   `json:"missingTermsTotal"`
}

// InstalledEvaluation is the org unit's copy of an evaluation of the pack.
type InstalledEvaluation struct {
	Pos                          int    `json:"pos"`
	SourceEvaluationVersionID    ids.ID `json:"sourceEvaluationVersionId"`
	InstalledEvaluationID        ids.ID `json:"installedEvaluationId"`
	InstalledEvaluationVersionID ids.ID `json:"installedEvaluationVersionId"`
	KeptLocal                    bool   `json:"keptLocal" doc:"The org unit's own version, not the pack's"`
	Title                        string `json:"title" doc:"Of the installed version"`
}

// Install copies a revision into an org unit as published versions of its own records, in one transaction. A
// revision that is installed already changes nothing; another one makes new versions of the same records if
// they differ. It publishes evaluations, and so requires from a user what the policy for publishing requires at
// the highest level among them. Of two calls at once the second waits, and finds the revision installed.
// Capability: packs.manage. Errors: not_found, archived, conflict (the org unit is the library's own),
// step_up_required, terms_missing, pack_conflicts with the list, storage_unavailable.
func Install(ctx context.Context, tx *db.Tx, in InstallInput) (Installation, error) {
	if err := tx.Require(capability.PacksManage); err != nil {
		return Installation{}, err
	}
	if err := errs.Invalid(in.problems()...); err != nil {
		return Installation{}, err
	}
	r, err := revisionOf(ctx, tx, in.LibraryID, in.RevisionID)
	if err != nil {
		return Installation{}, err
	}
	err = reach(ctx, tx, in.OrgUnitID)
	if err != nil {
		return Installation{}, err
	}
	from, err := libraryOf(ctx, tx, in.LibraryID)
	if err != nil {
		return Installation{}, err
	}
	switch {
	case from.ArchivedAt != nil:
		return Installation{}, errs.New(errs.Archived, "The library is archived.")
	case from.OrgUnitID == in.OrgUnitID && !from.Imported:
		return Installation{}, errs.New(errs.Conflict, "The org unit has what the library was made of.")
	}
	i := installer{tx: tx, in: in, revision: r, kept: map[ids.ID]bool{}, taken: map[ids.ID]bool{}, local: map[string]map[ids.ID]local{}}
	i.done = Installation{LibraryID: r.LibraryID, RevisionID: r.ID, RevisionNumber: r.RevisionNumber, ManifestHash: r.ManifestHash,
		OrgUnitID: in.OrgUnitID, DryRun: in.DryRun, InstalledAt: tx.Now(), Evaluations: []InstalledEvaluation{}, Conflicts: []Conflict{}, MissingTerms: []string{}}
	there, err := i.begin(ctx)
	if err != nil || there {
		return i.done, err
	}
	ready, err := i.plan(ctx)
	if err != nil || !ready {
		return i.done, err
	}
	return i.done, i.run(ctx)
}

func (in InstallInput) problems() []errs.Field {
	var p []errs.Field
	check := func(path, value string) {
		if value != "" && value != KeepLocal && value != TakePack {
			p = append(p, errs.Field{Path: path, Code: "out_of_range", Message: "it is keep_local or take_pack"})
		}
	}
	check("onConflict", in.OnConflict)
	for n, one := range in.Resolve {
		check(fmt.Sprintf("resolve[%d].take", n), one.Take)
	}
	return p
}

// reach checks that an org unit is in the scope.
func reach(ctx context.Context, tx *db.Tx, org ids.ID) error {
	var there bool
	err := tx.QueryRow(ctx, "select exists (select from org_units where tenant_id = $1 and id = $2 and ($3 or id = $4))",
		tx.Tenant(), org, tx.Scope().All, tx.Scope().OrgUnit).Scan(&there)
	if err != nil {
		return fmt.Errorf("find org unit: %w", err)
	}
	if !there {
		return errs.New(errs.NotFound, "There is no such org unit in your scope.")
	}
	return nil
}

// installer brings one revision into one org unit.
type installer struct {
	tx       *db.Tx
	in       InstallInput
	revision Revision
	done     Installation
	// kept are records, by their source, that do not change; taken are records whose local changes go.
	kept, taken map[ids.ID]bool
	// terms are ids by "facet:slug", assets the assets of the org unit by SHA-256.
	terms map[string]ids.ID
	// local has the org unit's records and versions, by kind and version of the pack.
	local map[string]map[ids.ID]local
	// fitted are questions that are new.
	fitted []ids.ID
	assets map[string]localAsset
	// level is the highest level at which an evaluation of the pack is verified.
	level string
}

// begin makes authors and other installs of the library into the org unit wait, and says whether the revision is
// installed already, with all its records.
func (i *installer) begin(ctx context.Context) (bool, error) {
	err := queue(ctx, i.tx, i.revision.LibraryID, i.in.OrgUnitID)
	if err != nil {
		return false, err
	}
	var current ids.ID
	err = i.tx.QueryRow(ctx, `
		select id, revision_id, installed_at from library_installs
		where tenant_id = $1 and library_id = $2 and into_unit = $3 and state = 'current'`, i.tx.Tenant(), i.revision.LibraryID, i.in.OrgUnitID).
		Scan(&i.done.ID, &current, &i.done.InstalledAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, i.restore(ctx)
	}
	if err != nil {
		return false, fmt.Errorf("find install: %w", err)
	}
	gone, err := i.forgetDeleted(ctx)
	if err != nil || gone > 0 || current != i.revision.ID {
		i.done.InstalledAt = i.tx.Now()
		return false, err
	}
	i.done.Unchanged, i.done.InstalledAt = true, i.done.InstalledAt.UTC()
	i.done.Evaluations, err = installedOf(ctx, i.tx, i.done.ID)
	return true, err
}

// queue makes installs and uninstalls of a library in an org unit wait for each other, and keeps authors from changing the
// copies until the transaction ends. All lock in one order: kind by kind, id by id.
func queue(ctx context.Context, tx *db.Tx, library, org ids.ID) error {
	_, err := tx.Exec(ctx, "select pg_advisory_xact_lock(hashtextextended(concat_ws(' ', 'pack', $1::text, $2::text, $3::text), 0))",
		tx.Tenant().String(), org.String(), library.String())
	if err != nil {
		return fmt.Errorf("wait for other installs: %w", err)
	}
	for _, kind := range copiedKinds {
		copies, err := copiesOf(ctx, tx, library, org, kind)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, fmt.Sprintf(`
			select from %ss r where r.tenant_id = $1 and r.id = any($2) order by r.id for update`, kind), tx.Tenant(), copies)
		if err != nil {
			return fmt.Errorf("lock %ss: %w", kind, err)
		}
	}
	return nil
}

// run copies what differs and records which revision the org unit works with.
func (i *installer) run(ctx context.Context) error {
	if !i.in.DryRun {
		_, err := policy.RequirePublish(ctx, i.tx, i.level, i.in.RevisionID, i.in.OrgUnitID)
		if err != nil {
			return err
		}
	}
	for _, step := range []func(context.Context) error{i.dropDrafts, i.copyAssets, i.copyPassages, i.copyQuestions, i.copyEvaluations, i.record} {
		err := step(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}
