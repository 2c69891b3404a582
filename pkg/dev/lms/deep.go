package lms

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/golang-jwt/jwt/v5"
)

// Data is the data that a pick carries back to the platform.
const Data = "carry \u00e9 \"me\" back\x00"

// Picks are the settings of a launch in which somebody picks what an activity hands out, as Moodle sends them.
func (p *Platform) Picks() map[string]any {
	return map[string]any{"deep_link_return_url": p.URL + "/return", "accept_types": []string{"ltiResourceLink"}, "accept_presentation_document_targets": []string{"frame", "iframe", "window"},
		"accept_multiple": true, "data": Data}
}

// Item is a content item that a tool answered with (LTI Deep Linking 2.0, section 3.2).
type Item struct {
	Type     string         `json:"type"`
	Title    string         `json:"title"`
	URL      string         `json:"url"`
	Custom   map[string]any `json:"custom"`
	LineItem *struct {
		Label        string  `json:"label"`
		ScoreMaximum float64 `json:"scoreMaximum"`
		ResourceID   string  `json:"resourceId"`
		Tag          string  `json:"tag"`
	} `json:"lineItem"`
	Window *struct {
		TargetName string `json:"targetName"`
	} `json:"window"`
}

// TakeAnswer checks the answer of a tool to a pick with these settings, and gives its items. It takes each answer once.
func (p *Platform) TakeAnswer(text string, settings map[string]any) ([]Item, error) {
	var said struct {
		jwt.RegisteredClaims
		Nonce      string          `json:"nonce"`
		Message    string          `json:"https://purl.imsglobal.org/spec/lti/claim/message_type"`
		Version    string          `json:"https://purl.imsglobal.org/spec/lti/claim/version"`
		Deployment string          `json:"https://purl.imsglobal.org/spec/lti/claim/deployment_id"`
		Data       json.RawMessage `json:"https://purl.imsglobal.org/spec/lti-dl/claim/data"`
		Items      []Item          `json:"https://purl.imsglobal.org/spec/lti-dl/claim/content_items"`
	}
	_, err := jwt.ParseWithClaims(text, &said, p.toolKey, jwt.WithValidMethods([]string{"RS256"}), jwt.WithExpirationRequired(), jwt.WithIssuedAt(), jwt.WithAudience(p.URL), jwt.WithIssuer(ClientID))
	if err != nil {
		return nil, err
	}
	wanted, _ := json.Marshal(settings["data"]) // a string or nothing
	if len(said.Data) == 0 {
		said.Data = json.RawMessage("null")
	}
	var want, got any
	_, _ = json.Unmarshal(wanted, &want), json.Unmarshal(said.Data, &got)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case said.Message != "LtiDeepLinkingResponse" || said.Version != "1.3.0" || said.Deployment != Deployment:
		return nil, fmt.Errorf("the answer is %+v", said)
	case want != got:
		return nil, fmt.Errorf("the data are %s, not %s", said.Data, wanted)
	case said.Nonce == "" || p.nonces[said.Nonce]:
		return nil, fmt.Errorf("the answer came before")
	case settings["accept_multiple"] != true && len(said.Items) > 1:
		return nil, fmt.Errorf("%d items are too many", len(said.Items))
	}
	for _, item := range said.Items {
		if types, _ := settings["accept_types"].([]string); !slices.Contains(types, item.Type) {
			return nil, fmt.Errorf("no item of the type %s is taken", item.Type)
		}
	}
	p.nonces[said.Nonce] = true
	p.picked = append(p.picked, said.Items...)
	return said.Items, nil
}

// takeAnswer is where the browser brings an answer.
func (p *Platform) takeAnswer(w http.ResponseWriter, r *http.Request) {
	_, err := p.TakeAnswer(r.PostFormValue("JWT"), p.Picks())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	_, _ = w.Write([]byte("<title>Taken</title><h1>Taken</h1>"))
}

// Picked are the items of all answers.
func (p *Platform) Picked() []Item {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.picked)
}
