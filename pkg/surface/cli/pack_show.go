package cli

import (
	"fmt"
	"strings"

	"assess/pkg/author/pack"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/plural"
)

var (
	libraryColumns    = columns[pack.LibrarySummary]("Name, RevisionNumber = Revision, InstalledNumber = Installed, Offered, Imported, UpdatedAt, ID*")
	packItemColumns   = columns[pack.Item]("Pos, Title, EvaluationID = Evaluation*, ID*")
	revisionColumns   = columns[pack.Revision]("RevisionNumber = Revision, Evaluations, Questions, Passages, Assets, PublishedAt, ManifestHash, ID*")
	revisionItems     = columns[pack.RevisionItem]("Pos, Title, SourceEvaluationVersionID = Version*")
	differenceColumns = columns[pack.Difference]("Kind, Change, Name, IsContent = Content changed, SourceID = Source*")
	uninstallColumns  = columns[pack.Uninstallation]("RevisionNumber = Revision, Archived.Evaluations = Evaluations, Archived.Questions = Questions, Archived.Passages = Passages, ClosedSessions")
	installedColumns  = columns[pack.InstalledEvaluation]("Pos, Title = Evaluation, KeptLocal, InstalledEvaluationID = ID*, InstalledEvaluationVersionID = Version*")
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

func drawRevision(screen *Screen, r pack.Revision) error {
	fmt.Fprintf(screen, "%s, revision %d\n%s\nManifest %s\n", screen.Paint(Strong, clean(r.Name)), r.RevisionNumber, screen.Paint(Faint, r.ID.String()), r.ManifestHash)
	fmt.Fprintf(screen, "%s, %s, %s\n", recordCounts(r.Counts), plural.Of(r.Assets, "file"), plural.Of(r.Terms, "term"))
	if r.SignedBy != nil {
		fmt.Fprintf(screen, "Signed by %s\n", *r.SignedBy)
	}
	screen.heading("Items")
	return Table(screen, r.Items, revisionItems...)
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
			fmt.Fprintf(screen, "%s: %s\n", part.name, recordCounts(part.counts))
		}
	}
	if i.MissingTotal > 0 {
		fmt.Fprintf(screen, "%s missing, such as %s: say --create-terms\n", plural.Of(i.MissingTotal, "term"), clean(i.MissingTerms[0]))
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

func recordCounts(c pack.Counts) string {
	return strings.Join([]string{plural.Of(c.Evaluations, "evaluation"), plural.Of(c.Questions, "question"), plural.Of(c.Passages, "passage")}, ", ")
}

// undecided says of a refused install which terms are missing and which records both sides changed.
func undecided(e *errs.Error) []string {
	var lines []string
	terms, _ := e.Details["missingTerms"].([]string)
	for _, t := range terms {
		lines = append(lines, clean(t))
	}
	conflicts, _ := e.Details["conflicts"].([]pack.Conflict)
	for _, c := range conflicts {
		lines = append(lines, fmt.Sprintf("%s %s, %s here; source %s", c.Kind, c.CopyID, c.Local, c.SourceID))
	}
	for _, total := range []string{"missingTermsTotal", "conflictsTotal"} {
		n, _ := e.Details[total].(int)
		if n > len(lines) {
			lines = append(lines, fmt.Sprintf("and %d more", n-len(lines)))
		}
	}
	return lines
}

func drawLineage(screen *Screen, l pack.Lineage) error {
	fmt.Fprintf(screen, "Revision %d, manifest %s\n%s, %s, %d of them with this revision\n", l.Revision.RevisionNumber, l.Revision.ManifestHash,
		plural.Of(l.Summary.InstallCount, "org unit"), plural.Of(l.Summary.SubmissionCount, "submission"), l.Summary.SnapshotLinkedCount)
	if len(l.Installs) == 0 {
		return nil
	}
	screen.heading("Installs")
	return Table(screen, l.Installs, lineageColumns...)
}
