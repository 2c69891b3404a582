package pack

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// record records that the org unit works with the revision. The one that it worked with before keeps its row.
func (i *installer) record(ctx context.Context) error {
	_, err := i.tx.Exec(ctx, `update library_installs set state = 'replaced', ended_at = $5
		where tenant_id = $1 and library_id = $2 and into_unit = $3 and state = 'current' and revision_id <> $4`,
		i.tx.Tenant(), i.revision.LibraryID, i.in.OrgUnitID, i.revision.ID, i.tx.Now())
	if err != nil {
		return fmt.Errorf("end the install before: %w", err)
	}
	err = i.tx.QueryRow(ctx, `
		insert into library_installs as i (tenant_id, id, library_id, revision_id, into_unit, library_name, revision_number, manifest_hash, state, installed_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, 'current', $9)
		on conflict (tenant_id, revision_id, into_unit) do update set state = 'current', installed_at = excluded.installed_at, ended_at = null
		returning id`, i.tx.Tenant(), ids.New(), i.revision.LibraryID, i.revision.ID, i.in.OrgUnitID, i.revision.Name, i.revision.RevisionNumber,
		i.revision.ManifestHash, i.tx.Now()).Scan(&i.done.ID)
	if err != nil {
		return fmt.Errorf("note the install: %w", err)
	}
	_, err = i.tx.Exec(ctx, "delete from library_installed where tenant_id = $1 and install_id = $2", i.tx.Tenant(), i.done.ID)
	if err != nil {
		return fmt.Errorf("note the installed evaluations: %w", err)
	}
	var positions []int
	var sources, evaluations, versions []ids.ID
	var kept []bool
	for _, e := range i.done.Evaluations {
		positions, sources, evaluations = append(positions, e.Pos), append(sources, e.SourceEvaluationVersionID), append(evaluations, e.InstalledEvaluationID)
		versions, kept = append(versions, e.InstalledEvaluationVersionID), append(kept, e.KeptLocal)
	}
	_, err = i.tx.Exec(ctx, `
		insert into library_installed (tenant_id, install_id, position, source_version_id, evaluation_id, evaluation_version_id, kept)
		select $1, $2, n.* from unnest($3::int[], $4::uuid[], $5::uuid[], $6::uuid[], $7::bool[]) as n returning true`,
		i.tx.Tenant(), i.done.ID, positions, sources, evaluations, versions, kept)
	if err != nil {
		return fmt.Errorf("note the installed evaluations: %w", err)
	}
	return ledger.Append(ctx, i.tx, ledger.Event{Type: "library.installed", SubjectType: "library", SubjectID: i.revision.LibraryID, OrgUnit: i.in.OrgUnitID,
		Payload: map[string]any{"revisionId": i.revision.ID, "revisionNumber": i.revision.RevisionNumber, "manifestHash": i.revision.ManifestHash,
			"created": i.done.Created, "changed": i.done.Changed, "kept": i.done.Kept}})
}

func installedOf(ctx context.Context, tx *db.Tx, install ids.ID) ([]InstalledEvaluation, error) {
	rows, err := tx.Query(ctx, `
		select i.position, i.source_version_id, i.evaluation_id, i.evaluation_version_id, i.kept, v.title from library_installed i
		join evaluation_versions v on v.tenant_id = $1 and v.id = i.evaluation_version_id
		where i.tenant_id = $1 and i.install_id = $2 order by i.position`, tx.Tenant(), install)
	if err != nil {
		return nil, fmt.Errorf("read the installed evaluations: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[InstalledEvaluation])
	if err != nil {
		return nil, fmt.Errorf("read the installed evaluations: %w", err)
	}
	return append([]InstalledEvaluation{}, found...), nil
}
