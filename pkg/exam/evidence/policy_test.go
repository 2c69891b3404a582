package evidence_test

import (
	"slices"
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/evidence"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
	"assess/pkg/people/policy"
)

// said is the text of the context where one is given.
const said = "room twelve"

// submitAt gives the room a submission at a level, handed in by an operator, who needs no proof.
func (r *room) submitAt(level string) {
	r.t.Helper()
	r.write(r.operator, func(tx *db.Tx) error {
		s := sample.Published(r.t, tx, authoring.Settings{VerificationLevel: level}, sample.Choice("A"))
		desk, user := session.NewDesk(), r.candidate.Actor.ID
		open, err := desk.Start(r.t.Context(), tx, session.StartInput{EvaluationID: s.EvaluationID, UserID: &user})
		if err != nil {
			return err
		}
		done, err := desk.Submit(r.t.Context(), tx, session.SubmitInput{EvaluationID: s.EvaluationID, SessionID: open.ID})
		r.submission = done.SubmissionID
		return err
	})
}

// proven gives the scope with a context and a fresh proof.
func (r *room) proven(as db.Scope) db.Scope {
	r.t.Helper()
	as = stating(as)
	as.Proof = ids.New()
	r.write(r.operator, func(tx *db.Tx) error {
		_, err := tx.Exec(r.t.Context(), `insert into step_up_proofs (tenant_id, id, user_id, method, created_at, expires_at)
			values ($1, $2, $3, $4, now(), now() + interval '1 minute')`, tx.Tenant(), as.Proof, as.Actor.ID, access.ByMagicLink)
		return err
	})
	return as
}

func stating(as db.Scope) db.Scope {
	as.Context = &db.Context{Kind: policy.BySession, Fields: map[string]string{"room": said}}
	return as
}

// colleague is a proctor more: of one person only one dispute is open.
func (r *room) colleague() db.Scope {
	r.t.Helper()
	var as db.Scope
	r.write(r.operator, func(tx *db.Tx) error {
		as = sample.As(r.operator, sample.User(r.t, tx).ID, capability.EvidenceManage)
		return nil
	})
	return as
}

// deed is something that a policy protects.
type deed struct {
	name, appliesTo string
	as              db.Scope
	do              func(as db.Scope) error
}

// deeds are all of them, each about records of its own.
func (r *room) deeds() []deed {
	r.t.Helper()
	in := evidence.AttachInput{SubmissionID: r.submission, Kind: "photo"}
	kept, err := r.keep(in, sample.PNG(8, 8))
	if err != nil {
		r.t.Fatal(err)
	}
	doomed := must(r, r.operator, func(tx *db.Tx) (evidence.Evidence, error) { return evidence.Attach(r.t.Context(), tx, in, kept) })
	all := []deed{
		{"attach evidence", policy.Evidence, r.proctor, func(as db.Scope) error {
			_, err := try(r, as, func(tx *db.Tx) (evidence.Evidence, error) { return evidence.Attach(r.t.Context(), tx, in, kept) })
			return err
		}},
		{"void evidence", policy.Evidence, r.proctor, func(as db.Scope) error {
			_, err := try(r, as, func(tx *db.Tx) (evidence.Evidence, error) {
				return evidence.Void(r.t.Context(), tx, evidence.VoidInput{ID: doomed.ID, Reason: "blurred"})
			})
			return err
		}},
	}
	finding := r.finding()
	for kind, appliesTo := range map[evidence.CaseKind]string{evidence.Claims: policy.Claims, evidence.Disputes: policy.Disputes} {
		all = append(all, deed{"raise one of the " + appliesTo, appliesTo, r.colleague(), func(as db.Scope) error {
			_, err := r.raise(as, kind, finding)
			return err
		}})
		for what := range decisions {
			raiser, by := r.colleague(), r.reviewer
			if what == "withdraw" {
				by = raiser
			}
			raised, err := r.raise(r.proven(raiser), kind, finding)
			if err != nil {
				r.t.Fatal(err)
			}
			all = append(all, deed{what + " one of the " + appliesTo, appliesTo, by, func(as db.Scope) error {
				_, err := r.decide(as, what, kind, raised.ID)
				return err
			}})
		}
	}
	return all
}

// Every action on evidence, claims and disputes has to meet the policy of the day at the level of
// the submission: nothing happens until everything is proved, and then the record says who proved what, and how.
func TestDeedsAreHeldToThePolicy(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	for _, level := range []string{"L1", "L2", "L3", "L4"} {
		r.submitAt(level)
		for _, d := range r.deeds() {
			t.Run(level+" "+d.name, func(t *testing.T) {
				before := r.verified(d.appliesTo)
				if level != "L1" {
					wantCode(t, d.do(d.as), errs.ValidationFailed)
				}
				if level > "L2" {
					wantCode(t, d.do(stating(d.as)), errs.StepUpRequired)
				}
				as := d.as
				switch {
				case level > "L2":
					as = r.proven(d.as)
				case level == "L2":
					as = stating(d.as)
				}
				if err := d.do(as); err != nil {
					t.Fatal(err)
				}
				after := r.verified(d.appliesTo)
				if level == "L1" {
					if len(after) != len(before) {
						t.Errorf("L1 asks for nothing, and there are %d verifications more", len(after)-len(before))
					}
					return
				}
				if len(after) != len(before)+1 {
					t.Fatalf("%d verifications more, want 1", len(after)-len(before))
				}
				kind, method := policy.BySession, ""
				if level > "L2" {
					kind, method = policy.ByStepUp, access.ByMagicLink
				}
				if v := after[0]; v.Kind != kind || v.Method != method || v.VerifiedBy != as.Actor.String() || v.Fields["room"] != said || v.PolicyRef == "" {
					t.Errorf("got %+v", v)
				}
				named := must(r, r.operator, func(tx *db.Tx) (n int, err error) {
					err = tx.QueryRow(t.Context(), "select count(*) from ledger_events where tenant_id = $1 and payload -> 'authority' ->> 'verificationId' = $2", tx.Tenant(), after[0].ID).Scan(&n)
					return n, err
				})
				if named != 1 {
					t.Errorf("%d ledger events name the verification, want 1", named)
				}
			})
		}
	}
	if n := must(r, r.operator, func(tx *db.Tx) (n int, err error) {
		err = tx.QueryRow(t.Context(), "select count(*) from ledger_events where tenant_id = $1 and payload::text like '%' || $2 || '%'", tx.Tenant(), said).Scan(&n)
		return n, err
	}); n != 0 {
		t.Errorf("%d ledger events hold what the context says", n)
	}
}

// verified gives the verifications of the room's submission for an action, the newest first.
func (r *room) verified(appliesTo string) []policy.Verified {
	r.t.Helper()
	all := must(r, sample.As(r.operator, ids.New(), capability.SubmissionsRead), func(tx *db.Tx) ([]policy.Verified, error) {
		all, _, err := policy.Verifications(r.t.Context(), tx, r.submission)
		return all, err
	})
	return slices.DeleteFunc(all, func(v policy.Verified) bool { return v.AppliesTo != appliesTo })
}
