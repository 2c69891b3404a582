package glassbox

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/trust/translog"
)

// Forms in which a box is viewed, as events name them.
const (
	AsJSON = "json"
	AsPage = "page"
)

// View shows the submission to the holder of a link, counts the view and writes it down. Errors:
// not_found for another submission; unauthenticated for a link that has ended meanwhile; forbidden if
// the caller is no link; processing_restricted.
func View(ctx context.Context, tx *db.Tx, submission ids.ID, form string) (Box, error) {
	b, err := view(ctx, tx, submission)
	if err != nil {
		return Box{}, err
	}
	return b, ledger.Append(ctx, tx, viewed(tx, "glass_box.viewed", b, map[string]any{"form": form}))
}

func view(ctx context.Context, tx *db.Tx, submission ids.ID) (Box, error) {
	shown, err := use(ctx, tx, submission)
	if err != nil {
		return Box{}, err
	}
	s, err := find(ctx, tx, submission)
	if err != nil {
		return Box{}, err
	}
	return boxOf(ctx, tx, s, shown)
}

// Preview shows somebody who may make links what one with these terms would show. It counts nothing.
// Capability and errors: as Create.
func Preview(ctx context.Context, tx *db.Tx, submission ids.ID, terms Terms) (Box, error) {
	err := mayHandOn(tx)
	if err != nil {
		return Box{}, err
	}
	if terms.IncludeEvidence == "" {
		terms.IncludeEvidence = models.EvidenceNone
	}
	err = errs.Invalid(errs.OneOf("includeEvidence", terms.IncludeEvidence, EvidenceTerms)...)
	if err != nil {
		return Box{}, err
	}
	s, err := find(ctx, tx, submission)
	if err != nil {
		return Box{}, err
	}
	return boxOf(ctx, tx, s, Shown{ExpiresAt: tx.Now().UTC(), Terms: terms})
}

// Export is View in a form to take away: signed, with the proof. Errors: as View; not_sequenced
// until the log has the submission.
func (d *Desk) Export(ctx context.Context, tx *db.Tx, submission ids.ID) (translog.Shown, error) {
	b, err := view(ctx, tx, submission)
	if err != nil {
		return translog.Shown{}, err
	}
	if b.Ledger.Proof == nil {
		return translog.Shown{}, errs.New(errs.NotSequenced, "%s", errs.Meaning(errs.NotSequenced))
	}
	proof := *b.Ledger.Proof
	b.Ledger.Proof = nil
	shown, err := translog.Vouch(ctx, tx, d.secret, b, proof)
	if err != nil {
		return translog.Shown{}, err
	}
	return shown, ledger.Append(ctx, tx, viewed(tx, "glass_box.exported", b, map[string]any{"stateHash": b.StateHash}))
}

var errNoFiles = errs.New(errs.Forbidden, "This link shows no files.")

// File gives evidence to the holder of a link that shows files, who is about to read its bytes. Errors:
// as View; forbidden where the link shows no files; not_found for evidence of another submission, and
// for evidence that was voided.
func File(ctx context.Context, tx *db.Tx, submission, id ids.ID) (evidence.Evidence, error) {
	shown, err := use(ctx, tx, submission)
	if err != nil {
		return evidence.Evidence{}, err
	}
	if shown.IncludeEvidence != models.EvidenceFiles {
		return evidence.Evidence{}, errNoFiles
	}
	_, err = find(ctx, tx, submission)
	if err != nil {
		return evidence.Evidence{}, err
	}
	e, err := evidence.View(ctx, tx, id)
	if err == nil && (e.SubmissionID != submission || e.Status != evidence.Active) {
		return evidence.Evidence{}, errs.New(errs.NotFound, "The submission has no such file.")
	}
	return e, err
}

const useSQL = `
update link_principals set uses = uses + 1, last_used_at = $4
where tenant_id = $1 and id = $2 and submission_id = $3 and revoked_at is null and expires_at > $4
returning id, expires_at, can_view_readiness_reasons, include_evidence`

// use counts a view, and finds the terms. It locks the row, so a link that is withdrawn at the same
// moment has either been used before or is not used any more.
func use(ctx context.Context, tx *db.Tx, submission ids.ID) (Shown, error) {
	link := tx.Actor()
	if link.Kind != db.LinkActor {
		return Shown{}, errs.New(errs.Forbidden, "A glass box opens to links alone.")
	}
	var s Shown
	err := tx.QueryRow(ctx, useSQL, tx.Tenant(), link.ID, submission, tx.Now()).
		Scan(&s.ID, &s.ExpiresAt, &s.CanViewReadinessReasons, &s.IncludeEvidence)
	s.ExpiresAt = s.ExpiresAt.UTC()
	if !errors.Is(err, pgx.ErrNoRows) {
		if err != nil {
			err = fmt.Errorf("use link: %w", err)
		}
		return s, err
	}
	var holds bool
	err = tx.QueryRow(ctx, "select exists (select from link_principals where tenant_id = $1 and id = $2 and revoked_at is null and expires_at > $3)",
		tx.Tenant(), link.ID, tx.Now()).Scan(&holds)
	switch {
	case err != nil:
		return Shown{}, fmt.Errorf("find link: %w", err)
	case holds:
		return Shown{}, errNoSubmission
	}
	return Shown{}, errs.New(errs.Unauthenticated, "The link has ended.")
}

// viewed makes the event of a view.
func viewed(tx *db.Tx, what string, b Box, payload map[string]any) ledger.Event {
	payload["linkId"], payload["scoreVersion"] = b.Link.ID, b.ScoreVersion
	payload["visibilityType"], payload["visibilityChannel"] = "external", "glassbox"
	payload["capabilities"] = slices.Sorted(slices.Values([]string{string(capability.SubmissionsRead), string(capability.EvidenceRead)}))
	return ledger.Event{Type: what, SubjectType: "submission", SubjectID: b.SubmissionID, OrgUnit: tx.Scope().OrgUnit, Payload: payload}
}
