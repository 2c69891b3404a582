package httpapi

import (
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"strings"
	"sync/atomic"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"
	"github.com/klauspost/compress/gzhttp"
	"golang.org/x/sync/semaphore"

	"assess/config"
	"assess/pkg/author/media"
	"assess/pkg/author/taxonomy"
	"assess/pkg/exam/evidence"
	"assess/pkg/exam/lti"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
	"assess/pkg/people/access"
	"assess/pkg/people/idp"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/glassbox"
)

const (
	prefix   = "/api/v1"
	apiTitle = "Assessment service"
	// apiVersion changes with the interface and not with the build.
	apiVersion = "1.0.0"
)

// Server is the HTTP surface.
type Server struct {
	store      *db.Store
	authority  *access.Authority
	desk       *session.Desk
	files      *media.Files
	evidence   *evidence.Files
	compliance *compliance.Centre
	glass      *glassbox.Desk
	idp        *idp.Desk
	lti        *lti.Desk
	config     config.HTTP
	mails      string
	log        *slog.Logger

	api      huma.API
	engine   *gin.Engine
	metrics  *metrics
	jobs     JobKinds
	draining atomic.Bool
	// bigBodies and imports bound how much is read at the same time.
	bigBodies chan struct{}
	imports   *semaphore.Weighted
	// sameSite refuses requests from pages of other sites, except sites that the settings allow.
	sameSite *http.CrossOriginProtection
	// quickJobs bounds the jobs that calls wait for.
	quickJobs chan struct{}
}

// Parts are the parts of a Server.
type Parts struct {
	Store      *db.Store
	Authority  *access.Authority
	Desk       *session.Desk
	Files      *media.Files
	Evidence   *evidence.Files
	Compliance *compliance.Centre
	Glass      *glassbox.Desk
	Config     config.HTTP
	// Outgoing calls addresses that somebody typed into the service.
	Outgoing *http.Client
	// Mails is the mail folder that the page at / shows in development; empty: none.
	Mails string
	// Metrics opens /metrics, which counts Jobs also where none of a kind waits.
	Metrics bool
	Jobs    JobKinds
	Log     *slog.Logger
}

// New wires the routes.
func New(p Parts) (*Server, error) {
	gin.SetMode(gin.ReleaseMode)
	s := &Server{store: p.Store, authority: p.Authority, desk: p.Desk, files: p.Files, evidence: p.Evidence, compliance: p.Compliance, glass: p.Glass, idp: idp.NewDesk(p.Store, p.Authority, p.Outgoing, p.Config.BaseURL),
		lti: lti.NewDesk(p.Store, p.Authority, p.Outgoing, p.Config.BaseURL), config: p.Config, mails: p.Mails, log: p.Log,
		jobs: p.Jobs, engine: gin.New(), metrics: newMetrics(), bigBodies: make(chan struct{}, bigAtOnce()), imports: semaphore.NewWeighted(importsMemory),
		sameSite: http.NewCrossOriginProtection(), quickJobs: make(chan struct{}, quickAtOnce)}
	for _, origin := range p.Config.CORSOrigins {
		if origin == "*" {
			continue
		}
		err := s.sameSite.AddTrustedOrigin(origin)
		if err != nil {
			return nil, fmt.Errorf("http.cors_origins: %w", err)
		}
	}
	err := s.engine.SetTrustedProxies(p.Config.TrustedProxies)
	if err != nil {
		return nil, fmt.Errorf("http.trusted_proxies: %w", err)
	}
	s.engine.HandleMethodNotAllowed = true
	s.engine.RedirectTrailingSlash = false // an unknown path answers a problem, as any other
	s.engine.ContextWithFallback = true
	s.engine.Use(identify, follow, s.observe, s.recover, secure)
	if len(p.Config.CORSOrigins) > 0 {
		s.engine.Use(allowOrigins(p.Config.CORSOrigins))
	}
	s.engine.NoRoute(s.noRoute)
	s.engine.NoMethod(s.noMethod)
	s.engine.Use(s.verifyPage, s.glassBoxPage)
	s.wire()
	if p.Metrics {
		s.metrics.watch(s)
		s.engine.GET("/metrics", gin.WrapH(s.metrics.handler()))
	}
	s.engine.GET(reportLinkPath, s.onlyPage)
	s.engine.POST(doorPath, s.openDoor)
	return s, s.serveDescription()
}

// Handler gives the whole surface as an http.Handler.
func (s *Server) Handler() http.Handler {
	if s.config.Gzip {
		return headed(gzhttp.GzipHandler(s.engine))
	}
	return headed(s.engine)
}

// headed answers HEAD as GET; net/http leaves the body out. Signing in is not reading, and a sign-in link works once.
func headed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead && !strings.HasPrefix(r.URL.Path, prefix+"/auth/") && !fromPlatform(r.URL.Path) {
			r = r.WithContext(r.Context()) // a copy
			r.Method = http.MethodGet
		}
		next.ServeHTTP(w, r)
	})
}

// Drain makes /readyz say that the server is going away, so that a load balancer stops
// sending requests before the listener closes.
func (s *Server) Drain() { s.draining.Store(true) }

// wire gives the routes to huma, and the readers for bodies and queries.
func (s *Server) wire() {
	s.api = s.newAPI()
	for _, r := range s.routes() {
		r.register(s, r)
	}
	delete(s.api.OpenAPI().Components.Schemas.Map(), "None")
	allowNull(s.api.OpenAPI().Components.Schemas)
	describeParts(s.api.OpenAPI().Components.Schemas)
	allowNoBody(s.api.OpenAPI())
	listReasons(s.api.OpenAPI())
}

func (s *Server) newAPI() huma.API {
	c := huma.DefaultConfig(apiTitle, apiVersion)
	c.OpenAPIPath, c.DocsPath, c.SchemasPath = "", "", ""
	c.CreateHooks = nil
	c.Formats = map[string]huma.Format{"application/json": jsonFormat, "json": jsonFormat}
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"token": {Type: "http", Scheme: "bearer", BearerFormat: "JWT", Description: "Issued by /auth/verify or `assessctl token issue`."},
		"link":  {Type: "http", Scheme: "bearer", BearerFormat: "JWT", Description: "Issued by POST /submissions/{id}/glass-box-links; reads one glass box and nothing else."},
	}
	c.Components.Schemas = huma.NewMapRegistry(schemaPrefix, schemaName)
	c.Components.Schemas.RegisterTypeAlias(reflect.TypeFor[ids.ID](), reflect.TypeFor[uuidSchema]())
	c.Components.Schemas.RegisterTypeAlias(reflect.TypeFor[scoring.QType](), reflect.TypeFor[qtypeSchema]())
	c.Components.Schemas.RegisterTypeAlias(reflect.TypeFor[scoring.Pair](), reflect.TypeFor[pairSchema]())
	c.Components.Schemas.RegisterTypeAlias(reflect.TypeFor[taxonomy.ParentChange](), reflect.TypeFor[nullableUUIDSchema]())
	return humagin.New(s.engine, c)
}

// operation describes a route to huma and OpenAPI.
func (s *Server) operation(r route) huma.Operation {
	op := huma.Operation{
		OperationID: r.ID, Method: r.Method, Path: prefix + r.Path, Summary: r.Summary, DefaultStatus: r.Status,
		Tags: []string{tagOf(r.Path)}, MaxBodyBytes: s.bodyLimit(r) + 1,
		SkipValidateBody: true, // vet has done it
		Middlewares:      huma.Middlewares{s.guard(r), s.draw(r)},
		Responses:        map[string]*huma.Response{"default": s.problemResponse()},
	}
	if !r.Public {
		op.Security = []map[string][]string{{"token": {}}}
	}
	if r.Linked {
		op.Security = []map[string][]string{{"link": {}}}
		op.Description = "Takes the token of a link, or the cookie of the browser that brought its code. All other routes refuse links."
	}
	var words []string
	for _, c := range r.Needs {
		words = append(words, "`"+string(c)+"`")
	}
	if len(words) > 0 {
		op.Description = "Needs " + strings.Join(words, " or ") + "."
	}
	if r.Once {
		one, most := 1, maxKeyLength
		op.Parameters = append(op.Parameters, &huma.Param{Name: "Idempotency-Key", In: "header", Required: !r.Rehearsed && !r.Tried,
			Description: keyDescription(r), Schema: &huma.Schema{Type: huma.TypeString, MinLength: &one, MaxLength: &most}})
	}
	if r.Upload {
		op.RequestBody = &huma.RequestBody{Required: true, Content: binary(), Description: "The file"}
	}
	if r.LargeBody {
		op.RequestBody = csvBody(r)
	}
	if r.File {
		op.Responses["200"] = &huma.Response{Description: "The file; its ETag is the SHA-256 of the bytes", Content: binary()}
		op.Responses["206"] = &huma.Response{Description: "The part that Range asked for", Content: binary()}
		op.Responses["304"] = &huma.Response{Description: notModified}
	}
	if r.StepUp {
		most := maxContext
		op.Parameters = append(op.Parameters, &huma.Param{Name: "X-Step-Up-Proof", In: "header",
			Description: "Id of a fresh step-up proof; the call consumes it", Schema: &huma.Schema{Type: huma.TypeString, Format: "uuid"}},
			&huma.Param{Name: contextHeader, In: "header", Description: "The circumstances of the call, where a verification policy asks for them: " +
				`JSON with kind (auth.session or auth.step_up) and fields, for example {"kind":"auth.session","fields":{"room":"12"}}`,
				Schema: &huma.Schema{Type: huma.TypeString, MaxLength: &most}})
	}
	return op
}

// notModified is the meaning of 304.
const notModified = "If-None-Match names the ETag"

func keyDescription(r route) string {
	if r.Rehearsed || r.Tried {
		return "New for each intent, the same for each retry; required unless dryRun is true"
	}
	return "New for each intent, the same for each retry"
}

func (s *Server) problemResponse() *huma.Response {
	return &huma.Response{Description: "Any answer that is not 2xx", Content: map[string]*huma.MediaType{
		"application/json": {Schema: s.api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[Problem](), true, "")}}}
}
