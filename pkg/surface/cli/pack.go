package cli

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"assess/pkg/author/pack"
	"assess/pkg/exam/inventory"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

func newPack(s *Shell) *cobra.Command {
	g := group("pack", "Publish evaluations as content packs, install them in other org units, and follow every copy",
		newPackList(s), newShow(s, "show ID", "Show a library with its items", byID("library", pack.GetLibrary), drawn(drawLibrary)),
		newPackCreate(s), newPackUpdate(s), newPackAdd(s), newPackItem(s), newPackRemove(s),
		newRemove(s, "delete ID", "Delete a library that was never published; archive it otherwise", "Delete the library %[1]s?",
			byID("library", deleted(pack.DeleteLibrary))),
		newAct(s, "publish ID", "Publish a library as a revision that never changes", byID("library", pack.Publish), fields(revisionColumns)))
	g.AddCommand(newPackRevisions(s), newPackRevision(s), newPackDiff(s), newPackInstall(s), newPackUninstall(s), newPackLineage(s), newPackExport(s), newPackImport(s), newPackKey(s))
	return g
}

func newPackList(s *Shell) *cobra.Command {
	var filter pack.LibraryFilter
	cmd := newList(s, "list", "List libraries: those of the org unit and those that are offered", &filter.Page, with(&filter, pack.ListLibraries), libraryColumns)
	cmd.Flags().BoolVar(&filter.Archived, "archived", false, "those that are archived instead")
	return cmd
}

func newPackCreate(s *Shell) *cobra.Command {
	var in pack.LibraryInput
	cmd := newAct(s, "create NAME", "Create a library", with(&in, pack.CreateLibrary, &in.Name), drawn(drawLibrary))
	cmd.Flags().StringVar(&in.Description, "description", "", "what it is for")
	cmd.Flags().BoolVar(&in.Offered, "offer", false, "let other org units of the tenant see and install it")
	return cmd
}

func newPackUpdate(s *Shell) *cobra.Command {
	var patch pack.LibraryPatch
	var offered, archived bool
	cmd := newAct(s, "update ID", "Rename a library, offer it, or take it out of use and back", change("library", &patch, pack.UpdateLibrary), drawn(drawLibrary))
	newText(cmd, &patch.Name, "name")
	newText(cmd, &patch.Description, "description")
	cmd.Flags().BoolVar(&offered, "offer", false, "let other org units see and install it; --offer=false takes it back")
	cmd.Flags().BoolVar(&archived, "archived", false, "take it out of use; --archived=false takes it into use again")
	whenGiven(cmd, "offer", func() { patch.Offered = &offered })
	whenGiven(cmd, "archived", func() { patch.Archived = &archived })
	return cmd
}

func newPackAdd(s *Shell) *cobra.Command {
	var in pack.ItemInput
	var version, metadata string
	cmd := newAct(s, "add ID EVALUATION", "Add a published evaluation to a library",
		func(ctx context.Context, tx *db.Tx, args []string) (pack.Library, error) {
			library, err := recordID("library", args[0])
			if err != nil {
				return pack.Library{}, err
			}
			in.EvaluationID, err = findEvaluation(ctx, tx, args[1])
			if err != nil {
				return pack.Library{}, err
			}
			if version != "" {
				id, err := recordID("version", version)
				if err != nil {
					return pack.Library{}, err
				}
				in.SourceEvaluationVersionID = &id
			}
			in.Metadata = json.RawMessage(metadata)
			return pack.AddItem(ctx, tx, library, in)
		}, drawn(drawLibrary))
	cmd.Flags().StringVar(&version, "version", "", "id of a published version (default: the one that is published when the library is)")
	cmd.Flags().StringVar(&metadata, "metadata", "", "a JSON object of your own, which goes with the pack")
	return cmd
}

func newPackItem(s *Shell) *cobra.Command {
	var patch pack.ItemPatch
	var pos int
	var version, metadata string
	cmd := newAct(s, "item ID ITEM-ID", "Change an item of a library: its place, its version or its metadata",
		ofItem(func(ctx context.Context, tx *db.Tx, library, item ids.ID) (pack.Library, error) {
			if version != "" {
				id, err := recordID("version", version)
				if err != nil {
					return pack.Library{}, err
				}
				patch.SourceEvaluationVersionID = &id
			}
			return pack.UpdateItem(ctx, tx, library, item, patch)
		}), drawn(drawLibrary))
	cmd.Flags().IntVar(&pos, "to", 0, "place among the items, from 0")
	cmd.Flags().StringVar(&version, "version", "", "id of a published version")
	cmd.Flags().StringVar(&metadata, "metadata", "", "a JSON object of your own, which goes with the pack")
	whenGiven(cmd, "to", func() { patch.Pos = &pos })
	whenGiven(cmd, "metadata", func() { patch.Metadata = json.RawMessage(metadata) })
	return cmd
}

func newPackRemove(s *Shell) *cobra.Command {
	return newAct(s, "remove ID ITEM-ID", "Take an item out of a library; revisions keep what they have",
		ofItem(func(ctx context.Context, tx *db.Tx, library, item ids.ID) (pack.Library, error) {
			err := pack.RemoveItem(ctx, tx, library, item)
			if err != nil {
				return pack.Library{}, err
			}
			return pack.GetLibrary(ctx, tx, library)
		}), drawn(drawLibrary))
}

// ofLibrary is byID for what looks for more than the library: the operation says what is not there.
func ofLibrary[T any](do func(context.Context, *db.Tx, ids.ID) (T, error)) work[T] {
	return func(ctx context.Context, tx *db.Tx, args []string) (T, error) {
		library, err := recordID("library", args[0])
		if err != nil {
			var none T
			return none, err
		}
		return do(ctx, tx, library)
	}
}

func ofItem(do func(ctx context.Context, tx *db.Tx, library, item ids.ID) (pack.Library, error)) work[pack.Library] {
	return func(ctx context.Context, tx *db.Tx, args []string) (pack.Library, error) {
		library, err := recordID("library", args[0])
		if err != nil {
			return pack.Library{}, err
		}
		item, err := recordID("item", args[1])
		if err != nil {
			return pack.Library{}, err
		}
		return do(ctx, tx, library, item)
	}
}

func newPackRevisions(s *Shell) *cobra.Command {
	var page db.Page
	return newList(s, "revisions ID", "List the revisions of a library, newest first", &page,
		byID("library", func(ctx context.Context, tx *db.Tx, id ids.ID) (db.List[pack.Revision], error) {
			return pack.ListRevisions(ctx, tx, id, page)
		}), revisionColumns)
}

func newPackRevision(s *Shell) *cobra.Command {
	var number int
	cmd := newShow(s, "revision ID", "Show a revision of a library with its items",
		ofLibrary(func(ctx context.Context, tx *db.Tx, id ids.ID) (pack.Revision, error) {
			return pack.FindRevision(ctx, tx, id, number)
		}), drawn(drawRevision))
	revisionFlag(cmd, &number)
	return cmd
}

func newPackDiff(s *Shell) *cobra.Command {
	var in pack.DiffInput
	var to, from int
	cmd := newList(s, "diff ID", "List what differs between two revisions", &in.Page,
		ofLibrary(func(ctx context.Context, tx *db.Tx, id ids.ID) (db.List[pack.Difference], error) {
			r, err := pack.FindRevision(ctx, tx, id, to)
			if err != nil {
				return db.List[pack.Difference]{}, err
			}
			in.LibraryID, in.RevisionID = id, r.ID
			if from > 0 {
				before, err := pack.FindRevision(ctx, tx, id, from)
				if err != nil {
					return db.List[pack.Difference]{}, err
				}
				in.From = before.ID
			}
			return pack.Diff(ctx, tx, in)
		}), differenceColumns)
	revisionFlag(cmd, &to)
	cmd.Flags().IntVar(&from, "from", 0, "number of the revision to compare with (default: the one before)")
	return cmd
}

func revisionFlag(cmd *cobra.Command, number *int) {
	cmd.Flags().IntVar(number, "revision", 0, "number of the revision (default: the newest)")
}

// intoFlag names the org unit that a pack goes into; it is the one of the scope by default.
func intoFlag(cmd *cobra.Command, into *string) {
	cmd.Flags().StringVar(into, "into", "", "slug or id of the org unit (default: that of --org)")
}

func orgUnitOf(ctx context.Context, tx *db.Tx, into string) (ids.ID, error) {
	if into == "" {
		return tx.HomeOrgUnit()
	}
	unit, err := people.FindOrgUnit(ctx, tx, into)
	return unit.ID, err
}

func newPackInstall(s *Shell) *cobra.Command {
	var in pack.InstallInput
	var number int
	var into string
	var keep, take []string
	cmd := newAct(s, "install ID", "Install a revision into an org unit, or bring what is installed to it",
		ofLibrary(func(ctx context.Context, tx *db.Tx, id ids.ID) (pack.Installation, error) {
			r, err := pack.FindRevision(ctx, tx, id, number)
			if err != nil {
				return pack.Installation{}, err
			}
			in.LibraryID, in.RevisionID, in.DryRun = id, r.ID, s.dryRun
			in.OrgUnitID, err = orgUnitOf(ctx, tx, into)
			if err != nil {
				return pack.Installation{}, err
			}
			in.Resolve, err = resolutions(keep, take)
			if err != nil {
				return pack.Installation{}, err
			}
			return pack.Install(ctx, tx, in)
		}), drawn(drawInstallation))
	revisionFlag(cmd, &number)
	intoFlag(cmd, &into)
	cmd.Flags().BoolVar(&in.CreateTerms, "create-terms", false, "make the terms that the tenant lacks")
	cmd.Flags().StringVar(&in.OnConflict, "on-conflict", "", "where both sides changed a record: keep_local or take_pack (default: refuse, and list them)")
	cmd.Flags().StringSliceVar(&keep, "keep-local", nil, "source ids of records that stay as the org unit has them, before --on-conflict")
	cmd.Flags().StringSliceVar(&take, "take-pack", nil, "source ids of records that become what the pack says, before --on-conflict")
	return cmd
}

func resolutions(keep, take []string) ([]pack.Resolution, error) {
	var all []pack.Resolution
	for _, side := range []struct {
		sources []string
		take    string
	}{{keep, pack.KeepLocal}, {take, pack.TakePack}} {
		for _, word := range side.sources {
			id, err := recordID("source", word)
			if err != nil {
				return nil, err
			}
			all = append(all, pack.Resolution{SourceID: id, Take: side.take})
		}
	}
	return all, nil
}

func newPackUninstall(s *Shell) *cobra.Command {
	var into string
	cmd := asking(newAct(s, "uninstall ID", "Archive what an org unit has of a library, and close its open sessions",
		ofLibrary(func(ctx context.Context, tx *db.Tx, id ids.ID) (pack.Uninstallation, error) {
			org, err := orgUnitOf(ctx, tx, into)
			if err != nil {
				return pack.Uninstallation{}, err
			}
			return pack.Uninstall(ctx, tx, pack.UninstallInput{LibraryID: id, OrgUnitID: org}, inventory.ArchiveEvaluations)
		}), fields(uninstallColumns)), "Archive what is installed of the library %[1]s?")
	intoFlag(cmd, &into)
	return cmd
}

func newPackLineage(s *Shell) *cobra.Command {
	var page db.Page
	var number int
	cmd := newPaged(s, (*db.Store).Read, "lineage ID", "Show where a revision is installed, and how many submissions were taken with it", &page,
		ofLibrary(func(ctx context.Context, tx *db.Tx, id ids.ID) (pack.Lineage, error) {
			r, err := pack.FindRevision(ctx, tx, id, number)
			if err != nil {
				return pack.Lineage{}, err
			}
			return pack.GetLineage(ctx, tx, pack.LineageInput{RevisionInput: pack.RevisionInput{LibraryID: id, RevisionID: r.ID}, Page: page})
		}), func(l *pack.Lineage) paged[pack.LineageInstall] {
			return paged[pack.LineageInstall]{&l.Installs, &l.Limit, l.Total}
		}, drawn(drawLineage))
	revisionFlag(cmd, &number)
	return cmd
}
