package httpapi_test

import (
	"maps"
	"testing"

	"assess/pkg/exam/remediation"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// remediationPlace has a remediation for each thing that is done to one, and an item of
// somebody else's submission to score and to correct: nobody does that to their own.
type remediationPlace struct {
	Remediation, DoomedRemediation, Ready, Applied ids.ID
	MarkedItem, MarkedQuestion                     ids.ID
}

func remediationsOf(t *testing.T, tx *db.Tx, marked ids.ID) remediationPlace {
	t.Helper()
	var item, question ids.ID
	err := tx.QueryRow(t.Context(), "select item_id, question_version_id from submission_items where tenant_id = $1 and submission_id = $2 limit 1",
		tx.Tenant(), marked).Scan(&item, &question)
	if err != nil {
		t.Fatal(err)
	}
	draft := func() ids.ID {
		made, err := remediation.Create(t.Context(), tx, remediation.Input{SubmissionIDs: []ids.ID{marked}, QuestionVersionID: question,
			Rule: remediation.RuleFullCredit, Reason: "because"})
		if err != nil {
			t.Fatal(err)
		}
		return made.ID
	}
	p := remediationPlace{Remediation: draft(), DoomedRemediation: draft(), Ready: draft(), Applied: draft(), MarkedItem: item, MarkedQuestion: question}
	_, err = tx.Exec(t.Context(), "update remediations set state = 'applied', applied_at = now() where tenant_id = $1 and id = $2", tx.Tenant(), p.Applied)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func init() {
	one := func(id func(place) ids.ID) func(place) map[string]ids.ID {
		return func(p place) map[string]ids.ID { return map[string]ids.ID{"id": id(p)} }
	}
	remediation := one(func(p place) ids.ID { return p.Remediation })
	maps.Copy(noun, map[string]func(place) map[string]ids.ID{
		"getRemediation": remediation, "updateRemediation": remediation, "previewRemediation": remediation,
		"deleteRemediation": one(func(p place) ids.ID { return p.DoomedRemediation }),
		"applyRemediation":  one(func(p place) ids.ID { return p.Ready }),
		"revertRemediation": one(func(p place) ids.ID { return p.Applied }),
		"listScoreVersions": one(func(p place) ids.ID { return p.Submission }),
		"scoreItem":         func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Decided, "itemId": p.MarkedItem} },
	})
	empty := func(place) any { return nil }
	maps.Copy(body, map[string]func(place) any{
		"createRemediation": func(p place) any {
			return map[string]any{"submissionIds": []ids.ID{p.Decided}, "questionVersionId": p.MarkedQuestion, "rule": "exempt_question", "reason": "because"}
		},
		"updateRemediation":  func(place) any { return map[string]any{"reason": "another one"} },
		"previewRemediation": func(place) any { return map[string]any{} },
		"applyRemediation":   empty,
		"revertRemediation":  empty,
		"scoreItem":          func(place) any { return map[string]any{"score": 1} },
	})
}
