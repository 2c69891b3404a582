package httpapi

import (
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"time"

	"github.com/gin-contrib/cors"
	"github.com/gin-gonic/gin"
	"go.opentelemetry.io/otel/propagation"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/trace"
)

const (
	requestKey = "requestId"
	scopeKey   = "scope"
)

func requestID(gc *gin.Context) string { return gc.GetString(requestKey) }

// identify gives every request an id: the client's, when it is a UUID, or a new one. It goes into the ledger for
// ever, so nothing else may be in it: no name, no address.
func identify(gc *gin.Context) {
	id, err := ids.Parse("X-Request-Id", gc.GetHeader("X-Request-Id"))
	if err != nil {
		id = ids.New()
	}
	gc.Set(requestKey, id.String())
	gc.Header("X-Request-Id", id.String())
}

// follow begins the span of a request, in the trace that its traceparent names. Probes belong to no
// trace.
func follow(gc *gin.Context) {
	route := gc.FullPath()
	if slices.Contains(probes, route) {
		return
	}
	ctx, span := trace.Request(gc.Request.Context(), propagation.HeaderCarrier(gc.Request.Header), methodOf(gc.Request.Method), route)
	gc.Request = gc.Request.WithContext(ctx)
	gc.Next()
	span.Answered(gc.Writer.Status())
}

// observe logs and counts each request once, at the edge. It names the route and never
// the query, which may hold a sign-in token.
func (s *Server) observe(gc *gin.Context) {
	start := time.Now()
	s.metrics.inFlight.Inc()
	gc.Next()
	s.metrics.inFlight.Dec()
	took := time.Since(start)
	route := gc.FullPath()
	if route == "" {
		route = "none"
	}
	s.metrics.observe(gc.Request.Method, route, gc.Writer.Status(), took)
	attrs := []slog.Attr{
		slog.String("method", gc.Request.Method), slog.String("route", route), slog.Int("status", gc.Writer.Status()),
		slog.Duration("took", took), slog.String("requestId", requestID(gc)),
	}
	if scope, ok := scopeOf(gc); ok {
		attrs = append(attrs, slog.String("tenant", scope.Tenant.String()), slog.String("actor", scope.Actor.String()))
	}
	s.log.LogAttrs(gc, levelOf(route, gc.Writer.Status()), "request", attrs...)
}

// levelOf keeps the probes of load balancers and of Prometheus out of a log where all is well.
func levelOf(route string, status int) slog.Level {
	if slices.Contains(probes, route) && status < http.StatusBadRequest {
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

var probes = []string{"/healthz", "/readyz", "/metrics"}

// recover answers a panic like any other failure of ours and logs the stack.
func (s *Server) recover(gc *gin.Context) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		if r == http.ErrAbortHandler {
			panic(r)
		}
		s.log.LogAttrs(gc, slog.LevelError, "panic", slog.Any("panic", r), slog.String("stack", string(debug.Stack())),
			slog.String("requestId", requestID(gc)))
		s.abort(gc, problemOf(errs.New(errs.Internal, "%s", errs.Meaning(errs.Internal))))
	}()
	gc.Next()
}

// secure sets the headers that keep browsers from guessing.
func secure(gc *gin.Context) {
	h := gc.Writer.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
}

// allowOrigins refuses other origins than these, but not "null": the buttons of our own pages send
// that, because those pages send no referrer. A page that sends it gets no permission to read the answer, nor do learning
// platforms, whose forms any origin may send.
func allowOrigins(origins []string) gin.HandlerFunc {
	check := cors.New(cors.Config{
		AllowOrigins:  origins,
		AllowMethods:  []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete},
		AllowHeaders:  []string{"Authorization", "Content-Type", "Idempotency-Key", "If-None-Match", "X-Request-Id", "X-Step-Up-Proof", "X-Verification-Context", "X-Lockdown", configKeyHeader, browserKeyHeader, pageHeader},
		ExposeHeaders: []string{"Date", "ETag", "Idempotency-Replayed", "Location", "Retry-After", "WWW-Authenticate", "X-Request-Id"},
		MaxAge:        12 * time.Hour,
	})
	return func(gc *gin.Context) {
		if fromPlatform(gc.Request.URL.Path) {
			return
		}
		if gc.GetHeader("Origin") != "null" || slices.Contains(origins, "*") {
			check(gc)
		}
	}
}

func (s *Server) noRoute(gc *gin.Context) {
	s.abort(gc, problemOf(errs.New(errs.RouteNotFound, "There is no such route; /docs lists them all.")))
}

func (s *Server) noMethod(gc *gin.Context) {
	s.abort(gc, problemOf(errs.New(errs.MethodNotAllowed, "The route does not know this method.")))
}

func scopeOf(gc *gin.Context) (db.Scope, bool) {
	v, ok := gc.Get(scopeKey)
	if !ok {
		return db.Scope{}, false
	}
	scope, ok := v.(db.Scope)
	return scope, ok
}
