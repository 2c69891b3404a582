package op

import (
	"assess/pkg/kernel/capability"
	"assess/pkg/trust/webhook"
)

// Webhooks are the operations on endpoints that are told of events. Listening is a command written by hand: it receives.
func Webhooks() []Line {
	reads, manages := needs(capability.IntegrationsRead, capability.IntegrationsManage), needs(capability.IntegrationsManage)
	return []Line{
		read("GET /webhooks", "listWebhooks", "webhook list", reads, "List the endpoints that are told what happens", webhook.List),
		write("POST /webhooks", "createWebhook", "webhook create URL", manages, "Tell an endpoint what happens from now on; its secret is shown once", webhook.Create).creates().secret(),
		read("GET /webhooks/{id}", "getWebhook", "webhook show WEBHOOK", reads, "Read an endpoint", one(webhook.Get)),
		write("PATCH /webhooks/{id}", "updateWebhook", "webhook update WEBHOOK", manages, "Change an endpoint, pause it, or make it active again", ofOne(webhook.Update)),
		write("DELETE /webhooks/{id}", "deleteWebhook", "webhook delete WEBHOOK", manages, "Delete an endpoint with what was still to be sent", gone(webhook.Delete)).asks("Delete the webhook %[1]s and what was still to be sent?"),
		write("POST /webhooks/{id}/test", "testWebhook", "webhook test WEBHOOK", manages, "Send an event of the type webhook.test to an endpoint", one(webhook.SendTest)).accepted(),
		write("POST /webhooks/{id}/rotate-secret", "rotateWebhookSecret", "webhook rotate WEBHOOK", manages, "Make a new secret, which is shown once; the one before signs too for 24 hours", one(webhook.Rotate)).secret(),
		read("GET /webhooks/{id}/deliveries", "listWebhookDeliveries", "webhook deliveries WEBHOOK", reads, "List what was sent to an endpoint in the last 14 days, and what is to be", ofOne(webhook.ListDeliveries)),
		write("POST /webhooks/{id}/deliveries/{deliveryId}/redeliver", "redeliverWebhook", "webhook redeliver WEBHOOK DELIVERY", manages, "Send a delivery again", webhook.Redeliver).accepted(),
		write("POST /webhooks/{id}/replay", "replayWebhook", "webhook replay WEBHOOK", manages, "Tell an endpoint again what happened in a time, by the ledger", ofOne(webhook.ReplayEvents)).accepted(),
	}
}
