package evidence

import (
	"context"
	"fmt"
	"time"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/people/policy"
)

// Evidence is a file about a submission, or about one of its items, without its bytes.
type Evidence struct {
	ID           ids.ID     `json:"id"`
	SubmissionID ids.ID     `json:"submissionId"`
	Scope        string     `json:"scope" enum:"submission,item"`
	ItemID       *ids.ID    `json:"itemId" doc:"The item that it is about, as the session and the submission call it"`
	Kind         string     `json:"kind" enum:"screen_recording,camera_recording,audio_recording,screenshot,photo,document,log,other"`
	MediaType    string     `json:"mediaType" example:"image/png"`
	SizeBytes    int64      `json:"sizeBytes" example:"48213"`
	SHA256       string     `json:"sha256" doc:"Hash of the bytes in hexadecimal; the ETag of the content"`
	StorageTier  string     `json:"storageTier" enum:"HOT,WARM,COLD" doc:"How soon the file must be at hand"`
	Status       string     `json:"status" enum:"active,voided"`
	Integrity    string     `json:"integrity" enum:"unchecked,ok,changed,missing" doc:"What the newest check found"`
	CheckedAt    *time.Time `json:"checkedAt"`
	AddedBy      string     `json:"addedBy" doc:"user:<id>, operator:<name> or system:<job>"`
	CreatedAt    time.Time  `json:"createdAt"`
	VoidReason   string     `json:"voidReason,omitempty"`
	VoidedBy     string     `json:"voidedBy,omitempty"`
	VoidedAt     *time.Time `json:"voidedAt,omitempty"`
}

// The states of evidence.
const (
	Active = "active"
	voided = "voided"
)

// AttachInput says what a file is about. Kind defaults to other.
type AttachInput struct {
	SubmissionID ids.ID
	ItemID       *ids.ID
	Kind         string
}

// check runs before a file is stored, and again when it is recorded.
func (in *AttachInput) check(ctx context.Context, tx *db.Tx) (subject, error) {
	if err := tx.Require(capability.EvidenceManage); err != nil {
		return subject{}, err
	}
	if in.Kind == "" {
		in.Kind = "other"
	}
	var bad problems
	bad.oneOf("kind", in.Kind, kinds)
	if err := errs.Invalid(bad...); err != nil {
		return subject{}, err
	}
	return findWritable(ctx, tx, in.SubmissionID, in.ItemID)
}

// Attach records a file that Keep has stored. Capability: evidence.manage. Errors: not_found,
// validation_failed, storage_unavailable when the file has been swept meanwhile.
func Attach(ctx context.Context, tx *db.Tx, in AttachInput, c Content) (Evidence, error) {
	s, err := in.check(ctx, tx)
	if err != nil {
		return Evidence{}, err
	}
	authority, err := policy.Require(ctx, tx, policy.Action{AppliesTo: policy.Evidence, SubmissionID: s.submission})
	if err != nil {
		return Evidence{}, err
	}
	row := models.Evidence{TenantID: tx.Tenant(), ID: ids.New(), OrgUnitID: s.org, SubmissionID: s.submission,
		SubmissionItemID: s.submissionItem, ItemID: s.item, Kind: in.Kind, MediaType: c.MediaType, SizeBytes: c.SizeBytes,
		SHA256: c.SHA256, StorageTier: models.TierHot, Integrity: models.IntegrityUnchecked,
		AddedBy: tx.Actor().String(), CreatedAt: tx.Now()}
	_, err = tx.NewInsert().Model(&row).Returning("NULL").Exec(ctx)
	if err != nil {
		return Evidence{}, fmt.Errorf("attach evidence: %w", err)
	}
	return evidenceOf(row), ledger.Append(ctx, tx, event(row, "file.attached", authority.Into(map[string]any{
		"kind": row.Kind, "mediaType": row.MediaType, "sizeBytes": row.SizeBytes, "sha256": row.SHA256, "storageTier": row.StorageTier})))
}

func evidenceOf(r models.Evidence) Evidence {
	e := Evidence{ID: r.ID, SubmissionID: r.SubmissionID, Scope: scopeOf(r.ItemID), ItemID: r.ItemID, Kind: r.Kind,
		MediaType: r.MediaType, SizeBytes: r.SizeBytes, SHA256: r.SHA256, StorageTier: r.StorageTier, Status: Active,
		Integrity: r.Integrity, CheckedAt: db.UTC(r.CheckedAt), AddedBy: r.AddedBy, CreatedAt: r.CreatedAt.UTC()}
	if r.VoidedAt != nil {
		e.Status, e.VoidReason, e.VoidedBy, e.VoidedAt = voided, *r.VoidReason, *r.VoidedBy, db.UTC(r.VoidedAt)
	}
	return e
}

// event makes a ledger event; its payload says which submission or item the evidence is about.
func event(r models.Evidence, what string, payload map[string]any) ledger.Event {
	payload["submissionId"], payload["scope"] = r.SubmissionID, scopeOf(r.ItemID)
	if r.ItemID != nil {
		payload["itemId"] = *r.ItemID
	}
	return ledger.Event{Type: "evidence." + what, SubjectType: "evidence", SubjectID: r.ID, OrgUnit: r.OrgUnitID, Payload: payload}
}
