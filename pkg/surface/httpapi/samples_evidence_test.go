package httpapi_test

import (
	"maps"
	"testing"

	"assess/pkg/dev/apptest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// evidencePlace holds evidence and findings about the actor's submission. Claims and disputes
// to decide are about submissions of somebody else; OwnDispute is about the actor's.
type evidencePlace struct {
	Evidence, SpareEvidence, Finding ids.ID
	Claims, Disputes                 [3]ids.ID
	OwnDispute                       ids.ID
}

func evidenceOf(t *testing.T, app *apptest.App, scope db.Scope, p place) evidencePlace {
	t.Helper()
	var e evidencePlace
	e.Evidence = sample.Evidence(t, app.Store, scope, app.Evidence, p.Submission).ID
	e.SpareEvidence = sample.Evidence(t, app.Store, scope, app.Evidence, p.Submission).ID
	sample.Write(t, app.Store, scope, func(tx *db.Tx) error {
		e.Finding = sample.Finding(t, tx, p.Submission, e.Evidence).ID
		for i, about := range p.Undecided {
			f := sample.Finding(t, tx, about)
			e.Claims[i] = sample.Case(t, tx, evidence.Claims, about, f.ID).ID
			e.Disputes[i] = sample.Case(t, tx, evidence.Disputes, about, f.ID).ID
		}
		e.OwnDispute = sample.Case(t, tx, evidence.Disputes, p.OwnSubmission).ID
		return nil
	})
	return e
}

func init() {
	id := func(of func(p place) ids.ID) func(place) map[string]ids.ID {
		return func(p place) map[string]ids.ID { return map[string]ids.ID{"id": of(p)} }
	}
	submission := id(func(p place) ids.ID { return p.Submission })
	file := id(func(p place) ids.ID { return p.Evidence })
	claim := func(i int) func(place) map[string]ids.ID { return id(func(p place) ids.ID { return p.Claims[i] }) }
	dispute := func(i int) func(place) map[string]ids.ID { return id(func(p place) ids.ID { return p.Disputes[i] }) }
	maps.Copy(noun, map[string]func(place) map[string]ids.ID{
		"listEvidence": submission, "attachEvidence": submission, "getEvidence": file, "getEvidenceContent": file, "verifyEvidence": file,
		"voidEvidence": id(func(p place) ids.ID { return p.SpareEvidence }), "setEvidenceTier": file,
		"listFindings": submission, "detectFinding": submission, "getFinding": id(func(p place) ids.ID { return p.Finding }),
		"listClaims": submission, "raiseClaim": submission, "getClaim": claim(0), "upholdClaim": claim(0), "rejectClaim": claim(1),
		"withdrawClaim": claim(2),
		"listDisputes":  submission, "raiseDispute": submission, "getDispute": dispute(0), "upholdDispute": dispute(0), "rejectDispute": dispute(1),
		"withdrawDispute": id(func(p place) ids.ID { return p.OwnDispute }),
	})
	statement := func(p place) any {
		return map[string]any{"statement": "It was not so.", "findingIds": []ids.ID{p.Finding}}
	}
	maps.Copy(body, map[string]func(place) any{
		"attachEvidence":  func(place) any { return sample.PNG(8, 8) },
		"verifyEvidence":  func(place) any { return nil },
		"voidEvidence":    func(place) any { return map[string]any{"reason": "the wrong person"} },
		"setEvidenceTier": func(place) any { return map[string]any{"storageTier": "COLD"} },
		"detectFinding": func(p place) any {
			return map[string]any{"code": "PHONE_SEEN", "severity": "minor", "evidenceIds": []ids.ID{p.Evidence}, "detail": "left of the screen"}
		},
		"raiseClaim": statement, "upholdClaim": reason, "rejectClaim": reason, "withdrawClaim": reason,
		"raiseDispute": statement, "upholdDispute": reason, "rejectDispute": reason, "withdrawDispute": reason,
	})
}
