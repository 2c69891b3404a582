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

// CaseKind tells claims from disputes.
type CaseKind string

// Claims are made by the people who hold a submission; disputes are raised by, or for, the person it belongs to.
const (
	Claims   CaseKind = "claim"
	Disputes CaseKind = "dispute"
)

// Case is a claim or a dispute about a submission.
type Case struct {
	ID           ids.ID     `json:"id"`
	SubmissionID ids.ID     `json:"submissionId"`
	State        string     `json:"state" enum:"open,upheld,rejected,withdrawn"`
	Statement    string     `json:"statement"`
	FindingIDs   []ids.ID   `json:"findingIds" nullable:"false"`
	RaisedBy     string     `json:"raisedBy" doc:"user:<id> or operator:<name>"`
	RaisedAt     time.Time  `json:"raisedAt"`
	DecidedBy    string     `json:"decidedBy,omitempty" doc:"Who upheld, rejected or withdrew it"`
	DecidedAt    *time.Time `json:"decidedAt,omitempty"`
	Comment      string     `json:"comment,omitempty"`
}

// RaiseInput is a new claim or dispute.
type RaiseInput struct {
	SubmissionID ids.ID   `path:"id" json:"-" noun:"submission"`
	Statement    string   `json:"statement" minLength:"1" maxLength:"4000" doc:"What is claimed or disputed; kept here, in no report and no event"`
	FindingIDs   []ids.ID `json:"findingIds,omitempty" noun:"finding" maxItems:"50" doc:"Findings of the same submission that it is about; a claim names one at least"`
}

func (in *RaiseInput) check(kind CaseKind) error {
	var bad problems
	bad = append(bad, errs.Prose("statement", in.Statement, maxStatement, true)...)
	in.FindingIDs = bad.named("findingIds", in.FindingIDs)
	if kind == Claims && len(in.FindingIDs) == 0 {
		bad.add("findingIds", "required", "a claim names a finding at least")
	}
	return errs.Invalid(bad...)
}

// Raise opens a claim or a dispute. Capability: evidence.manage; sessions.take for a dispute
// about one's own submission. Errors: not_found, validation_failed, dispute_open.
func Raise(ctx context.Context, tx *db.Tx, kind CaseKind, in RaiseInput) (Case, error) {
	if err := kind.requireRaiser(tx); err != nil {
		return Case{}, err
	}
	if err := in.check(kind); err != nil {
		return Case{}, err
	}
	s, err := findWritable(ctx, tx, in.SubmissionID, nil)
	if err != nil {
		return Case{}, err
	}
	if !tx.Can(capability.EvidenceManage) && !s.takenBy(tx.Actor()) {
		return Case{}, errNoSubmission
	}
	err = requireFindings(ctx, tx, s, in.FindingIDs)
	if err != nil {
		return Case{}, err
	}
	authority, err := kind.verify(ctx, tx, s.submission)
	if err != nil {
		return Case{}, err
	}
	row := models.SubmissionCase{TenantID: tx.Tenant(), ID: ids.New(), OrgUnitID: s.org, SubmissionID: s.submission,
		Kind: string(kind), State: models.CaseOpen, Statement: in.Statement, RaisedBy: tx.Actor().String(), RaisedAt: tx.Now()}
	err = insertCase(ctx, tx, row, in.FindingIDs)
	if err != nil {
		return Case{}, err
	}
	return caseOf(row, in.FindingIDs), ledger.Append(ctx, tx, caseEvent(row, "raised", in.FindingIDs, authority))
}

// verify checks the call against the verification policy for claims or for disputes.
func (k CaseKind) verify(ctx context.Context, tx *db.Tx, submission ids.ID) (policy.Authority, error) {
	what := policy.Claims
	if k == Disputes {
		what = policy.Disputes
	}
	return policy.Require(ctx, tx, policy.Action{AppliesTo: what, SubmissionID: submission})
}

func (k CaseKind) requireRaiser(tx *db.Tx) error {
	if k == Disputes {
		return requireOne(tx, capability.EvidenceManage, capability.SessionsTake)
	}
	return tx.Require(capability.EvidenceManage)
}

func requireFindings(ctx context.Context, tx *db.Tx, s subject, named []ids.ID) error {
	if len(named) == 0 {
		return nil
	}
	var found int
	err := tx.QueryRow(ctx, "select count(*) from findings where tenant_id = $1 and submission_id = $2 and id = any($3)",
		tx.Tenant(), s.submission, named).Scan(&found)
	if err != nil {
		return fmt.Errorf("find findings: %w", err)
	}
	if found != len(named) {
		return errs.Invalid(errs.Field{Path: "findingIds", Code: "unknown_finding", Message: "name findings of this submission"})
	}
	return nil
}

func insertCase(ctx context.Context, tx *db.Tx, row models.SubmissionCase, findings []ids.ID) error {
	_, err := tx.NewInsert().Model(&row).Returning("NULL").Exec(ctx)
	if err != nil {
		return fmt.Errorf("raise %s: %w", row.Kind, err)
	}
	if len(findings) == 0 {
		return nil
	}
	_, err = tx.Exec(ctx, `
		insert into case_findings (tenant_id, case_id, finding_id, org_unit_id, submission_id)
		select $1, $2, id, $3, $4 from unnest($5::uuid[]) id returning true`,
		row.TenantID, row.ID, row.OrgUnitID, row.SubmissionID, findings)
	if err != nil {
		return fmt.Errorf("link %s: %w", row.Kind, err)
	}
	return nil
}

func caseOf(r models.SubmissionCase, findings []ids.ID) Case {
	if findings == nil {
		findings = []ids.ID{}
	}
	c := Case{ID: r.ID, SubmissionID: r.SubmissionID, State: r.State, Statement: r.Statement, FindingIDs: findings,
		RaisedBy: r.RaisedBy, RaisedAt: r.RaisedAt.UTC(), DecidedAt: db.UTC(r.DecidedAt), Comment: r.Comment}
	if r.DecidedBy != nil {
		c.DecidedBy = *r.DecidedBy
	}
	return c
}

func caseEvent(r models.SubmissionCase, what string, findings []ids.ID, authority policy.Authority) ledger.Event {
	if findings == nil {
		findings = []ids.ID{}
	}
	return ledger.Event{Type: r.Kind + "." + what, SubjectType: r.Kind, SubjectID: r.ID, OrgUnit: r.OrgUnitID,
		Payload: authority.Into(map[string]any{"submissionId": r.SubmissionID, "findingIds": findings})}
}
