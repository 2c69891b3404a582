// Package trace follows a request through its transactions, jobs and mails (OpenTelemetry, W3C Trace
// Context). Every span is begun here, so that what it may say is in one place: names that the code
// knows, and codes of errors. Never what somebody typed, SQL, an address, or the text of an error.
//
// Trace ids are there also where nothing is sent to a collector: the log has them.
package trace

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	oteltrace "go.opentelemetry.io/otel/trace"

	"assess/pkg/kernel/errs"
)

// tracer belongs to the provider that Open sets.
var tracer = otel.Tracer("assess")

// w3c reads and writes traceparent.
var w3c = propagation.TraceContext{}

// Request begins the span of a request whose headers may name a trace that it belongs to. route is the
// pattern; empty where there is none.
func Request(ctx context.Context, headers propagation.TextMapCarrier, method, route string) (context.Context, Span) {
	name, attributes := method, []attribute.KeyValue{attribute.String("http.request.method", method)}
	if route != "" {
		name, attributes = method+" "+route, append(attributes, attribute.String("http.route", route))
	}
	return begin(under(ctx, headers), name, oteltrace.SpanKindServer, attributes...)
}

// Job begins the span of a run of a job, in the trace of the request that queued it; parent is the
// result of Parent at that time, empty for work at a steady pace.
func Job(ctx context.Context, parent, kind string, attempt int) (context.Context, Span) {
	return begin(under(ctx, propagation.MapCarrier{"traceparent": parent}), "job "+kind, oteltrace.SpanKindConsumer, attribute.String("assess.job.kind", kind), attribute.Int("assess.job.attempt", attempt))
}

// Transaction begins the span of a transaction; none if the work belongs to no trace, like the projector's.
func Transaction(ctx context.Context, mode string) (context.Context, Span) {
	if !oteltrace.SpanContextFromContext(ctx).IsValid() {
		return ctx, Span{oteltrace.SpanFromContext(ctx)}
	}
	return begin(ctx, "transaction", oteltrace.SpanKindClient, attribute.String("db.system.name", "postgresql"), attribute.String("assess.transaction.mode", mode))
}

// Mail begins the span of handing over a mail.
func Mail(ctx context.Context) (context.Context, Span) {
	return begin(ctx, "mail", oteltrace.SpanKindClient)
}

// under goes on in the trace that a traceparent names. A tracestate could hold anything, as baggage, and ends here.
func under(ctx context.Context, headers propagation.TextMapCarrier) context.Context {
	caller := oteltrace.SpanContextFromContext(w3c.Extract(ctx, headers))
	return oteltrace.ContextWithRemoteSpanContext(ctx, caller.WithTraceState(oteltrace.TraceState{}))
}

// Parent names the span that the context is in, as a traceparent; empty outside of a trace.
func Parent(ctx context.Context) string {
	carrier := propagation.MapCarrier{}
	w3c.Inject(ctx, carrier)
	return carrier.Get("traceparent")
}

// IDs gives the ids of the trace and of the span that the context is in; false outside of a trace.
func IDs(ctx context.Context) (trace, span string, ok bool) {
	c := oteltrace.SpanContextFromContext(ctx)
	return c.TraceID().String(), c.SpanID().String(), c.IsValid()
}

func begin(ctx context.Context, name string, kind oteltrace.SpanKind, attributes ...attribute.KeyValue) (context.Context, Span) {
	ctx, span := tracer.Start(ctx, name, oteltrace.WithSpanKind(kind), oteltrace.WithAttributes(attributes...))
	return ctx, Span{span}
}

// Span is a piece of work with a beginning and an end.
type Span struct{ of oteltrace.Span }

// End ends it, with the code of the error where there is one.
func (s Span) End(err error) {
	if err != nil {
		s.fail(string(errs.Of(err).Code))
	}
	s.of.End()
}

// Answered ends the span of a request.
func (s Span) Answered(status int) {
	s.of.SetAttributes(attribute.Int("http.response.status_code", status))
	if status >= 500 {
		s.fail("")
	}
	s.of.End()
}

// Again notes that a transaction that lost a race is run once more.
func (s Span) Again() { s.of.AddEvent("run again") }

func (s Span) fail(code string) {
	s.of.SetStatus(codes.Error, code)
	if code != "" {
		s.of.SetAttributes(attribute.String("error.type", code))
	}
}
