package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"assess/pkg/kernel/errs"
)

const (
	prefix      = "/api/v1"
	maxTries    = 11
	firstDelay  = 50 * time.Millisecond
	longestWait = 5 * time.Second
	callTimeout = 2 * time.Minute
)

// client calls the service over connections that it keeps open.
type client struct {
	http  *http.Client
	base  string
	token string
}

// call is one request. Each may be sent again: reads and saves by their nature, the rest
// by its idempotency key.
type call struct {
	method, path string
	key, proof   string
	contentType  string
	body         []byte
}

// answer is the answer of the service. replayed says that it answers a call of an earlier
// replay; the second answer to a call of ours does not count, if the first got lost on its way.
type answer struct {
	status   int
	header   http.Header
	body     []byte
	replayed bool
}

func newClient(base, token string, parallel int) *client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = parallel
	// A replay usually runs on the machine of the service: compression costs more than it saves.
	transport.DisableCompression = true
	return &client{http: &http.Client{Transport: transport, Timeout: callTimeout},
		base: strings.TrimRight(base, "/") + prefix, token: token}
}

// as is the same client for another user.
func (c *client) as(token string) *client {
	other := *c
	other.token = token
	return &other
}

func (c *client) close() { c.http.CloseIdleConnections() }

// get reads path into out.
func (c *client) get(ctx context.Context, path string, out any) error {
	_, err := c.do(ctx, call{method: http.MethodGet, path: path}, out)
	return err
}

// post sends in as JSON and reads the answer into out; it says whether an earlier replay
// had that answer already. key is empty for routes that need none.
func (c *client) post(ctx context.Context, path, key string, in, out any) (bool, error) {
	body, err := json.Marshal(in)
	if err != nil {
		return false, fmt.Errorf("encode %s: %w", path, err)
	}
	return c.do(ctx, call{method: http.MethodPost, path: path, key: key, contentType: "application/json", body: body}, out)
}

// do sends a call until it is answered for good, and reads a 2xx answer into out; it says
// whether an earlier replay had that answer already.
func (c *client) do(ctx context.Context, k call, out any) (bool, error) {
	a, err := c.persist(ctx, k)
	if err != nil {
		return false, fmt.Errorf("%s %s: %w", k.method, k.path, err)
	}
	if a.status >= http.StatusMultipleChoices {
		return false, a.problem()
	}
	err = json.Unmarshal(a.body, out)
	if err != nil {
		return false, fmt.Errorf("decode the answer to %s %s: %w", k.method, k.path, err)
	}
	return a.replayed, nil
}

func (c *client) persist(ctx context.Context, k call) (answer, error) {
	for try, delay := 1, firstDelay; ; try, delay = try+1, min(2*delay, longestWait) {
		a, err := c.once(ctx, k)
		a.replayed = try == 1 && a.header.Get("Idempotency-Replayed") == "true"
		if err == nil && !a.mayPass() || try == maxTries || ctx.Err() != nil {
			return a, err
		}
		select {
		case <-ctx.Done():
			return answer{}, ctx.Err()
		case <-time.After(max(delay, a.retryAfter())):
		}
	}
}

func (c *client) once(ctx context.Context, k call) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, k.method, c.base+k.path, bytes.NewReader(k.body))
	if err != nil {
		return answer{}, err
	}
	headers := map[string]string{"Authorization": "Bearer " + c.token, "Content-Type": k.contentType,
		"Idempotency-Key": k.key, "X-Step-Up-Proof": k.proof}
	for name, value := range headers {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	res, err := c.http.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return answer{status: res.StatusCode, header: res.Header, body: body}, err
}

// mayPass says whether trying again may help.
func (a answer) mayPass() bool {
	switch a.status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	case http.StatusConflict:
		return errors.Is(a.problem(), errs.IdempotencyInProgress)
	}
	return false
}

func (a answer) retryAfter() time.Duration {
	seconds, err := strconv.Atoi(a.header.Get("Retry-After"))
	if err != nil {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

// problem gives the error that the service answered. An answer in another form, such as a
// proxy's, is told by its status.
func (a answer) problem() error {
	var p struct {
		Code    errs.Code
		Message string
		Details struct{ Fields []errs.Field }
	}
	err := json.Unmarshal(a.body, &p)
	if err != nil || p.Code == "" {
		return fmt.Errorf("the service answered with status %d and no error of its own", a.status)
	}
	return &errs.Error{Code: p.Code, Message: p.Message, Fields: p.Details.Fields}
}
