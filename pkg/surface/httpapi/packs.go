package httpapi

import (
	"context"

	"assess/pkg/author/pack"
	"assess/pkg/exam/inventory"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

type listLibrariesInput struct {
	Archived bool `query:"archived" doc:"Those that are archived instead"`
	PageQuery
}

func listLibraries(ctx context.Context, tx *db.Tx, in *listLibrariesInput) (db.List[pack.LibrarySummary], error) {
	return pack.ListLibraries(ctx, tx, pack.LibraryFilter{Archived: in.Archived, Page: in.page()})
}

type createLibraryInput struct{ Body pack.LibraryInput }

func createLibrary(ctx context.Context, tx *db.Tx, in *createLibraryInput) (pack.Library, error) {
	return pack.CreateLibrary(ctx, tx, in.Body)
}

func getLibrary(ctx context.Context, tx *db.Tx, in *ByID) (pack.Library, error) {
	return pack.GetLibrary(ctx, tx, in.ID)
}

type updateLibraryInput struct {
	ByID
	Body pack.LibraryPatch
}

func updateLibrary(ctx context.Context, tx *db.Tx, in *updateLibraryInput) (pack.Library, error) {
	return pack.UpdateLibrary(ctx, tx, in.ID, in.Body)
}

func deleteLibrary(ctx context.Context, tx *db.Tx, in *ByID) (none, error) {
	return none{}, pack.DeleteLibrary(ctx, tx, in.ID)
}

type addLibraryItemInput struct {
	ByID
	Body pack.ItemInput
}

func addLibraryItem(ctx context.Context, tx *db.Tx, in *addLibraryItemInput) (pack.Library, error) {
	return pack.AddItem(ctx, tx, in.ID, in.Body)
}

// ByItem names an item of a library.
type ByItem struct {
	ByID
	ItemID ids.ID `path:"itemId"`
}

type updateLibraryItemInput struct {
	ByItem
	Body pack.ItemPatch
}

func updateLibraryItem(ctx context.Context, tx *db.Tx, in *updateLibraryItemInput) (pack.Library, error) {
	return pack.UpdateItem(ctx, tx, in.ID, in.ItemID, in.Body)
}

func removeLibraryItem(ctx context.Context, tx *db.Tx, in *ByItem) (none, error) {
	return none{}, pack.RemoveItem(ctx, tx, in.ID, in.ItemID)
}

func publishLibrary(ctx context.Context, tx *db.Tx, in *ByID) (pack.Revision, error) {
	return pack.Publish(ctx, tx, in.ID)
}

type listRevisionsInput struct {
	ByID
	PageQuery
}

func listRevisions(ctx context.Context, tx *db.Tx, in *listRevisionsInput) (db.List[pack.Revision], error) {
	return pack.ListRevisions(ctx, tx, in.ID, in.page())
}

// ByRevision names a revision of a library.
type ByRevision struct {
	ByID
	RevisionID ids.ID `path:"revisionId"`
}

func (in ByRevision) revision() pack.RevisionInput {
	return pack.RevisionInput{LibraryID: in.ID, RevisionID: in.RevisionID}
}

func getRevision(ctx context.Context, tx *db.Tx, in *ByRevision) (pack.Revision, error) {
	return pack.GetRevision(ctx, tx, in.revision())
}

type diffRevisionsInput struct {
	ByRevision
	From ids.ID `query:"from" doc:"The revision to compare with; absent: the one before"`
	PageQuery
}

func diffRevisions(ctx context.Context, tx *db.Tx, in *diffRevisionsInput) (db.List[pack.Difference], error) {
	return pack.Diff(ctx, tx, pack.DiffInput{LibraryID: in.ID, RevisionID: in.RevisionID, From: in.From, Page: in.page()})
}

type installRevisionInput struct {
	ByRevision
	Body pack.InstallInput
}

// installRevision takes the word of the guard for a dry run: it has opened the transaction that is rolled back, and no other may
// do without a proof.
func installRevision(ctx context.Context, tx *db.Tx, in *installRevisionInput) (pack.Installation, error) {
	in.Body.LibraryID, in.Body.RevisionID, in.Body.DryRun = in.ID, in.RevisionID, callOf(ctx).dryRun
	return pack.Install(ctx, tx, in.Body)
}

type uninstallLibraryInput struct {
	ByID
	Body struct {
		OrgUnitID ids.ID `json:"orgUnitId"`
	}
}

func uninstallLibrary(ctx context.Context, tx *db.Tx, in *uninstallLibraryInput) (pack.Uninstallation, error) {
	return pack.Uninstall(ctx, tx, pack.UninstallInput{LibraryID: in.ID, OrgUnitID: in.Body.OrgUnitID}, inventory.ArchiveEvaluations)
}

type getLineageInput struct {
	ByRevision
	PageQuery
}

func getLineage(ctx context.Context, tx *db.Tx, in *getLineageInput) (pack.Lineage, error) {
	return pack.GetLineage(ctx, tx, pack.LineageInput{RevisionInput: in.revision(), Page: in.page()})
}
