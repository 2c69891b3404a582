package app_test

import (
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"assess/pkg/kernel/ids"
)

// receiver takes spans as a collector does: OTLP over HTTP.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	spans  []*otlp.Span
	texts  []string
	header http.Header
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var in io.Reader = req.Body
		if req.Header.Get("Content-Encoding") == "gzip" {
			var err error
			in, err = gzip.NewReader(req.Body)
			if err != nil {
				t.Error(err)
				return
			}
		}
		body, err := io.ReadAll(in)
		var sent collector.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(body, &sent)
		}
		if err != nil || req.URL.Path != "/v1/traces" {
			t.Errorf("%s: %v", req.URL.Path, err)
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.header = req.Header
		for _, from := range sent.ResourceSpans {
			r.texts = append(r.texts, protojson.Format(from))
			for _, scope := range from.ScopeSpans {
				r.spans = append(r.spans, scope.Spans...)
			}
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// of gives the spans of a trace by name.
func (r *receiver) of(trace string) map[string][]*otlp.Span {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := map[string][]*otlp.Span{}
	for _, s := range r.spans {
		if hex.EncodeToString(s.TraceId) == trace {
			all[s.Name] = append(all[s.Name], s)
		}
	}
	return all
}

const (
	aTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	aSpan  = "00f067aa0ba902b7"
	// loginRoute queues a job that sends a mail.
	loginRoute = "POST /api/v1/auth/login"
)

// TestRequestIsTracedToItsMail follows a request of a caller with a trace of its own over its
// transaction to the job that it queued, and to the mail of that.
func TestRequestIsTracedToItsMail(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	collected := newReceiver(t)
	d := h.run(t, "ASSESS_DATABASE_URL="+h.pg.AppURL(database), "ASSESS_TRACING_ENDPOINT="+collected.URL, "ASSESS_TRACING_SHARE=0",
		"OTEL_EXPORTER_OTLP_HEADERS=x-key=of-the-collector", "OTEL_SERVICE_NAME=assessd-here")
	sent := []string{"traceparent", "00-" + aTrace + "-" + aSpan + "-01", "baggage", "who=zzyzx", "tracestate", "zzyzx=1"}
	status, err := h.try(http.MethodPost, "/auth/login", "", map[string]any{"tenant": h.slug, "email": h.email}, nil, sent...)
	if err != nil || status != http.StatusAccepted {
		t.Fatalf("login: %d, %v", status, err)
	}
	h.becomes(t, 1, "assessd_mail_messages_total", "result", "sent")
	status, err = h.try(http.MethodGet, "/questions/"+ids.New().String(), "", nil, nil, sent...)
	if err != nil || status != http.StatusNotFound {
		t.Fatalf("read a question that is not there: %d, %v", status, err)
	}
	// Of callers without a trace, the settings send none.
	h.askForLink(t)
	d.terminate(t)

	spans := collected.of(aTrace)
	parents := map[string]string{}
	for name, all := range spans {
		for _, s := range all {
			parents[hex.EncodeToString(s.SpanId)] = name
		}
	}
	for name, parent := range map[string]string{loginRoute: "", "job mail_link": loginRoute, "mail": "job mail_link", "transaction": ""} {
		if len(spans[name]) == 0 {
			t.Errorf("there is no span %q", name)
			continue
		}
		got := hex.EncodeToString(spans[name][0].ParentSpanId)
		switch {
		case name == loginRoute && got != aSpan:
			t.Errorf("%s has the parent %s, want the caller's", name, got)
		case parent != "" && parents[got] != parent:
			t.Errorf("%s has the parent %q, want %q", name, parents[got], parent)
		}
	}
	under := map[string]int{}
	for _, s := range spans["transaction"] {
		under[parents[hex.EncodeToString(s.ParentSpanId)]]++
	}
	if under[loginRoute] == 0 || under["job mail_link"] == 0 {
		t.Errorf("transactions: %v", under)
	}
	missing := spans["GET /api/v1/questions/:id"]
	if len(missing) != 1 || missing[0].Status.GetCode() == otlp.Status_STATUS_CODE_ERROR {
		t.Errorf("a record that is not there: %v", missing)
	}
	if n := len(collected.spans); n != len(parents) {
		t.Errorf("%d spans of other traces were sent", n-len(parents))
	}
	collected.tellsNobody(t, h)
	logged := tracesOf(t, d.log.String())
	if !slices.Contains(logged["request"], aTrace) || collected.header.Get("X-Key") != "of-the-collector" {
		t.Errorf("the log has the traces %v, the collector got %v", logged, collected.header)
	}
}

// tellsNobody looks for texts that must be in no span: people, ids, SQL, secrets.
func (r *receiver) tellsNobody(t *testing.T, h *house) {
	t.Helper()
	text := strings.Join(r.texts, "\n")
	for _, never := range []string{h.email, h.slug, "zzyzx", "@", "select ", "insert ", h.token, h.users[0].String(), "postgres://", h.mails, "of-the-collector"} {
		if strings.Contains(text, never) {
			t.Errorf("a span holds %q", never)
		}
	}
	if !strings.Contains(text, "assessd-here") || !strings.Contains(text, "service.version") {
		t.Errorf("the spans do not say who sent them: %.500s", text)
	}
	known := []string{"http.request.method", "http.route", "http.response.status_code", "db.system.name", "assess.transaction.mode",
		"assess.job.kind", "assess.job.attempt", "error.type"}
	for _, s := range r.spans {
		for _, a := range s.Attributes {
			if !slices.Contains(known, a.Key) {
				t.Errorf("%s has the attribute %s: can it hold something of a person?", s.Name, a.Key)
			}
		}
	}
}

// tracesOf gives the traces that the lines of a log belong to, by message.
func tracesOf(t *testing.T, log string) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, line := range strings.Split(strings.TrimSpace(log), "\n") {
		var l struct{ Msg, TraceID, SpanID, RequestID string }
		err := json.Unmarshal([]byte(line), &l)
		if err != nil {
			t.Errorf("%s: %v", line, err)
		}
		if l.Msg == "request" && (l.TraceID == "" || l.SpanID == "" || l.RequestID == "") {
			t.Errorf("a request without its ids: %s", line)
		}
		all[l.Msg] = append(all[l.Msg], l.TraceID)
	}
	return all
}

// TestFailedJobIsLoggedInTheTraceOfItsRequest has nobody to send spans to, as by default, and a mail
// server that is away.
func TestFailedJobIsLoggedInTheTraceOfItsRequest(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	d := h.run(t, "ASSESS_DATABASE_URL="+h.pg.AppURL(database), "ASSESS_MAIL_MODE=smtp", "ASSESS_MAIL_SMTP_HOST=127.0.0.1", "ASSESS_MAIL_SMTP_PORT=1")
	status, err := h.try(http.MethodPost, "/auth/login", "", map[string]any{"tenant": h.slug, "email": h.email}, nil)
	if err != nil || status != http.StatusAccepted {
		t.Fatalf("login: %d, %v", status, err)
	}
	h.becomes(t, 1, "assessd_mail_messages_total", "result", "failed")
	d.terminate(t)
	logged := tracesOf(t, d.log.String())
	failed := logged["job failed"]
	if len(logged["request"]) != 1 || len(failed) == 0 || failed[0] != logged["request"][0] {
		t.Errorf("the request has the trace %v, the failure of its job %v", logged["request"], failed)
	}
}

// TestCollectorThatIsAwayHoldsUpNobody sends spans to nobody, and stops in time.
func TestCollectorThatIsAwayHoldsUpNobody(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	d := h.run(t, "ASSESS_DATABASE_URL="+h.pg.AppURL(database), "ASSESS_TRACING_ENDPOINT=http://"+freeAddress(t), "ASSESS_HTTP_SHUTDOWN_TIMEOUT=2s")
	status, err := h.try(http.MethodGet, "/evaluations/"+h.evaluation.String(), "", nil, nil)
	if err != nil || status != http.StatusOK {
		t.Fatalf("got %d, %v", status, err)
	}
	start := time.Now()
	if code := d.terminate(t); code != 0 || time.Since(start) > 15*time.Second {
		t.Errorf("exit code %d after %v", code, time.Since(start))
	}
}
