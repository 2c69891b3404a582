package evidence_test

import (
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/exam/evidence"
	"assess/pkg/exam/remediation"
	"assess/pkg/exam/review"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/hold"
	"assess/pkg/people/people"
)

// From the first step of erasing on, and after the last one, nobody writes anything about the person; until then,
// everybody does.
func TestNothingIsWrittenAboutWhoIsErased(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	person, picture := r.candidate.Actor.ID, r.picture()
	judge := sample.As(r.operator, r.reviewer.Actor.ID, capability.EvidenceManage, capability.SubmissionsReview, capability.SubmissionsVoid,
		capability.UsersManage)
	var claim evidence.Case
	var finding evidence.Finding
	r.write(r.proctor, func(tx *db.Tx) error {
		var err error
		finding, err = evidence.Detect(t.Context(), tx, evidence.FindingInput{SubmissionID: r.submission, Code: "IDENTITY_MISMATCH", Severity: "major"})
		if err == nil {
			claim, err = evidence.Raise(t.Context(), tx, evidence.Claims,
				evidence.RaiseInput{SubmissionID: r.submission, Statement: "Somebody else sat there.", FindingIDs: []ids.ID{finding.ID}})
		}
		return err
	})
	name := "Mara Quist"
	calls := map[string]func(tx *db.Tx) error{
		"a file": func(tx *db.Tx) error {
			_, err := evidence.Attach(t.Context(), tx, evidence.AttachInput{SubmissionID: r.submission},
				evidence.Content{SHA256: picture.SHA256, MediaType: picture.MediaType, SizeBytes: picture.SizeBytes})
			return err
		},
		"a tier": func(tx *db.Tx) error {
			_, err := evidence.SetTier(t.Context(), tx, evidence.TierInput{ID: picture.ID, StorageTier: "COLD"})
			return err
		},
		"voided evidence": func(tx *db.Tx) error {
			_, err := evidence.Void(t.Context(), tx, evidence.VoidInput{ID: picture.ID, Reason: "blurred"})
			return err
		},
		"a finding": func(tx *db.Tx) error {
			_, err := evidence.Detect(t.Context(), tx, evidence.FindingInput{SubmissionID: r.submission, Code: "IDENTITY_MISMATCH", Severity: "major"})
			return err
		},
		"a claim": func(tx *db.Tx) error {
			_, err := evidence.Raise(t.Context(), tx, evidence.Claims,
				evidence.RaiseInput{SubmissionID: r.submission, Statement: "It was not Mara.", FindingIDs: []ids.ID{finding.ID}})
			return err
		},
		"a decided claim": func(tx *db.Tx) error {
			_, err := evidence.Uphold(t.Context(), tx, evidence.Claims, evidence.DecideInput{ID: claim.ID, Comment: "It was not Mara."})
			return err
		},
		"a withdrawn claim": func(tx *db.Tx) error {
			_, err := evidence.Withdraw(t.Context(), tx, evidence.Claims, evidence.DecideInput{ID: claim.ID})
			return err
		},
		"a decision": func(tx *db.Tx) error {
			_, err := review.RequestChanges(t.Context(), tx, review.Input{SubmissionID: r.submission, Comment: "Mara knows why."})
			return err
		},
		"a mark": func(tx *db.Tx) error {
			_, err := remediation.Mark(t.Context(), tx, remediation.MarkInput{SubmissionID: r.submission, ItemID: r.item, Score: 0, Comment: "See Mara."})
			return err
		},
		"a name": func(tx *db.Tx) error {
			_, err := people.UpdateUser(t.Context(), tx, person, people.UserPatch{Name: &name})
			return err
		},
	}
	ask := func(state string) {
		for what, call := range calls {
			err := r.store.Write(t.Context(), judge, func(tx *db.Tx) error {
				return tx.Rehearse(t.Context(), func() error { return call(tx) })
			})
			if state == "" && errs.Of(err).Code == errs.SubjectErased {
				t.Errorf("%s before anybody erases: %v", what, err)
			}
			if state != "" && (err == nil || errs.Of(err).Code != errs.SubjectErased) {
				t.Errorf("%s %s: %v", what, state, err)
			}
		}
	}
	ask("")
	r.write(r.operator, func(tx *db.Tx) error { return hold.StartErasing(t.Context(), tx, person) })
	ask("while a job erases")
	r.write(r.operator, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "update users set email = 'erased-' || id || '@erased.invalid', email_key = 'erased-' || id || '@erased.invalid' where tenant_id = $1 and id = $2",
			tx.Tenant(), person)
		if err != nil {
			return err
		}
		return hold.StopErasing(t.Context(), tx, person)
	})
	ask("after the job")
}
