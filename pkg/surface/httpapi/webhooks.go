package httpapi

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"assess/pkg/trust/webhook"
)

// describeWebhooks describes the calls of the service to endpoints, from the catalogue.
func describeWebhooks(d *huma.OpenAPI) error {
	d.Webhooks = map[string]*huma.PathItem{}
	text := &huma.Schema{Type: huma.TypeString}
	var headers []*huma.Param
	for _, h := range []struct{ name, doc string }{
		{webhook.HeaderID, "The event; the same whenever it is sent"},
		{webhook.HeaderTimestamp, "When it was sent, in seconds since 1970"},
		{webhook.HeaderSignature, "v1, a comma, and the HMAC-SHA256 of id, timestamp and body, joined by dots, in base64; several with spaces between them while a secret is exchanged"},
		{"ce-type", "The headers that begin with ce- make the call a CloudEvent in binary mode"},
	} {
		headers = append(headers, &huma.Param{Name: h.name, In: "header", Required: true, Description: h.doc, Schema: text})
	}
	schema := d.Components.Schemas.Schema(reflect.TypeFor[webhook.Message](), true, "WebhookMessage")
	for _, k := range webhook.Catalogue {
		d.Webhooks[k.Type] = &huma.PathItem{Post: &huma.Operation{OperationID: "webhook." + k.Type, Summary: k.Meaning, Parameters: headers,
			RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: schema}}},
			Responses: map[string]*huma.Response{
				"2XX": {Description: "Received; any other answer is a failure, and the call is made again"},
				"410": {Description: "Gone: the endpoint is disabled"},
			}}}
	}
	return nil
}
