package op

import (
	"context"
	"slices"

	"assess/pkg/exam/evidence"
	"assess/pkg/exam/remediation"
	"assess/pkg/exam/review"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Reviews are the decisions about submissions.
func Reviews() []Line {
	reads, reviews := needs(capability.SubmissionsRead), needs(capability.SubmissionsReview)
	return []Line{
		read("GET /submissions/{id}/decisions", "listDecisions", "submission decisions SUBMISSION", reads, "List what was decided about a submission", ofOne(review.ListDecisions)),
		write("POST /submissions/{id}/approve", "approveSubmission", "submission approve SUBMISSION", reviews, "Approve a submission that waits for review", review.Approve).proven(),
		write("POST /submissions/{id}/reject", "rejectSubmission", "submission reject SUBMISSION", reviews, "Reject a submission that waits for review", review.Reject).proven(),
		write("POST /submissions/{id}/request-changes", "requestChanges", "submission request-changes SUBMISSION", reviews, "Ask for changes before a decision", review.RequestChanges).proven(),
		write("POST /submissions/{id}/reopen", "reopenSubmission", "submission reopen SUBMISSION", reviews, "Bring a decided submission back to review", review.Reopen).proven(),
		write("POST /submissions/{id}/void", "voidSubmission", "submission void SUBMISSION", needs(capability.SubmissionsVoid), "Void a submission, for good; needs a step-up proof", review.Void).proven().
			asks("Void the submission %[1]s? It cannot be undone."),
		write("POST /submissions/{id}/hash", "hashSubmission", "submission hash SUBMISSION", reads, "Hash the state of a submission into the ledger", one(submission.Hash)),
		write("POST /submissions/{id}/items/{itemId}/score", "scoreItem", "submission score SUBMISSION ITEM SCORE", reviews, "Score an item by a person", remediation.Mark),
		read("GET /submissions/{id}/score-versions", "listScoreVersions", "submission versions SUBMISSION", reads, "List the versions of a submission's scores, newest first", ofOne(remediation.ListVersions)),
	}
}

// Remediations are the operations on corrections. Commands that apply one or take it back run its job, and are by hand.
func Remediations() []Line {
	manages := needs(capability.RemediationsManage)
	return []Line{
		read("GET /remediations", "listRemediations", "remediation list", manages, "List remediations, newest first", remediation.List),
		write("POST /remediations", "createRemediation", "remediation create RULE QUESTION-VERSION", manages, "Draft a correction of one question in many submissions", remediation.Create).creates().
			says(`Scores change when it is applied. RULE is one of
  exempt_question  the question counts neither in the score nor in the maximum
  full_credit      everybody gets its whole weight
  adjust_item      everybody gets --score
  rekey            answers are scored with another key: --correct-option-ids,
                   --accepted-answers, or --value and --tolerance`),
		read("GET /remediations/{id}", "getRemediation", "remediation show REMEDIATION", manages, "Read a remediation and how far it is", one(remediation.Get)),
		write("PATCH /remediations/{id}", "updateRemediation", "remediation update REMEDIATION", manages, "Change a draft", ofOne(remediation.Update)),
		write("DELETE /remediations/{id}", "deleteRemediation", "remediation delete REMEDIATION", manages, "Delete a draft", gone(remediation.Delete)).asks("Delete the draft %[1]s?"),
		read("POST /remediations/{id}/preview", "previewRemediation", "remediation preview REMEDIATION", manages, "Say who would change, and how", remediation.Look),
		write("POST /remediations/{id}/apply", "applyRemediation", "", manages, "Apply a remediation; a job corrects the submissions", one(remediation.Apply)).accepted(),
		write("POST /remediations/{id}/revert", "revertRemediation", "", manages, "Take a remediation back; a job corrects the submissions", one(remediation.Revert)).accepted(),
	}
}

// Evidence are the operations on evidence and findings; uploads, downloads and checks of files are by hand.
func Evidence() []Line {
	manages, reads := needs(capability.EvidenceManage), evidence.Readers
	return slices.Concat([]Line{
		read("GET /submissions/{id}/evidence", "listEvidence", "evidence list SUBMISSION", reads, "List the evidence of a submission, newest first", ofOne(evidence.List)),
		read("GET /evidence/{id}", "getEvidence", "evidence show EVIDENCE", reads, "Read evidence without its bytes", one(evidence.Get)),
		write("POST /evidence/{id}/void", "voidEvidence", "evidence void EVIDENCE", manages, "Void evidence, for good; it stays in lists", evidence.Void).proven().
			asks("Void the evidence %[1]s? It cannot be undone."),
		write("POST /evidence/{id}/tier", "setEvidenceTier", "evidence tier EVIDENCE STORAGE-TIER", manages, "Set the storage tier of the file", evidence.SetTier),
		read("GET /submissions/{id}/findings", "listFindings", "finding list SUBMISSION", reads, "List the findings about a submission, newest first", ofOne(evidence.ListFindings)),
		write("POST /submissions/{id}/findings", "detectFinding", "finding add SUBMISSION CODE", manages, "Record a finding about a submission, or one of its items", evidence.Detect).creates(),
		read("GET /findings/{id}", "getFinding", "finding show FINDING", reads, "Read a finding", one(evidence.GetFinding)),
	}, claims(), disputes())
}

func claims() []Line {
	manages, judges := needs(capability.EvidenceManage), needs(capability.SubmissionsReview)
	return []Line{
		read("GET /submissions/{id}/claims", "listClaims", "claim list SUBMISSION", evidence.CaseReaders, "List the claims about a submission, newest first", listCases(evidence.Claims)),
		write("POST /submissions/{id}/claims", "raiseClaim", "claim raise SUBMISSION STATEMENT", manages, "Claim something about a submission, from findings", onCase(evidence.Claims, evidence.Raise)).creates().proven(),
		read("GET /claims/{id}", "getClaim", "claim show CLAIM", evidence.CaseReaders, "Read a claim", getCase(evidence.Claims)),
		write("POST /claims/{id}/uphold", "upholdClaim", "claim uphold CLAIM", judges, "Decide for a claim", onCase(evidence.Claims, evidence.Uphold)).proven(),
		write("POST /claims/{id}/reject", "rejectClaim", "claim reject CLAIM", judges, "Decide against a claim", onCase(evidence.Claims, evidence.Reject)).proven(),
		write("POST /claims/{id}/withdraw", "withdrawClaim", "claim withdraw CLAIM", manages, "Withdraw a claim", onCase(evidence.Claims, evidence.Withdraw)).proven(),
	}
}

func disputes() []Line {
	judges := needs(capability.SubmissionsReview)
	reads, raises := append(slices.Clone(evidence.CaseReaders), capability.SessionsTake), needs(capability.EvidenceManage, capability.SessionsTake)
	return []Line{
		read("GET /submissions/{id}/disputes", "listDisputes", "dispute list SUBMISSION", reads, "List the disputes about a submission; a candidate lists those about their own", listCases(evidence.Disputes)),
		write("POST /submissions/{id}/disputes", "raiseDispute", "dispute raise SUBMISSION STATEMENT", raises, "Dispute something about a submission; a candidate disputes their own", onCase(evidence.Disputes, evidence.Raise)).creates().proven(),
		read("GET /disputes/{id}", "getDispute", "dispute show DISPUTE", reads, "Read a dispute; a candidate reads those about their own submissions", getCase(evidence.Disputes)),
		write("POST /disputes/{id}/uphold", "upholdDispute", "dispute uphold DISPUTE", judges, "Decide for a dispute", onCase(evidence.Disputes, evidence.Uphold)).proven(),
		write("POST /disputes/{id}/reject", "rejectDispute", "dispute reject DISPUTE", judges, "Decide against a dispute", onCase(evidence.Disputes, evidence.Reject)).proven(),
		write("POST /disputes/{id}/withdraw", "withdrawDispute", "dispute withdraw DISPUTE", raises, "Withdraw a dispute that one raised, or that is about one's own submission", onCase(evidence.Disputes, evidence.Withdraw)).proven(),
	}
}

func listCases(kind evidence.CaseKind) operation[withID[evidence.CaseFilter], db.List[evidence.Case]] {
	return ofOne(func(ctx context.Context, tx *db.Tx, id ids.ID, filter evidence.CaseFilter) (db.List[evidence.Case], error) {
		return evidence.ListCases(ctx, tx, kind, id, filter)
	})
}

func getCase(kind evidence.CaseKind) operation[ByID, evidence.Case] {
	return one(func(ctx context.Context, tx *db.Tx, id ids.ID) (evidence.Case, error) {
		return evidence.GetCase(ctx, tx, kind, id)
	})
}

func onCase[I any](kind evidence.CaseKind, do func(context.Context, *db.Tx, evidence.CaseKind, I) (evidence.Case, error)) operation[I, evidence.Case] {
	return func(ctx context.Context, tx *db.Tx, input I) (evidence.Case, error) { return do(ctx, tx, kind, input) }
}
