package evidence

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// Readers are the capabilities that let somebody read everything except the bytes; one is enough.
var Readers = []capability.Capability{capability.EvidenceRead, capability.EvidenceManage}

// Filter chooses evidence of a submission; empty fields do not.
type Filter struct {
	ItemID *ids.ID `query:"itemId" noun:"item" doc:"One item, as the session and the submission call it"`
	Kind   string  `query:"kind" enum:"screen_recording,camera_recording,audio_recording,screenshot,photo,document,log,other"`
	Status string  `query:"status" enum:"active,voided"`
	db.Page
}

func (f Filter) check() (db.Page, error) {
	page, err := f.Page.Check()
	bad := problems{}
	if err != nil {
		bad = errs.Of(err).Fields
	}
	if f.Kind != "" {
		bad.oneOf("kind", f.Kind, kinds)
	}
	if f.Status != "" {
		bad.oneOf("status", f.Status, []string{Active, voided})
	}
	return page, errs.Invalid(bad...)
}

// List gives the evidence of a submission, newest first, voided evidence too. Capability: one
// of Readers. Errors: not_found, validation_failed.
func List(ctx context.Context, tx *db.Tx, submission ids.ID, f Filter) (db.List[Evidence], error) {
	var none db.List[Evidence]
	if err := requireOne(tx, Readers...); err != nil {
		return none, err
	}
	page, err := f.check()
	if err != nil {
		return none, err
	}
	s, err := findSubject(ctx, tx, submission, f.ItemID)
	if err != nil {
		return none, err
	}
	var rows []models.Evidence
	q := tx.NewSelect().Model(&rows).Apply(tx.InScope).Where("e.submission_id = ?", submission)
	if s.submissionItem != nil {
		q = q.Where("e.submission_item_id = ?", *s.submissionItem)
	}
	if f.Kind != "" {
		q = q.Where("e.kind = ?", f.Kind)
	}
	if f.Status != "" {
		q = q.Where("(e.voided_at is not null) = ?", f.Status == voided)
	}
	total, err := db.ReadPage(ctx, q, page, &rows, "e.id desc")
	if err != nil {
		return none, fmt.Errorf("list evidence: %w", err)
	}
	return db.NewList(mapped(rows, evidenceOf), page, total), nil
}

func mapped[A, B any](all []A, to func(A) B) []B {
	var out []B
	for _, a := range all {
		out = append(out, to(a))
	}
	return out
}

// Get gives evidence without its bytes. Capability: one of Readers. Errors: not_found.
func Get(ctx context.Context, tx *db.Tx, id ids.ID) (Evidence, error) {
	if err := requireOne(tx, Readers...); err != nil {
		return Evidence{}, err
	}
	row, err := find(ctx, tx, id)
	return evidenceOf(row), err
}

// View gives evidence to somebody who is about to read its bytes, and writes down who it was.
// Capability: evidence.read. Errors: not_found.
func View(ctx context.Context, tx *db.Tx, id ids.ID) (Evidence, error) {
	if err := tx.Require(capability.EvidenceRead); err != nil {
		return Evidence{}, err
	}
	row, err := find(ctx, tx, id)
	if err != nil {
		return Evidence{}, err
	}
	return evidenceOf(row), ledger.Append(ctx, tx, event(row, "viewed", map[string]any{
		"sha256": row.SHA256, "visibilityType": visibility(tx.Actor()), "visibilityChannel": channel(tx.Actor())}))
}

// channel says where somebody looks (specification, section 6): operators sit at the command
// line, links lead to the glass box, users come through the interface.
func channel(a db.Actor) string {
	switch a.Kind {
	case db.OperatorActor:
		return "cli"
	case db.LinkActor:
		return "glassbox"
	}
	return "api"
}

func visibility(a db.Actor) string {
	if a.Kind == db.LinkActor {
		return "external"
	}
	return "internal"
}

func find(ctx context.Context, tx *db.Tx, id ids.ID) (models.Evidence, error) {
	var row models.Evidence
	err := tx.NewSelect().Model(&row).Apply(tx.InScope).Where("e.id = ?", id).Scan(ctx)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return row, notFound("evidence")
	case err != nil:
		return row, fmt.Errorf("find evidence: %w", err)
	}
	return row, nil
}
