package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"assess/config"
	"assess/pkg/kernel/errs"
	"assess/pkg/surface/httpapi/apidocs"
)

// published gives the description for people who write clients. It is made of the same types as the one
// that bodies are read by, on an engine that nobody calls, and says more: the content of fields that the
// domain reads by itself, because its complaints are better than a schema's.
func (s *Server) published() (*huma.OpenAPI, error) {
	gin.SetMode(gin.ReleaseMode)
	told := &Server{config: s.config, engine: gin.New()}
	told.wire()
	d := told.api.OpenAPI()
	d.Info.Description = introduction
	d.Info.Contact = &huma.Contact{Name: "Whoever operates this server"}
	d.Info.License = &huma.License{Name: "Open: no licence has been chosen yet", Identifier: "NOASSERTION"} // SPDX: no claim is made
	d.Servers = []*huma.Server{{URL: "/", Description: "This server"}}
	d.Tags = chapters()
	d.Security = []map[string][]string{{"token": {}}}
	for _, step := range []func(*huma.OpenAPI) error{describeShapes, describeContent, describeTypes, describeRefusals, describeLimits, showExamples, describeWebhooks} {
		err := step(d)
		if err != nil {
			return nil, fmt.Errorf("describe the interface: %w", err)
		}
	}
	return d, nil
}

// describeRefusals adds to each operation its chapter, whether it needs a token, and how
// it refuses.
func describeRefusals(d *huma.OpenAPI) error {
	return eachOperation(d, func(path string, op *huma.Operation) error {
		if op.Tags[0] == "" {
			return fmt.Errorf("%s belongs to no chapter: name its beginning in tags", path)
		}
		if op.Security == nil {
			op.Security = []map[string][]string{{}}
		}
		if op.Description == "" {
			op.Description = op.Summary + "."
		}
		for _, status := range refusals(path, op) {
			op.Responses[strconv.Itoa(status)] = &huma.Response{Ref: "#/components/responses/" + strconv.Itoa(status)}
			if d.Components.Responses == nil {
				d.Components.Responses = map[string]*huma.Response{}
			}
			d.Components.Responses[strconv.Itoa(status)] = &huma.Response{Description: codesOf(status), Content: op.Responses["default"].Content}
		}
		return nil
	})
}

// refusals are the statuses from 400 to 499 with which an operation can refuse a call, as far as its form tells.
func refusals(path string, op *huma.Operation) []int {
	// Parameters that a route does not have are refused by all of them.
	all := []int{http.StatusNotAcceptable, http.StatusUnprocessableEntity, http.StatusTooManyRequests}
	has := func(where bool, statuses ...int) {
		if where {
			all = append(all, statuses...)
		}
	}
	takes := func(which func(*huma.Param) bool) bool { return slices.ContainsFunc(op.Parameters, which) }
	record := takes(func(p *huma.Param) bool { return p.In == "path" || p.In == "query" && p.Schema.Format == "uuid" })
	log := strings.Contains(path, "/ledger/") || strings.HasSuffix(path, "/proof") || strings.HasSuffix(path, "/bundle")
	has(len(op.Security[0]) > 0 || strings.Contains(path, "/auth/"), http.StatusUnauthorized, http.StatusForbidden)
	has(record || log || op.RequestBody != nil, http.StatusNotFound)
	has(log || op.Method != http.MethodGet, http.StatusConflict)
	has(takes(func(p *huma.Param) bool { return p.Name == "Idempotency-Key" }), http.StatusBadRequest)
	has(op.RequestBody != nil, http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	has(op.Responses["206"] != nil, http.StatusGone, http.StatusPreconditionFailed, http.StatusRequestedRangeNotSatisfiable)
	return all
}

// codesOf lists the codes that come with a status.
func codesOf(status int) string {
	var codes []string
	for _, e := range errs.Catalogue {
		if e.Status == status {
			codes = append(codes, "`"+string(e.Code)+"`")
		}
	}
	return "Refused: " + strings.Join(codes, ", ")
}

// describeLimits says in words that a limit itself is out of range: generators of clients that know OpenAPI 3.0 stumble over a number there.
func describeLimits(d *huma.OpenAPI) error {
	for _, s := range d.Components.Schemas.Map() {
		for _, p := range s.Properties {
			if p.ExclusiveMinimum == nil {
				continue
			}
			p.Description = strings.TrimPrefix(p.Description+fmt.Sprintf("; above %v", *p.ExclusiveMinimum), "; ")
			p.Minimum, p.ExclusiveMinimum = p.ExclusiveMinimum, nil
		}
	}
	return nil
}

// eachOperation runs step on every operation, with its path.
func eachOperation(d *huma.OpenAPI, step func(path string, op *huma.Operation) error) error {
	for path, item := range d.Paths {
		for _, method := range []string{http.MethodGet, post, put, patch, remove} {
			op := operationAt(item, method)
			if op == nil {
				continue
			}
			err := step(path, op)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// serveDescription marshals the OpenAPI document for its first reader, once: huma's own handler does it
// anew for every reader, and a server need not wait for it to start.
func (s *Server) serveDescription() error {
	made := sync.OnceValues(s.published)
	for path, document := range map[string]struct {
		mediaType string
		marshal   func(*huma.OpenAPI) ([]byte, error)
	}{
		"/openapi.json": {"application/json", asJSON},
		"/openapi.yaml": {"application/yaml", asYAML},
	} {
		marshalled := sync.OnceValues(func() ([]byte, error) {
			d, err := made()
			if err != nil {
				return nil, err
			}
			return document.marshal(d)
		})
		s.engine.GET(path, func(gc *gin.Context) {
			text, err := marshalled()
			if err != nil {
				s.abort(gc, s.present(gc, err))
				return
			}
			gc.Header("Content-Type", document.mediaType)
			gc.Header("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(text)))
			gc.Header("Cache-Control", "public, no-cache") // kept, and asked after
			http.ServeContent(gc.Writer, gc.Request, "", time.Time{}, bytes.NewReader(text))
		})
	}
	docs, err := apidocs.Handler("/openapi.json", apiTitle, introduction)
	if err != nil {
		return err
	}
	s.engine.GET("/docs", s.served(docs))
	s.engine.GET("/docs/assets/*name", s.served(docs))
	s.engine.GET("/", s.showHome)
	s.engine.POST("/sign-in", s.signIn)
	s.engine.POST("/sign-out", s.signOut)
	s.privacyRoutes()
	s.shareRoutes()
	s.engine.GET(withPath, s.signInWith)
	s.engine.GET(startPath, s.startSignIn)
	s.engine.GET(callbackPath, s.endSignIn)
	s.engine.GET(continuePath, s.continueFlow)
	s.engine.GET(keysPath, s.clientKeys)
	s.engine.POST(linkPath, s.linkHere)
	s.engine.POST(stepUpPath, s.stepUpHere)
	s.engine.GET(terminalPath, s.noteTerminal)
	s.engine.POST(terminalPath, s.letTerminalIn)
	s.engine.POST(logoutPath, s.logOutBehind)
	s.ltiRoutes()
	s.engine.GET("/healthz", s.healthz)
	s.engine.GET("/readyz", s.readyz)
	return nil
}

func asJSON(d *huma.OpenAPI) ([]byte, error) {
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("describe the interface: %w", err)
	}
	return append(text, '\n'), nil
}

func asYAML(d *huma.OpenAPI) ([]byte, error) {
	text, err := d.YAML()
	if err != nil {
		return nil, fmt.Errorf("describe the interface: %w", err)
	}
	return text, nil
}

// Describe gives the OpenAPI 3.1 document as JSON and YAML, without a database.
func Describe() ([]byte, []byte, error) {
	d, err := (&Server{config: config.Default().HTTP}).published()
	if err != nil {
		return nil, nil, err
	}
	inJSON, err := asJSON(d)
	if err != nil {
		return nil, nil, err
	}
	inYAML, err := asYAML(d)
	return inJSON, inYAML, err
}

// okOf gives the answer of an operation with a body, and its status; nil where there is none.
func okOf(op *huma.Operation) (*huma.Response, int) {
	for status := http.StatusOK; status < http.StatusNoContent; status++ {
		if r := op.Responses[strconv.Itoa(status)]; r != nil {
			return r, status
		}
	}
	return nil, 0
}
