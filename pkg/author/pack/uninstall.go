package pack

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// UninstallInput names an org unit that has a library installed.
type UninstallInput struct {
	ByLibrary
	OrgUnitID ids.ID `json:"orgUnitId" noun:"org-unit" doc:"Where it is installed"`
}

// Uninstallation tells what uninstalling archived.
type Uninstallation struct {
	LibraryID      ids.ID `json:"libraryId"`
	OrgUnitID      ids.ID `json:"orgUnitId"`
	RevisionNumber int    `json:"revisionNumber" doc:"That was installed"`
	Archived       Counts `json:"archived"`
	ClosedSessions int    `json:"closedSessions"`
}

// Uninstall archives what an org unit has of a library: the evaluations, whose open sessions are closed, and the questions and
// passages that no other evaluation in use shows. Nothing is deleted, and installing takes everything into use again. archive
// archives evaluations as the inventory does, and gives the number of sessions that it closed. Capability: packs.manage.
// Errors: not_found.
func Uninstall(ctx context.Context, tx *db.Tx, in UninstallInput, archive func(context.Context, *db.Tx, []ids.ID) (int, error)) (Uninstallation, error) {
	done := Uninstallation{LibraryID: in.LibraryID, OrgUnitID: in.OrgUnitID}
	if err := tx.Require(capability.PacksManage); err != nil {
		return done, err
	}
	err := reach(ctx, tx, in.OrgUnitID)
	if err == nil {
		err = queue(ctx, tx, in.LibraryID, in.OrgUnitID)
	}
	if err != nil {
		return done, err
	}
	var install ids.ID
	err = tx.QueryRow(ctx, `
		update library_installs set state = 'uninstalled', ended_at = $4
		where tenant_id = $1 and library_id = $2 and into_unit = $3 and state = 'current' returning id, revision_number`,
		tx.Tenant(), in.LibraryID, in.OrgUnitID, tx.Now()).Scan(&install, &done.RevisionNumber)
	if errors.Is(err, pgx.ErrNoRows) {
		return done, errs.New(errs.NotFound, "The library is not installed in this org unit.")
	}
	if err != nil {
		return done, fmt.Errorf("uninstall: %w", err)
	}
	rows, err := tx.Query(ctx, `
		select e.id from library_copies c join evaluations e on e.tenant_id = $1 and e.id = c.copy_id
		where c.tenant_id = $1 and c.org_unit_id = $2 and c.library_id = $3 and c.kind = 'evaluation' and e.status <> 'archived' order by e.id`,
		tx.Tenant(), in.OrgUnitID, in.LibraryID)
	if err != nil {
		return done, fmt.Errorf("find what is installed: %w", err)
	}
	evaluations, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil {
		return done, fmt.Errorf("find what is installed: %w", err)
	}
	done.Archived.Evaluations = len(evaluations)
	done.ClosedSessions, err = archive(ctx, tx, evaluations)
	if err != nil {
		return done, err
	}
	for _, k := range []struct {
		kind  string
		count *int
	}{{kindQuestion, &done.Archived.Questions}, {kindPassage, &done.Archived.Passages}} {
		copies, err := copiesOf(ctx, tx, in.LibraryID, in.OrgUnitID, k.kind)
		if err != nil {
			return done, err
		}
		n, err := tx.Exec(ctx, fmt.Sprintf(`
			update %[1]ss r set status = 'archived', updated_at = greatest($3, just_after(r.updated_at))
			where r.tenant_id = $1 and r.id = any($2) and r.status <> 'archived' and not exists (
				select from evaluation_items x join evaluation_versions v on v.tenant_id = $1 and v.id = x.evaluation_version_id
				join evaluations e on e.tenant_id = $1 and e.id = v.evaluation_id and e.status <> 'archived' and v.id in (e.draft_id, e.published_id)
				where x.tenant_id = $1 and x.%[1]s_id = r.id offset 0)`, k.kind), tx.Tenant(), copies, tx.Now())
		if err != nil {
			return done, fmt.Errorf("archive %ss: %w", k.kind, err)
		}
		*k.count = int(n)
	}
	return done, ledger.Append(ctx, tx, ledger.Event{Type: "library.uninstalled", SubjectType: "library", SubjectID: in.LibraryID, OrgUnit: in.OrgUnitID,
		Payload: map[string]any{"installId": install, "revisionNumber": done.RevisionNumber, "archived": done.Archived}})
}
