package authoring

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/policy"
)

// Published names the version of an evaluation that is delivered.
type Published struct {
	EvaluationID        ids.ID
	EvaluationVersionID ids.ID
	OrgUnitID           ids.ID
	SnapshotHash        string
}

// PublishedVersion gives the version that a new session takes. It checks no capability
// itself: the caller's operation says what a caller may do with the version. Errors:
// not_found, archived, not_published.
func PublishedVersion(ctx context.Context, tx *db.Tx, evaluationID ids.ID) (Published, error) {
	p := Published{EvaluationID: evaluationID}
	var status string
	var version *ids.ID
	var hash *string
	err := tx.QueryRow(ctx, `
		select e.status, e.org_unit_id, v.id, v.snapshot_hash
		from evaluations e
		left join evaluation_versions v on v.tenant_id = e.tenant_id and v.id = e.published_id
		where e.tenant_id = $1 and e.id = $2 and ($3 or e.org_unit_id = $4)`,
		tx.Tenant(), evaluationID, tx.Scope().All, tx.Scope().OrgUnit).
		Scan(&status, &p.OrgUnitID, &version, &hash)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Published{}, errs.New(errs.NotFound, "There is no such evaluation in your scope.")
	case err != nil:
		return Published{}, fmt.Errorf("find published version: %w", err)
	case status == models.AuthoringArchived:
		return Published{}, errs.New(errs.Archived, "The evaluation is archived.")
	case version == nil:
		return Published{}, errs.New(errs.NotPublished, "The evaluation has no published version.")
	}
	p.EvaluationVersionID, p.SnapshotHash = *version, text(hash)
	return p, nil
}

// LoadSnapshot gives the frozen content of a published evaluation version, archived or not. It
// checks no capability itself. Errors: not_found, not_published, snapshot_damaged.
func LoadSnapshot(ctx context.Context, tx *db.Tx, evaluationVersionID ids.ID) (*Snapshot, error) {
	var hash *string
	var frozen []byte
	err := tx.QueryRow(ctx, `
		select s.hash, s.content
		from evaluation_versions v
		left join version_snapshots s on s.tenant_id = v.tenant_id and s.hash = v.snapshot_hash
		where v.tenant_id = $1 and v.id = $2 and ($3 or v.org_unit_id = $4)`,
		tx.Tenant(), evaluationVersionID, tx.Scope().All, tx.Scope().OrgUnit).Scan(&hash, &frozen)
	if err == nil && hash == nil {
		return nil, errs.New(errs.NotPublished, "The version is not published.")
	}
	return readSnapshot(text(hash), frozen, err)
}

// SnapshotByHash gives the snapshot that a submission refers to. It checks no capability
// itself. Errors: not_found, snapshot_damaged.
func SnapshotByHash(ctx context.Context, tx *db.Tx, hash string) (*Snapshot, error) {
	var frozen []byte
	err := tx.QueryRow(ctx, `
		select content from version_snapshots where tenant_id = $1 and hash = $2 and ($3 or org_unit_id = $4)`,
		tx.Tenant(), hash, tx.Scope().All, tx.Scope().OrgUnit).Scan(&frozen)
	return readSnapshot(hash, frozen, err)
}

func readSnapshot(hash string, frozen []byte, err error) (*Snapshot, error) {
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, errs.New(errs.NotFound, "There is no such version in your scope.")
	}
	if err != nil {
		return nil, fmt.Errorf("load snapshot: %w", err)
	}
	if !Intact(hash, frozen) {
		return nil, errs.New(errs.SnapshotDamaged, "The published content %s is not as it was published.", hash)
	}
	s := &Snapshot{}
	err = json.Unmarshal(frozen, s)
	if err != nil {
		return nil, fmt.Errorf("read snapshot: %w", err)
	}
	if s.VerificationPolicy == nil {
		s.VerificationPolicy = policy.Legacy(s.Settings.VerificationLevel)
	}
	s.keyed()
	return s, nil
}
