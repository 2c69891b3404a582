package page

import (
	"strings"
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/glassbox"
	"assess/pkg/trust/readiness"
	"assess/pkg/trust/translog"
)

func hash(digit string) string { return strings.Repeat(digit+"4", 32) }

func listOf[T any](items ...T) db.List[T] {
	return db.NewList(items, db.Page{Page: 1, Limit: 200}, len(items))
}

// fullBox is a result with some of everything, and more than a page shows.
func fullBox() glassbox.Box {
	at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
	none, missing, claims := &[]string{}, &[]string{"integrity_flag_major"}, &[]string{"claim_open", "dispute_open"}
	evidence := listOf(
		glassbox.Evidence{ID: id(30), Scope: "submission", Kind: "screen_recording", MediaType: "video/webm", SizeBytes: 48_213_881, SHA256: hash("a"), Status: "active", Integrity: "ok", CheckedAt: ptr(at(9)), CreatedAt: at(5), File: "/api/v1/glassbox/submissions/" + id(1).String() + "/evidence/" + id(30).String()},
		glassbox.Evidence{ID: id(31), Scope: "item", Kind: "photo", MediaType: "image/png", SizeBytes: 2817, SHA256: hash("b"), Status: "voided", Integrity: "changed", CreatedAt: at(4)},
		glassbox.Evidence{ID: id(32), Scope: "submission", Kind: "document", MediaType: "application/pdf", SizeBytes: 91_002, SHA256: hash("c"), Status: "active", Integrity: "unchecked", CreatedAt: at(3), File: "/api/v1/glassbox/submissions/" + id(1).String() + "/evidence/" + id(32).String()})
	findings := listOf(glassbox.Finding{ID: id(40), Scope: "submission", Code: "IDENTITY_MISMATCH", Severity: "major", EvidenceIDs: []ids.ID{id(31)}, By: []string{"proctor"}, DetectedAt: at(6)},
		glassbox.Finding{ID: id(41), Scope: "item", Code: "PHONE_SEEN", Severity: "minor", EvidenceIDs: []ids.ID{}, By: []string{"system"}, DetectedAt: at(2)})
	findings.Total = 312
	return glassbox.Box{Organisation: "Northwind College", Title: "Safety", SubmissionID: id(1), EvaluationID: id(2), EvaluationVersionID: id(3), Status: "completed", CompletionMethod: "proctor_submitted",
		StartedAt: at(-60), CompletedAt: noon, OutcomeCode: "pass", Score: 17.5, MaxScore: 20, ScoreVersion: 2, ApprovalStatus: "approved",
		ScoreVersions: listOf(glassbox.Version{Number: 2, Reason: "remediation_applied", By: []string{"org_admin", "reviewer"}, Score: 17.5, MaxScore: 20, OutcomeCode: "pass", CreatedAt: at(30)},
			glassbox.Version{Number: 1, Reason: "submitted", By: []string{"candidate"}, Score: 9, MaxScore: 20, OutcomeCode: "fail", CreatedAt: noon}),
		SnapshotHash: hash("1"), StateHash: hash("2"), StateScheme: "submission-state/v1", CanonicalScheme: "rfc8785", HashScheme: "sha-256",
		Verifications: []glassbox.Verification{{AppliesTo: "review_actions", PolicyRef: "verification_policy/v1/level_3/" + hash("d"), Kind: "auth.step_up", Method: "magic_link", VerifiedAt: at(40)},
			{AppliesTo: "submissions", PolicyRef: "verification_policy/v1/level_3/" + hash("e"), Kind: "auth.session", VerifiedAt: noon}}, VerificationsTotal: 2,
		Decisions: listOf(glassbox.Decision{Decision: "approve", By: []string{"reviewer"}, DecidedAt: at(40)}, glassbox.Decision{Decision: "request_changes", By: []string{"former"}, DecidedAt: at(20)}),
		Evidence:  &evidence, Findings: findings,
		Claims:   listOf(glassbox.Case{ID: id(50), State: "open", FindingIDs: []ids.ID{id(40), id(41)}, RaisedBy: []string{"proctor"}, RaisedAt: at(7)}),
		Disputes: listOf(glassbox.Case{ID: id(51), State: "rejected", FindingIDs: []ids.ID{}, RaisedBy: []string{"candidate"}, RaisedAt: at(8), DecidedBy: []string{"reviewer"}, DecidedAt: ptr(at(12))}),
		KoeStatus: glassbox.KoeStatus{Knowledge: glassbox.Entry{State: readiness.Met, Reasons: none}, Observation: glassbox.Entry{State: readiness.NotMet, Reasons: missing},
			Evidence: glassbox.Entry{State: readiness.Pending, Reasons: claims}},
		ProofReadiness: glassbox.ProofReadiness{DefensibleAtExecution: true, AsOf: noon, LogicVersion: readiness.LogicVersion, ComputedAgainst: readiness.ComputedAgainst{SnapshotRef: hash("1")},
			PolicyRefExecution: "verification_policy/v1/level_3/" + hash("e"), PolicyRefCurrent: "verification_policy/v1/level_3/" + hash("f"),
			Reasons: &[]string{"integrity_flag_major", "claim_open", "dispute_open", "policy_requirements_tightened"}},
		Ledger: glassbox.Ledger{InLog: true, Current: true, Proof: &translog.Bundle{Submission: &translog.State{SubmissionID: id(1), StateHash: ptr(hash("2")), StateScheme: "submission-state/v1"},
			Inclusion: translog.Path{Index: 1187, Size: 20_441}, Checkpoint: "exams.example.org/northwind\n20441\n" + hash("9")[:43] + "=\n\n— exams.example.org/northwind " + hash("8") + "\n"}},
		Link: glassbox.Shown{ID: id(60), ExpiresAt: noon.AddDate(0, 0, 7), Terms: glassbox.Terms{CanViewReadinessReasons: true, IncludeEvidence: "files"}}, AsOf: at(60)}
}

// bareBox is a result that nobody has looked at, through a link that shows the least.
func bareBox() glassbox.Box {
	b := fullBox()
	b.OutcomeCode, b.ScoreVersion, b.ApprovalStatus = "incomplete", 1, "not_required"
	b.ScoreVersions.Items = b.ScoreVersions.Items[1:]
	b.Verifications, b.VerificationsTotal, b.Decisions, b.Evidence = nil, 0, listOf[glassbox.Decision](), nil
	b.Findings, b.Claims, b.Disputes = listOf[glassbox.Finding](), listOf[glassbox.Case](), listOf[glassbox.Case]()
	b.KoeStatus = glassbox.KoeStatus{Knowledge: glassbox.Entry{State: readiness.Pending}, Observation: glassbox.Entry{State: readiness.NotRequired}, Evidence: glassbox.Entry{State: readiness.NotRequired}}
	b.ProofReadiness.Reasons, b.Ledger = nil, glassbox.Ledger{}
	b.Link.Terms = glassbox.Terms{IncludeEvidence: "none"}
	return b
}
