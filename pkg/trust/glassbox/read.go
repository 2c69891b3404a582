package glassbox

import (
	"context"
	"errors"
	"fmt"

	"assess/models"
	"assess/pkg/exam/evidence"
	"assess/pkg/exam/remediation"
	"assess/pkg/exam/review"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/policy"
	"assess/pkg/trust/standing"
	"assess/pkg/trust/translog"
)

// most is how much of each list a box shows.
var most = db.Page{Page: 1, Limit: db.MaxLimit}

// records are what a box is made of.
type records struct {
	submission    models.Submission
	versions      db.List[remediation.Version]
	verifications []policy.Verified
	verified      int
	decisions     db.List[review.Decision]
	evidence      db.List[evidence.Evidence]
	findings      db.List[evidence.Finding]
	claims        db.List[evidence.Case]
	disputes      db.List[evidence.Case]
}

func read(ctx context.Context, tx *db.Tx, s models.Submission) (records, error) {
	r := records{submission: s}
	for _, part := range []func() error{
		func() (err error) { r.versions, err = remediation.ListVersions(ctx, tx, s.ID, most); return err },
		func() (err error) { r.verifications, r.verified, err = policy.Verifications(ctx, tx, s.ID); return err },
		func() (err error) { r.decisions, err = review.ListDecisions(ctx, tx, s.ID, most); return err },
		func() (err error) {
			r.evidence, err = evidence.List(ctx, tx, s.ID, evidence.Filter{Page: most})
			return err
		},
		func() (err error) {
			r.findings, err = evidence.ListFindings(ctx, tx, s.ID, evidence.FindingFilter{Page: most})
			return err
		},
		func() (err error) {
			r.claims, err = evidence.ListCases(ctx, tx, evidence.Claims, s.ID, evidence.CaseFilter{Page: most})
			return err
		},
		func() (err error) {
			r.disputes, err = evidence.ListCases(ctx, tx, evidence.Disputes, s.ID, evidence.CaseFilter{Page: most})
			return err
		},
	} {
		err := part()
		if err != nil {
			return r, err
		}
	}
	return r, nil
}

// boxOf puts together what a link with these terms shows. The caller has checked the capability.
func boxOf(ctx context.Context, tx *db.Tx, s models.Submission, shown Shown) (Box, error) {
	r, err := read(ctx, tx, s)
	if err != nil {
		return Box{}, err
	}
	roles, err := rolesOf(ctx, tx, r)
	if err != nil {
		return Box{}, err
	}
	b := Box{SubmissionID: s.ID, EvaluationID: s.EvaluationID, EvaluationVersionID: s.EvaluationVersionID, Status: s.Status,
		CompletionMethod: s.CompletionMethod, StartedAt: s.StartedAt.UTC(), CompletedAt: s.CompletedAt.UTC(),
		OutcomeCode: s.OutcomeCode, Score: s.Score, MaxScore: s.MaxScore, ScoreVersion: s.ScoreVersion,
		ApprovalStatus: s.ApprovalStatus, SnapshotHash: s.SnapshotHash, CanonicalScheme: content.CanonicalScheme, HashScheme: content.HashScheme,
		VerificationsTotal: r.verified, Link: shown, AsOf: tx.Now().UTC(), Verifications: []Verification{}}
	b.fill(r, roles)
	err = tx.QueryRow(ctx, "select title from version_snapshots where tenant_id = $1 and hash = $2", tx.Tenant(), s.SnapshotHash).Scan(&b.Title)
	if err == nil {
		err = tx.QueryRow(ctx, "select name from tenants where id = $1", tx.Tenant()).Scan(&b.Organisation)
	}
	if err != nil {
		return Box{}, fmt.Errorf("read what a box is about: %w", err)
	}
	hashes, err := submission.StateHashes(ctx, tx, []ids.ID{s.ID})
	if err != nil {
		return Box{}, err
	}
	b.StateHash, b.StateScheme = hashes[s.ID].StateHash, hashes[s.ID].StateScheme
	blocks, err := standing.Of(ctx, tx, s.ID)
	if err != nil {
		return Box{}, err
	}
	if blocks.KoeStatus == nil || blocks.ProofReadiness == nil {
		return Box{}, fmt.Errorf("the submission %s has no readiness", s.ID)
	}
	b.KoeStatus, b.ProofReadiness = shown.redacted(*blocks.KoeStatus, *blocks.ProofReadiness)
	b.Ledger, err = proofOf(ctx, tx, s.ID, b.StateHash)
	return b, err
}

// proofOf says what the log has; it may not have the submission yet.
func proofOf(ctx context.Context, tx *db.Tx, id ids.ID, stateHash string) (Ledger, error) {
	proof, err := translog.ProofOf(ctx, tx, id)
	if errors.Is(err, errs.NotSequenced) {
		return Ledger{}, nil
	}
	if err != nil {
		return Ledger{}, err
	}
	logged := proof.Submission.StateHash
	return Ledger{InLog: true, Current: logged != nil && *logged == stateHash, Proof: &proof}, nil
}

// fill takes over what a box shows of the records.
func (b *Box) fill(r records, roles roles) {
	for _, v := range r.verifications {
		b.Verifications = append(b.Verifications, Verification{v.AppliesTo, v.PolicyRef, v.Kind, v.Method, v.VerifiedAt})
	}
	b.ScoreVersions = each(r.versions, func(v remediation.Version) Version {
		return Version{v.Number, v.Reason, roles.of(v.Actor), v.Score, v.MaxScore, v.OutcomeCode, v.CreatedAt}
	})
	b.Decisions = each(r.decisions, func(d review.Decision) Decision { return Decision{d.Decision, roles.of(d.DecidedBy), d.DecidedAt} })
	if b.Link.IncludeEvidence != models.EvidenceNone {
		shown := each(r.evidence, b.evidence)
		b.Evidence = &shown
	}
	b.Findings = each(r.findings, func(f evidence.Finding) Finding {
		named := f.EvidenceIDs
		if b.Evidence == nil || named == nil {
			named = []ids.ID{}
		}
		return Finding{f.ID, f.Scope, f.Code, f.Severity, named, roles.of(f.DetectedBy), f.DetectedAt}
	})
	b.Claims, b.Disputes = each(r.claims, roles.shown), each(r.disputes, roles.shown)
}

func (b *Box) evidence(e evidence.Evidence) Evidence {
	shown := Evidence{ID: e.ID, Scope: e.Scope, Kind: e.Kind, MediaType: e.MediaType, SizeBytes: e.SizeBytes, SHA256: e.SHA256,
		Status: e.Status, Integrity: e.Integrity, CheckedAt: e.CheckedAt, CreatedAt: e.CreatedAt}
	if b.Link.IncludeEvidence == models.EvidenceFiles && e.Status == evidence.Active {
		shown.File = "/api/v1/glassbox/submissions/" + b.SubmissionID.String() + "/evidence/" + e.ID.String()
	}
	return shown
}

func (r roles) shown(c evidence.Case) Case {
	shown := Case{ID: c.ID, State: c.State, FindingIDs: append([]ids.ID{}, c.FindingIDs...), RaisedBy: r.of(c.RaisedBy), RaisedAt: c.RaisedAt, DecidedAt: c.DecidedAt}
	if c.DecidedBy != "" {
		shown.DecidedBy = r.of(c.DecidedBy)
	}
	return shown
}

func each[A, B any](all db.List[A], to func(A) B) db.List[B] {
	items := make([]B, 0, len(all.Items))
	for _, a := range all.Items {
		items = append(items, to(a))
	}
	return db.List[B]{Items: items, Page: all.Page, Limit: all.Limit, Total: all.Total}
}
