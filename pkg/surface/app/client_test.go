package app_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"syscall"
	"testing"

	"assess/pkg/dev/await"
)

type problem struct {
	Code, Message string
	retryAfter    string
}

func (h *house) call(t *testing.T, method, path, key string, body any) (int, problem) {
	t.Helper()
	var p problem
	status, err := h.try(method, path, key, body, &p)
	if err != nil {
		t.Fatal(err)
	}
	return status, p
}

// insist repeats a call until it succeeds, as the client of a candidate would. headers are
// names and values.
func (h *house) insist(t *testing.T, path, key string, body, into any, headers ...string) {
	t.Helper()
	await.Until(t, "POST "+path, func() bool {
		status, err := h.try(http.MethodPost, path, key, body, into, headers...)
		refused := err == nil && status >= 300 && status < 500 && status != http.StatusConflict
		if refused {
			t.Errorf("POST %s: got %d", path, status)
		}
		return refused || err == nil && status < 300
	})
}

func (h *house) try(method, path, key string, body, into any, headers ...string) (int, error) {
	var content io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return 0, err
		}
		content = bytes.NewReader(encoded)
	}
	req, err := http.NewRequest(method, "http://"+h.address+"/api/v1"+path, content)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+h.token)
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	if p, ok := into.(*problem); ok {
		p.retryAfter = res.Header.Get("Retry-After")
	}
	if into == nil || res.StatusCode >= 300 && !isProblem(into) {
		_, err := io.Copy(io.Discard, res.Body)
		return res.StatusCode, err
	}
	return res.StatusCode, json.NewDecoder(res.Body).Decode(into)
}

func isProblem(into any) bool {
	_, ok := into.(*problem)
	return ok
}

func refused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
