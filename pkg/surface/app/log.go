package app

import (
	"context"
	"io"
	"log/slog"

	"assess/config"
	"assess/pkg/kernel/trace"
)

func newLogger(c config.Log, to io.Writer) *slog.Logger {
	var level slog.Level
	err := level.UnmarshalText([]byte(c.Level))
	if err != nil {
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level}
	if c.Format == config.LogText {
		return slog.New(inTrace{slog.NewTextHandler(to, options)})
	}
	return slog.New(inTrace{slog.NewJSONHandler(to, options)})
}

// inTrace adds the ids of the trace and of the span that a line belongs to: a request's ids are
// in the lines of its jobs, too.
type inTrace struct{ slog.Handler }

func (h inTrace) Handle(ctx context.Context, r slog.Record) error {
	id, span, ok := trace.IDs(ctx)
	if ok {
		r.AddAttrs(slog.String("traceId", id), slog.String("spanId", span))
	}
	return h.Handler.Handle(ctx, r)
}

func (h inTrace) WithAttrs(attrs []slog.Attr) slog.Handler {
	return inTrace{h.Handler.WithAttrs(attrs)}
}

func (h inTrace) WithGroup(name string) slog.Handler { return inTrace{h.Handler.WithGroup(name)} }
