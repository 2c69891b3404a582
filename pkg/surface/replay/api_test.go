package replay_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"testing"

	"assess/pkg/kernel/ids"
	"assess/pkg/surface/replay"
)

// fetch reads a route of the service into out.
func fetch(t *testing.T, baseURL, token, path string, query url.Values, out any) {
	t.Helper()
	send(t, http.MethodGet, baseURL+"/api/v1"+path+"?"+query.Encode(), http.Header{"Authorization": {"Bearer " + token}}, nil, out)
}

// change calls a route that changes something, with a key of its own.
func change(t *testing.T, o replay.Options, method, path string, header http.Header, body []byte) {
	t.Helper()
	header.Set("Authorization", "Bearer "+o.Token)
	header.Set("Idempotency-Key", ids.New().String())
	var ignored json.RawMessage
	send(t, method, o.BaseURL+"/api/v1"+path, header, body, &ignored)
}

func send(t *testing.T, method, address string, header http.Header, body []byte, out any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = header
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode >= http.StatusMultipleChoices {
		t.Fatalf("%s %s: %s, %v: %s", method, address, res.Status, err, answer)
	}
	err = json.Unmarshal(answer, out)
	if err != nil {
		t.Fatalf("%s %s: %v: %s", method, address, err, answer)
	}
}

// listAll reads all pages of a list.
func listAll[T any](t *testing.T, baseURL, token, path string, query url.Values) []T {
	t.Helper()
	var all []T
	for page := 1; ; page++ {
		q := url.Values{"page": {fmt.Sprint(page)}, "limit": {"200"}}
		for name, values := range query {
			q[name] = values
		}
		var list struct {
			Items []T
			Total int
		}
		fetch(t, baseURL, token, path, q, &list)
		all = append(all, list.Items...)
		if len(list.Items) == 0 || len(all) >= list.Total {
			return all
		}
	}
}
