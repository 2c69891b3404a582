package pack

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Lineage shows where a revision went (specification, section 2.12). The org unit of the library sees all
// installs, another one its own.
type Lineage struct {
	Revision LineageRevision `json:"revision"`
	Items    []RevisionItem  `json:"items" nullable:"false"`
	// A page of the installs, the newest first.
	Installs []LineageInstall `json:"installs" nullable:"false"`
	Page     int              `json:"page"`
	Limit    int              `json:"limit"`
	Total    int              `json:"total" doc:"Installed evaluations in all"`
	Summary  LineageSummary   `json:"summary"`
}

// LineageRevision names the revision.
type LineageRevision struct {
	ID             ids.ID `json:"id"`
	RevisionNumber int    `json:"revisionNumber"`
	ManifestHash   string `json:"manifestHash"`
}

// LineageInstall is an evaluation of the revision in an org unit. The counts are of submissions that are not voided, as the
// reports count them.
type LineageInstall struct {
	InstallID                    ids.ID     `json:"installId"`
	OrgUnitID                    ids.ID     `json:"orgUnitId"`
	State                        string     `json:"state" enum:"current,replaced,uninstalled"`
	InstalledAt                  time.Time  `json:"installedAt"`
	EndedAt                      *time.Time `json:"endedAt,omitempty"`
	Pos                          int        `json:"pos"`
	KeptLocal                    bool       `json:"keptLocal" doc:"The org unit kept its own version"`
	SourceEvaluationVersionID    ids.ID     `json:"sourceEvaluationVersionId"`
	InstalledEvaluationID        ids.ID     `json:"installedEvaluationId"`
	InstalledEvaluationVersionID ids.ID     `json:"installedEvaluationVersionId"`
	SubmissionCount              int64      `json:"submissionCount" doc:"Of the installed evaluation, in all its versions"`
	SnapshotLinkedCount          int64      `json:"snapshotLinkedSubmissionCount" doc:"Of these, taken with the version of this revision"`
}

// LineageSummary adds up all installs. An evaluation that two installs share counts once in each.
type LineageSummary struct {
	InstallCount        int   `json:"installCount" doc:"Org units that installed the revision"`
	SubmissionCount     int64 `json:"submissionCount"`
	SnapshotLinkedCount int64 `json:"snapshotLinkedSubmissionCount"`
}

// LineageInput requests a page of the installs of a revision.
type LineageInput struct {
	RevisionInput
	db.Page
}

// GetLineage says where a revision is installed, and how many submissions were taken with it. It reads sums that the reports
// keep, two rows per installed evaluation: it costs the same with ten submissions and with a million, and is as fresh as the
// sums are. Capability: evaluations.read. Errors: not_found.
func GetLineage(ctx context.Context, tx *db.Tx, in LineageInput) (Lineage, error) {
	r, err := GetRevision(ctx, tx, in.RevisionInput)
	if err != nil {
		return Lineage{}, err
	}
	page, err := in.Check()
	if err != nil {
		return Lineage{}, err
	}
	l := Lineage{Revision: LineageRevision{r.ID, r.RevisionNumber, r.ManifestHash}, Items: r.Items, Installs: []LineageInstall{}, Page: page.Page, Limit: page.Limit}
	err = tx.QueryRow(ctx, "select count(*), count(distinct install), coalesce(sum(submission_n), 0)::bigint, coalesce(sum(linked_n), 0)::bigint from library_lineage($1)", r.ID).
		Scan(&l.Total, &l.Summary.InstallCount, &l.Summary.SubmissionCount, &l.Summary.SnapshotLinkedCount)
	if err != nil {
		return Lineage{}, fmt.Errorf("add up lineage: %w", err)
	}
	rows, err := tx.Query(ctx, `
		select install, into_unit, state, installed_at, ended_at, pos, kept, source_version, evaluation, version, submission_n, linked_n
		from library_lineage($1) order by installed_at desc, install, pos limit $2 offset $3`, r.ID, page.Limit, page.Offset())
	if err != nil {
		return Lineage{}, fmt.Errorf("read lineage: %w", err)
	}
	installs, err := pgx.CollectRows(rows, pgx.RowToStructByPos[LineageInstall])
	if err != nil {
		return Lineage{}, fmt.Errorf("read lineage: %w", err)
	}
	for _, i := range installs {
		i.InstalledAt, i.EndedAt = i.InstalledAt.UTC(), db.UTC(i.EndedAt)
		l.Installs = append(l.Installs, i)
	}
	return l, nil
}

// Origin has the revision of the pack that a version of an evaluation came with.
type Origin struct {
	LibraryID                 ids.ID    `json:"libraryId"`
	LibraryName               string    `json:"libraryName"`
	RevisionID                ids.ID    `json:"revisionId"`
	RevisionNumber            int       `json:"revisionNumber"`
	ManifestHash              string    `json:"manifestHash"`
	State                     string    `json:"state" enum:"current,replaced,uninstalled"`
	InstalledAt               time.Time `json:"installedAt"`
	SourceEvaluationVersionID ids.ID    `json:"sourceEvaluationVersionId"`
	EvaluationVersionID       ids.ID    `json:"installedEvaluationVersionId"`
	KeptLocal                 bool      `json:"keptLocal" doc:"The org unit kept its own version instead"`
}

const originSQL = `
	select i.library_id, i.library_name, i.revision_id, i.revision_number, i.manifest_hash, i.state, i.installed_at, d.source_version_id, d.evaluation_version_id, d.kept
	from library_installed d join library_installs i on i.tenant_id = $1 and i.id = d.install_id
	where d.tenant_id = $1 `

// OriginOfVersion gives the revision that a version came with: the first if several have it, nothing for a version that was
// written here. It checks no capability itself: anyone who sees the version may know.
func OriginOfVersion(ctx context.Context, tx *db.Tx, version ids.ID) (*Origin, error) {
	return origin(ctx, tx, originSQL+"and d.evaluation_version_id = $2 and not d.kept order by i.revision_number limit 1", version)
}

// OriginOfEvaluation gives the revision that an evaluation has now, or had last.
func OriginOfEvaluation(ctx context.Context, tx *db.Tx, evaluation ids.ID) (*Origin, error) {
	return origin(ctx, tx, originSQL+"and d.evaluation_id = $2 order by i.state = 'current' desc, i.installed_at desc limit 1", evaluation)
}

func origin(ctx context.Context, tx *db.Tx, sql string, id ids.ID) (*Origin, error) {
	rows, err := tx.Query(ctx, sql, tx.Tenant(), id)
	if err != nil {
		return nil, fmt.Errorf("find the pack: %w", err)
	}
	o, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Origin])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil //nolint:nilnil // most evaluations came with no pack
	}
	if err != nil {
		return nil, fmt.Errorf("find the pack: %w", err)
	}
	o.InstalledAt = o.InstalledAt.UTC()
	return &o, nil
}
