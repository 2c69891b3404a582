package cli

import (
	"fmt"

	"assess/pkg/author/pack"
)

var (
	libraryColumns    = columns[pack.LibrarySummary]("Name, RevisionNumber = Revision, InstalledNumber = Installed, Offered, Imported, UpdatedAt, ID*")
	packItemColumns   = columns[pack.Item]("Pos, Title, EvaluationID = Evaluation*, ID*")
	revisionColumns   = columns[pack.Revision]("RevisionNumber = Revision, Evaluations, Questions, Passages, Assets, PublishedAt, ManifestHash, ID*")
	differenceColumns = columns[pack.Difference]("Kind, Change, Name, IsContent = Content changed, SourceID = Source*")
	uninstallColumns  = columns[pack.Uninstallation]("RevisionNumber = Revision, Archived.Evaluations = Evaluations, Archived.Questions = Questions, Archived.Passages = Passages, ClosedSessions")
	installedColumns  = columns[pack.InstalledEvaluation]("Pos, InstalledEvaluationID = Evaluation, InstalledEvaluationVersionID = Version*, KeptLocal")
	conflictColumns   = columns[pack.Conflict]("Kind, Local, Resolution, CopyID = Copy, SourceID = Source*")
	lineageColumns    = columns[pack.LineageInstall]("OrgUnitID = Org unit, State, Pos, SubmissionCount = Submissions, SnapshotLinkedCount = Of this revision, InstalledAt")
	exportedColumns   = columns[pack.Exported]("RevisionNumber = Revision, ManifestHash, PublicKey")
	importedColumns   = columns[pack.Imported]("LibraryID = Library, RevisionNumber = Revision, ManifestHash, PublicKey, Unchanged")
	packKeyColumns    = columns[pack.Key]("Name, PublicKey, CreatedAt")
)

func drawLibrary(screen *Screen, l pack.Library) error {
	fmt.Fprintf(screen, "%s\n%s\n", screen.Paint(Strong, clean(l.Name)), screen.Paint(Faint, l.ID.String()))
	if l.Description != "" {
		fmt.Fprintln(screen, clean(l.Description))
	}
	if l.RevisionNumber == 0 {
		fmt.Fprintln(screen, "Not published")
	} else {
		fmt.Fprintf(screen, "Revision %d, manifest %s\n", l.RevisionNumber, *l.ManifestHash)
	}
	if len(l.Items) == 0 {
		return nil
	}
	screen.heading("Items")
	return Table(screen, l.Items, packItemColumns...)
}

func drawInstallation(screen *Screen, i pack.Installation) error {
	switch {
	case i.Unchanged:
		fmt.Fprintf(screen, "Revision %d is installed already; nothing changed.\n", i.RevisionNumber)
	case i.DryRun:
		fmt.Fprintf(screen, "Revision %d would be installed.\n", i.RevisionNumber)
	default:
		fmt.Fprintf(screen, "Revision %d is installed.\n", i.RevisionNumber)
	}
	for _, part := range []struct {
		name   string
		counts pack.Counts
	}{{"Created", i.Created}, {"Changed", i.Changed}, {"Kept", i.Kept}} {
		if part.counts != (pack.Counts{}) {
			fmt.Fprintf(screen, "%s: %d evaluations, %d questions, %d passages\n", part.name, part.counts.Evaluations, part.counts.Questions, part.counts.Passages)
		}
	}
	if i.MissingTotal > 0 {
		fmt.Fprintf(screen, "%d terms are missing, such as %s: say --create-terms\n", i.MissingTotal, clean(i.MissingTerms[0]))
	}
	if i.ConflictsTotal > 0 {
		screen.heading(fmt.Sprintf("Changed on both sides (%d)", i.ConflictsTotal))
		err := Table(screen, i.Conflicts, conflictColumns...)
		if err != nil {
			return err
		}
	}
	if len(i.Evaluations) == 0 {
		return nil
	}
	screen.heading("Evaluations")
	return Table(screen, i.Evaluations, installedColumns...)
}

func drawLineage(screen *Screen, l pack.Lineage) error {
	fmt.Fprintf(screen, "Revision %d, manifest %s\n%d org units, %d submissions, %d of them with this revision\n", l.Revision.RevisionNumber, l.Revision.ManifestHash,
		l.Summary.InstallCount, l.Summary.SubmissionCount, l.Summary.SnapshotLinkedCount)
	if len(l.Installs) == 0 {
		return nil
	}
	screen.heading("Installs")
	return Table(screen, l.Installs, lineageColumns...)
}
