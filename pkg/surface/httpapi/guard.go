package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"

	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/wire"
	"assess/pkg/people/access"
	reportpage "assess/pkg/report/page"
)

// call is the information that the guard collects about a request before its body is decoded.
type call struct {
	scope db.Scope
	key   db.Key
	// has is the ETag of an earlier answer that the client already has, as a GET says.
	has string
	// reads says that the call is a GET.
	reads bool
	// dryRun calls have no key and change nothing.
	dryRun bool
	// file is the body of an upload.
	file *blob.File
	// body is the body of any other call.
	body []byte
	// browse is how the page of a browser leads on; nil for all other callers.
	browse *reportpage.Browse
	// freed gives back the memory that an import took from the memory for all imports.
	freed func()
}

type callKey struct{}

func callOf(ctx context.Context) call {
	c, _ := ctx.Value(callKey{}).(call)
	return c
}

// guard runs before decoding and validation: who calls, may they, and is it a repeat? From here
// on the call does not depend on the client's connection: if the client hangs up, its request is
// carried out all the same.
func (s *Server) guard(r route) func(huma.Context, func(huma.Context)) {
	return func(hc huma.Context, next func(huma.Context)) {
		hc = huma.WithContext(hc, context.WithoutCancel(hc.Context()))
		if r.Public {
			defer s.countFailure(hc)
		}
		c, err := s.admit(hc, r)
		defer c.release()
		if err == nil {
			err = s.vet(hc, r, &c)
		}
		if err != nil {
			s.refuse(hc, err)
		} else {
			next(huma.WithValue(hc, callKey{}, c))
		}
	}
}

func (s *Server) admit(hc huma.Context, r route) (call, error) {
	gc := humagin.Unwrap(hc)
	c := call{}
	if !r.Public || bringsLink(gc) {
		var err error
		c.scope, err = s.caller(hc, r)
		if err != nil {
			return c, err
		}
		if gc.GetBool(browserKey) {
			c.browse = browse(gc.Request.URL, c.scope)
		}
	}
	if r.Public {
		err := s.authority.AddressSpent(hc.Context(), gc.ClientIP())
		if err != nil {
			return c, err
		}
	}
	if r.Upload {
		return s.receive(gc.Request, r, c)
	}
	if r.Method == http.MethodGet {
		c.reads, c.has = true, gc.GetHeader("If-None-Match")
		return c, nil
	}
	hash, err := s.takeBody(hc.Context(), gc.Request, r, &c)
	if err != nil || !r.Once {
		return c, err
	}
	if r.Rehearsed && asksForDryRun(c.body) || r.Tried && queryAsksForDryRun(gc.Query("dryRun")) {
		c.dryRun = true
		return c, nil
	}
	c.key, err = idempotencyKey(gc.Request, r)
	c.key.BodyHash = r.hashWithQuery(hash, gc.Request)
	return c, err
}

// countFailure counts a failed call without a token against the limit of its
// address: guessing and flooding are slowed down.
func (s *Server) countFailure(hc huma.Context) {
	gc := humagin.Unwrap(hc)
	status := gc.Writer.Status()
	if status < 400 || status >= 500 || status == http.StatusTooManyRequests {
		return
	}
	err := s.authority.CountAddress(hc.Context(), gc.ClientIP())
	if err != nil && !errors.Is(err, errs.RateLimited) {
		s.log.LogAttrs(gc, slog.LevelWarn, "a failed call was not counted", slog.String("error", err.Error()))
	}
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
	if r.Linked || bringsLink(gc) {
		return s.linkHolder(hc, r)
	}
	token, browser, ok := tokenOf(gc, r)
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
	gc.Set(browserKey, browser)
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
	// browserKey says that the caller is a browser with a cookie.
	browserKey    = "browser"
	keyHeader     = "Idempotency-Key"
	contextHeader = "X-Verification-Context"
	maxContext    = 8 << 10
	maxKeyLength  = 200
)

// contextOf reads the caller's statement of the circumstances; the policy of the call says
// whether anything must be stated at all.
func contextOf(header string) (*db.Context, error) {
	if header == "" {
		return nil, nil //nolint:nilnil // none was stated
	}
	var said db.Context
	decoder := json.NewDecoder(bytes.NewReader(wire.Compose([]byte(header))))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&said)
	if err != nil || decoder.More() || len(header) > maxContext || !utf8.ValidString(header) || strings.Contains(header, `\u0000`) {
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

// queryAsksForDryRun reads the parameter as the decoder will.
func queryAsksForDryRun(value string) bool {
	asked, err := strconv.ParseBool(value)
	return err == nil && asked
}

// count counts the call against the route's limit, failed ones too: who guesses is slowed.
func (s *Server) count(ctx context.Context, r route, scope db.Scope) error {
	if r.Limit.N == 0 {
		return nil
	}
	key := r.ID + " " + scope.Tenant.String()
	if !r.Together {
		key += " " + scope.Actor.String()
	}
	return access.Allow(ctx, s.store, r.Limit, key)
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
	key := req.Header.Get(keyHeader)
	if key == "" {
		return db.Key{}, errs.New(errs.IdempotencyKeyRequired, "Send an Idempotency-Key header, new for each intent and the same for each retry.")
	}
	if len(key) > maxKeyLength || strings.ContainsFunc(key, func(c rune) bool { return c < '!' || c > '~' }) {
		return db.Key{}, errs.Invalid(errs.Field{Path: keyHeader, Code: "invalid", Message: "1 to 200 visible ASCII characters"})
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

// takeBody reads the body, within the limit of its route, and puts it back for the decoder. The
// hash is for the key of the call, where it has one.
func (s *Server) takeBody(ctx context.Context, req *http.Request, r route, c *call) ([sha256.Size]byte, error) {
	if r.LargeBody {
		return s.takeImport(ctx, req, c)
	}
	limit := s.bodyLimit(r)
	if req.ContentLength > limit {
		return [sha256.Size]byte{}, tooLarge(limit)
	}
	body := bytes.NewBuffer(make([]byte, 0, max(req.ContentLength, 0)+bytes.MinRead))
	_, err := body.ReadFrom(http.MaxBytesReader(nil, req.Body, limit))
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return [sha256.Size]byte{}, tooLarge(limit)
	}
	if err != nil {
		return [sha256.Size]byte{}, errs.Wrap(errs.MalformedRequest, err, "The body ended before it was complete.")
	}
	c.body = wire.Compose(body.Bytes())
	req.Body = io.NopCloser(bytes.NewReader(c.body))
	if !r.Once {
		return [sha256.Size]byte{}, nil
	}
	return sha256.Sum256(c.body), nil
}

// takeImport receives an import onto the disk, and reads it into memory when it is its turn. It waits before it has a
// connection, at most as long as any request may take.
func (s *Server) takeImport(ctx context.Context, req *http.Request, c *call) ([sha256.Size]byte, error) {
	var hash [sha256.Size]byte
	limit := int64(s.config.ImportLimit)
	if req.ContentLength > limit {
		return hash, tooLarge(limit)
	}
	file, err := blob.Receive(req.Body, limit)
	if err != nil {
		return hash, err
	}
	defer file.Close() //nolint:errcheck // only read from since it was complete
	_, err = hex.Decode(hash[:], []byte(file.SHA256))
	if err != nil {
		return hash, errs.Wrap(errs.Internal, err, "The hash of the body cannot be read.")
	}
	memory, err := importMemory(file.Content())
	if err != nil {
		return hash, errs.Wrap(errs.StorageUnavailable, err, "The body cannot be read back from the disk.")
	}
	ctx, cancel := context.WithTimeout(ctx, s.config.RequestTimeout)
	defer cancel()
	err = s.imports.Acquire(ctx, memory)
	if err != nil {
		return hash, db.Translate(err)
	}
	c.freed = func() { s.imports.Release(memory) }
	c.body = make([]byte, file.Size)
	_, err = io.ReadFull(file.Content(), c.body)
	if err != nil {
		return hash, errs.Wrap(errs.StorageUnavailable, err, "The body cannot be read back from the disk.")
	}
	req.Body = http.NoBody
	return hash, nil
}

// publicBody is how much a caller without a token may send, in bytes.
const publicBody = 16 << 10

func (s *Server) bodyLimit(r route) int64 {
	switch {
	case r.LargeBody:
		return int64(s.config.ImportLimit)
	case r.Public:
		return min(publicBody, int64(s.config.BodyLimit))
	}
	return int64(s.config.BodyLimit)
}

func tooLarge(limit int64) error {
	return errs.New(errs.RequestTooLarge, "The body is larger than %d bytes.", limit).With("limit", limit)
}
