package httpapi_test

import (
	"maps"
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/requests"
)

// requestPlace has requests in the states that routes ask for; each is about somebody who asks for a rectification, which an
// officer carries out by hand.
type requestPlace struct {
	NewRequest, NamedRequest, AskedRequest, LongRequest, VerifiedRequest, GrantedRequest, RefusedRequest, TakenBack ids.ID
	Asker                                                                                                           ids.ID
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
		return nil
	})
	return p
}

func init() {
	one := func(id func(place) ids.ID) func(place) map[string]ids.ID {
		return func(p place) map[string]ids.ID { return map[string]ids.ID{"id": id(p)} }
	}
	all := map[string]func(place) map[string]ids.ID{
		"getRequest":         one(func(p place) ids.ID { return p.NewRequest }),
		"addRequestNote":     one(func(p place) ids.ID { return p.NewRequest }),
		"listRequestNotes":   one(func(p place) ids.ID { return p.NewRequest }),
		"nameRequestSubject": one(func(p place) ids.ID { return p.NamedRequest }),
		"askIdentity":        one(func(p place) ids.ID { return p.AskedRequest }),
		"extendRequest":      one(func(p place) ids.ID { return p.LongRequest }),
		"verifyRequest":      one(func(p place) ids.ID { return p.NamedRequest }),
		"decideRequest":      one(func(p place) ids.ID { return p.VerifiedRequest }),
		"carryOutRequest":    one(func(p place) ids.ID { return p.GrantedRequest }),
		"answerRequest":      one(func(p place) ids.ID { return p.RefusedRequest }),
		"withdrawRequest":    one(func(p place) ids.ID { return p.TakenBack }),
	}
	maps.Copy(noun, all)
	for id := range all {
		tenantWide[id] = true
	}
	maps.Copy(noun, map[string]func(place) map[string]ids.ID{
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
	body["askIdentity"] = func(place) any { return nil }
	body["verifyRequest"] = func(place) any { return map[string]any{"identity": "known"} }
	body["extendRequest"] = func(place) any { return map[string]any{"reason_code": "complexity"} }
	body["decideRequest"] = func(place) any { return map[string]any{"decision": "granted"} }
	body["carryOutRequest"] = func(place) any { return map[string]any{} }
	body["answerRequest"] = func(place) any { return nil }
	body["withdrawRequest"] = func(place) any { return nil }
	body["addRequestNote"] = func(place) any { return map[string]any{"text": "Asked by telephone for the old address too."} }
}
