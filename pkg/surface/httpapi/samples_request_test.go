package httpapi_test

import (
	"maps"
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/hold"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/requests"
)

// requestPlace has requests in the states that routes need; each is about somebody who wants a rectification, which an
// officer carries out by hand.
type requestPlace struct {
	NewRequest, NamedRequest, AskedRequest, LongRequest, VerifiedRequest, GrantedRequest, RefusedRequest, TakenBack ids.ID
	Asker                                                                                                           ids.ID
	// Recipients, one of them with an end, and their tasks; a hold, and a finding of a forget.
	Recipient, OldRecipient, Task, SilentTask, LostTask, Hold, ResidueFinding ids.ID
	// These are the actor's.
	OwnRequest, OwnTakenBack, OwnRefused ids.ID
}

func requestsOf(t *testing.T, store *db.Store, whole db.Scope, actor ids.ID) requestPlace {
	t.Helper()
	var p requestPlace
	sample.Write(t, store, whole, func(tx *db.Tx) error {
		p.Asker = sample.User(t, tx).ID
		for at, upTo := range map[*ids.ID]int{&p.NewRequest: 0, &p.NamedRequest: 0, &p.AskedRequest: 0, &p.LongRequest: 0, &p.VerifiedRequest: 1, &p.GrantedRequest: 2,
			&p.RefusedRequest: 3, &p.TakenBack: 0, &p.OwnRequest: 0, &p.OwnTakenBack: 0, &p.OwnRefused: 3} {
			about := p.Asker
			if at == &p.OwnRequest || at == &p.OwnTakenBack || at == &p.OwnRefused {
				about = actor
			}
			made, err := requests.Record(t.Context(), tx, requests.Input{Kind: requests.Rectification, Channel: "letter", SubjectID: &about})
			if err != nil {
				return err
			}
			*at = made.ID
			if upTo > 0 {
				_, err = requests.Verify(t.Context(), tx, made.ID, requests.Identification{Identity: "document"})
			}
			if err == nil && upTo == 2 {
				_, err = requests.Decide(t.Context(), tx, made.ID, requests.Decision{Decision: requests.Granted})
			}
			if err == nil && upTo == 3 {
				_, err = requests.Decide(t.Context(), tx, made.ID, requests.Decision{Decision: requests.Refused, ReasonCode: "data_accurate"})
			}
			if err != nil {
				return err
			}
		}
		return p.others(t, tx)
	})
	return p
}

// others makes recipients with tasks, a hold, and a finding.
func (p *requestPlace) others(t *testing.T, tx *db.Tx) error {
	for _, at := range []*ids.ID{&p.Recipient, &p.OldRecipient, new(ids.ID)} {
		made, err := requests.CreateRecipient(t.Context(), tx, requests.RecipientInput{Name: "Recipient " + ids.New().String(), Role: "processor", Purpose: "integrity"})
		if err != nil {
			return err
		}
		*at = made.ID
	}
	asked, err := requests.Record(t.Context(), tx, requests.Input{Kind: requests.Rectification, Channel: "letter", SubjectID: &p.Asker})
	if err == nil {
		_, err = requests.Verify(t.Context(), tx, asked.ID, requests.Identification{Identity: "document"})
	}
	if err == nil {
		_, err = requests.Decide(t.Context(), tx, asked.ID, requests.Decision{Decision: requests.Granted})
	}
	if err != nil {
		return err
	}
	done, err := requests.CarryOut(t.Context(), tx, &compliance.Centre{}, asked.ID, requests.Execution{})
	if err != nil {
		return err
	}
	p.Task, p.SilentTask, p.LostTask = done.Tasks[0].ID, done.Tasks[1].ID, done.Tasks[2].ID
	var held hold.Hold
	for _, matter := range []string{"2026-014", "2026-020"} {
		held, err = hold.Place(t.Context(), tx, hold.Input{SubjectID: sample.User(t, tx).ID, Terms: hold.Terms{Kind: hold.Legal, ReasonCode: "litigation", Case: hold.Case{Matter: matter}}})
		if err != nil {
			return err
		}
	}
	p.Hold, p.ResidueFinding = held.ID, ids.New()
	job := ids.New()
	_, err = tx.Exec(t.Context(), `insert into compliance_jobs (tenant_id, id, job_type, status, subject_id, requested_by, arguments, counts, result, sla_due_at, created_at, stepped_at, completed_at)
		values ($1, $2, 'forget', 'completed', $3, 'operator:x', '{}', '{}', '{}', now(), now(), now(), now())`, tx.Tenant(), job, p.Asker)
	if err == nil {
		_, err = tx.Exec(t.Context(), `insert into residue_findings (tenant_id, job_id, number, id, table_name, column_name, row_key, kind, form, verdict)
			values ($1, $2, 1, $3, 'findings', 'detail', $4, 'name', 'plain', 'residue')`, tx.Tenant(), job, p.ResidueFinding, ids.New())
	}
	return err
}

func init() {
	one := func(id func(place) ids.ID) func(place) map[string]ids.ID {
		return func(p place) map[string]ids.ID { return map[string]ids.ID{"id": id(p)} }
	}
	all := map[string]func(place) map[string]ids.ID{
		"getRequest":           one(func(p place) ids.ID { return p.NewRequest }),
		"addRequestNote":       one(func(p place) ids.ID { return p.NewRequest }),
		"listRequestNotes":     one(func(p place) ids.ID { return p.NewRequest }),
		"nameRequestSubject":   one(func(p place) ids.ID { return p.NamedRequest }),
		"askIdentity":          one(func(p place) ids.ID { return p.AskedRequest }),
		"extendRequest":        one(func(p place) ids.ID { return p.LongRequest }),
		"verifyRequest":        one(func(p place) ids.ID { return p.NamedRequest }),
		"decideRequest":        one(func(p place) ids.ID { return p.VerifiedRequest }),
		"carryOutRequest":      one(func(p place) ids.ID { return p.GrantedRequest }),
		"answerRequest":        one(func(p place) ids.ID { return p.RefusedRequest }),
		"withdrawRequest":      one(func(p place) ids.ID { return p.TakenBack }),
		"sendLetter":           one(func(p place) ids.ID { return p.NewRequest }),
		"readLetter":           one(func(p place) ids.ID { return p.NewRequest }),
		"getRecipient":         one(func(p place) ids.ID { return p.Recipient }),
		"updateRecipient":      one(func(p place) ids.ID { return p.Recipient }),
		"endRecipient":         one(func(p place) ids.ID { return p.OldRecipient }),
		"acknowledgeTask":      one(func(p place) ids.ID { return p.Task }),
		"remindRecipient":      one(func(p place) ids.ID { return p.SilentTask }),
		"giveUpTask":           one(func(p place) ids.ID { return p.LostTask }),
		"decideResidueFinding": one(func(p place) ids.ID { return p.ResidueFinding }),
	}
	maps.Copy(noun, all)
	for id := range all {
		tenantWide[id] = true
	}
	tenantWide["reviewHold"] = true // of the officer of the test, who reaches everybody
	maps.Copy(noun, map[string]func(place) map[string]ids.ID{
		"reviewHold":         one(func(p place) ids.ID { return p.Hold }),
		"getOwnRequest":      one(func(p place) ids.ID { return p.OwnRequest }),
		"withdrawOwnRequest": one(func(p place) ids.ID { return p.OwnTakenBack }),
		"contestRequest":     one(func(p place) ids.ID { return p.OwnRefused }),
	})
	for _, id := range []string{"withdrawOwnRequest", "contestRequest"} {
		body[id] = func(place) any { return nil }
	}
	body["askRequest"] = func(place) any { return map[string]any{"kind": "access"} }
	body["setRequestRules"] = func(place) any { return map[string]any{"twoPeople": true, "waitDays": 14} }
	body["recordRequest"] = func(p place) any {
		return map[string]any{"kind": "access", "channel": "letter", "subject_id": p.Asker}
	}
	body["nameRequestSubject"] = func(p place) any { return map[string]any{"subject_id": p.Asker} }
	for _, id := range []string{"endRecipient", "acknowledgeTask", "remindRecipient"} {
		body[id] = func(place) any { return nil }
	}
	body["setLetterTemplate"] = func(place) any {
		return map[string]any{"letter": "done", "locale": "de", "subject": "Erledigt", "text": "Guten Tag {name}, es ist erledigt."}
	}
	body["sendLetter"] = func(place) any { return map[string]any{"letter": "received"} }
	body["createRecipient"] = func(place) any {
		return map[string]any{"name": "The archive " + ids.New().String(), "role": "recipient", "purpose": "proof"}
	}
	body["updateRecipient"] = func(place) any {
		return map[string]any{"name": "The archive " + ids.New().String(), "role": "recipient", "purpose": "proof", "contact": "archive@example.org"}
	}
	body["giveUpTask"] = func(place) any { return map[string]any{"reason_code": "impossible"} }
	body["placeHolds"] = func(p place) any {
		return map[string]any{"subjectIds": []ids.ID{p.Asker}, "reason_code": "audit", "matter": ids.New().String()}
	}
	body["liftHolds"] = func(place) any { return map[string]any{"matter": "2026-014"} }
	body["reviewHold"] = func(place) any { return map[string]any{"reviewAt": "2099-01-01T00:00:00Z"} }
	body["decideResidueFinding"] = func(place) any { return map[string]any{"decision": "kept", "reason_code": "rights_of_others"} }
	body["setLegalBasis"] = func(place) any { return map[string]any{"purpose": "exams", "legalBasis": "public_task"} }
	body["askIdentity"] = func(place) any { return nil }
	body["verifyRequest"] = func(place) any { return map[string]any{"identity": "known"} }
	body["extendRequest"] = func(place) any { return map[string]any{"reason_code": "complexity"} }
	body["decideRequest"] = func(place) any { return map[string]any{"decision": "granted"} }
	body["carryOutRequest"] = func(place) any { return map[string]any{} }
	body["answerRequest"] = func(place) any { return nil }
	body["withdrawRequest"] = func(place) any { return nil }
	body["addRequestNote"] = func(place) any { return map[string]any{"text": "Asked by telephone for the old address too."} }
}
