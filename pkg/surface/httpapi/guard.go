package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"

	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
)

// call is what the guard learned about a request before its body was decoded.
type call struct {
	scope db.Scope
	key   db.Key
	// dryRun calls have no key and change nothing.
	dryRun bool
	// file is the body of an upload.
	file *blob.File
}

type callKey struct{}

func callOf(ctx context.Context) call {
	c, _ := ctx.Value(callKey{}).(call)
	return c
}

// guard stands before decoding and validation: who calls, may they, and is it a repeat?
func (s *Server) guard(r route) func(huma.Context, func(huma.Context)) {
	return func(hc huma.Context, next func(huma.Context)) {
		c, err := s.admit(hc, r)
		if err != nil {
			s.refuse(hc, err)
			return
		}
		defer c.release()
		next(huma.WithValue(hc, callKey{}, c))
	}
}

func (s *Server) admit(hc huma.Context, r route) (call, error) {
	gc := humagin.Unwrap(hc)
	c := call{}
	if !r.Public {
		var err error
		c.scope, err = s.caller(hc, r)
		if err != nil {
			return c, err
		}
	}
	if !r.Once {
		return c, nil
	}
	if r.Upload {
		return s.receive(gc.Request, r, c)
	}
	body, err := s.takeBody(gc.Request, r)
	if err != nil {
		return c, err
	}
	if r.Rehearsed && asksForDryRun(body) {
		c.dryRun = true
		return c, nil
	}
	c.key, err = idempotencyKey(gc.Request, r)
	c.key.BodyHash = r.hashWithQuery(sha256.Sum256(body), gc.Request)
	return c, err
}

// hashWithQuery takes the query for a part of the body where a body that is a file or a table
// leaves no other place for the rest of the input. The order of parameters says nothing.
func (r route) hashWithQuery(body [sha256.Size]byte, req *http.Request) [sha256.Size]byte {
	query := req.URL.Query().Encode()
	if !r.Upload && !r.LargeBody || query == "" {
		return body
	}
	return sha256.Sum256(append(body[:], query...))
}

// caller says who calls, if they may and do not call too often.
func (s *Server) caller(hc huma.Context, r route) (db.Scope, error) {
	gc := humagin.Unwrap(hc)
	token, ok := bearerToken(gc.GetHeader("Authorization"))
	if !ok {
		return db.Scope{}, errs.New(errs.Unauthenticated, "Send the token as Authorization: Bearer.")
	}
	scope, err := s.authority.Authenticate(hc.Context(), token)
	if err != nil {
		return db.Scope{}, err
	}
	scope.RequestID = requestID(gc)
	scope.Proof, _ = ids.Parse("", gc.GetHeader("X-Step-Up-Proof"))
	scope.Context, err = contextOf(gc.GetHeader(contextHeader))
	if err != nil {
		return db.Scope{}, err
	}
	gc.Set(scopeKey, scope)
	err = allowed(scope, r.Needs)
	if err != nil {
		return db.Scope{}, err
	}
	return scope, s.count(hc.Context(), r, scope)
}

// bearerToken reads an Authorization header; the case of the scheme says nothing (RFC 9110,
// section 11.1).
func bearerToken(header string) (string, bool) {
	scheme, token, ok := strings.Cut(header, " ")
	return strings.TrimLeft(token, " "), ok && strings.EqualFold(scheme, "Bearer")
}

const (
	contextHeader = "X-Verification-Context"
	maxContext    = 8 << 10
)

// contextOf reads what the caller states of the circumstances; the policy of the call says
// whether anything must be stated at all.
func contextOf(header string) (*db.Context, error) {
	if header == "" {
		return nil, nil //nolint:nilnil // none was stated
	}
	var said db.Context
	decoder := json.NewDecoder(strings.NewReader(header))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&said)
	if err != nil || decoder.More() || len(header) > maxContext {
		return nil, errs.Invalid(errs.Field{Path: contextHeader, Code: "invalid",
			Message: `JSON of at most 8 KiB: {"kind":"auth.session","fields":{"room":"12"}}`})
	}
	return &said, nil
}

// asksForDryRun looks into a body that is not validated yet: whether a key is needed comes
// before that. A body that cannot be read is none.
func asksForDryRun(body []byte) bool {
	var said struct {
		DryRun bool `json:"dryRun"`
	}
	err := json.Unmarshal(body, &said)
	return err == nil && said.DryRun
}

// count counts the call against the route's limit, failed ones too: who guesses is slowed.
func (s *Server) count(ctx context.Context, r route, scope db.Scope) error {
	if r.Limit.N == 0 {
		return nil
	}
	return access.Allow(ctx, s.store, r.Limit, r.ID+" "+scope.Tenant.String()+" "+scope.Actor.String())
}

func allowed(scope db.Scope, needs []capability.Capability) error {
	if len(needs) == 0 {
		return nil
	}
	for _, n := range needs {
		if scope.Capabilities.Has(n) {
			return nil
		}
	}
	return errs.New(errs.Forbidden, "This needs the capability %s.", needs[0]).With("capability", string(needs[0]))
}

// idempotencyKey reads the key of a call; the hash of its body is for the caller to add.
func idempotencyKey(req *http.Request, r route) (db.Key, error) {
	key := req.Header.Get("Idempotency-Key")
	if key == "" {
		return db.Key{}, errs.New(errs.IdempotencyKeyRequired, "Send an Idempotency-Key header, new for each intent and the same for each retry.")
	}
	if len(key) > 200 || strings.ContainsFunc(key, func(c rune) bool { return c < '!' || c > '~' }) {
		return db.Key{}, errs.Invalid(errs.Field{Path: "Idempotency-Key", Code: "invalid", Message: "1 to 200 visible ASCII characters"})
	}
	return db.Key{Key: key, Method: req.Method, Path: r.storedPath(req), Sealed: r.Secret}, nil
}

// storedPath tells the paths of a route apart without keeping a secret in them.
func (r route) storedPath(req *http.Request) string {
	if !r.Secret {
		return req.URL.Path
	}
	hash := sha256.Sum256([]byte(req.URL.Path))
	return r.Path + "#" + hex.EncodeToString(hash[:])
}

// takeBody reads the body, within the limit of its route, and puts it back for the decoder.
func (s *Server) takeBody(req *http.Request, r route) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(nil, req.Body, s.bodyLimit(r)))
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return nil, tooLarge(large.Limit)
	}
	if err != nil {
		return nil, errs.Wrap(errs.MalformedRequest, err, "The body ended before it was complete.")
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	return body, nil
}

func (s *Server) bodyLimit(r route) int64 {
	if r.LargeBody {
		return int64(s.config.ImportLimit)
	}
	return int64(s.config.BodyLimit)
}

func tooLarge(limit int64) error {
	return errs.New(errs.RequestTooLarge, "The body is larger than %d bytes.", limit).With("limit", limit)
}
