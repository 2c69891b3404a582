package httpapi_test

import (
	"maps"
	"testing"
	"time"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/webhook"
)

// webhookPlace holds an endpoint with a delivery, and one that can be deleted.
type webhookPlace struct{ Webhook, SpareWebhook, Delivery ids.ID }

func webhooksOf(t *testing.T, store *db.Store, scope db.Scope, unit ids.ID) webhookPlace {
	t.Helper()
	var p webhookPlace
	sample.Write(t, store, scope, func(tx *db.Tx) error {
		for _, at := range []*ids.ID{&p.Webhook, &p.SpareWebhook} {
			made, err := webhook.Create(t.Context(), tx, webhook.Input{URL: "https://lms.example.org/hooks", Events: webhook.Types(), OrgUnitID: &unit})
			if err != nil {
				return err
			}
			*at = made.ID
		}
		d, err := webhook.SendTest(t.Context(), tx, p.Webhook)
		p.Delivery = d.ID
		return err
	})
	return p
}

func init() {
	one := func(id func(place) ids.ID) func(place) map[string]ids.ID {
		return func(p place) map[string]ids.ID { return map[string]ids.ID{"id": id(p)} }
	}
	itself := one(func(p place) ids.ID { return p.Webhook })
	maps.Copy(noun, map[string]func(place) map[string]ids.ID{
		"getWebhook": itself, "updateWebhook": itself, "testWebhook": itself, "rotateWebhookSecret": itself, "listWebhookDeliveries": itself, "replayWebhook": itself,
		"deleteWebhook":    one(func(p place) ids.ID { return p.SpareWebhook }),
		"redeliverWebhook": func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Webhook, "deliveryId": p.Delivery} },
	})
	for _, id := range []string{"testWebhook", "rotateWebhookSecret", "redeliverWebhook"} {
		body[id] = func(place) any { return nil }
	}
	body["createWebhook"] = func(place) any {
		return map[string]any{"url": "https://lms.example.org/hooks", "events": []string{webhook.SubmissionScored}}
	}
	body["updateWebhook"] = func(place) any { return map[string]any{"description": "The LMS"} }
	body["replayWebhook"] = func(place) any { return map[string]any{"from": time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)} }
}
