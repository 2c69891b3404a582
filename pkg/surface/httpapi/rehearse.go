package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"

	"assess/pkg/kernel/errs"
)

// rehearsing runs an operation and undoes whatever it did.
func (s *Server) rehearsing() transaction { return s.reading(s.store.DryRun) }

// everything adds what the rules have against an input to what was found before it was decoded.
// Rules are asked by running the operation in a transaction that is rolled back, on what is
// left of the input. Only what it has against the input counts: that something does not exist,
// or must be proved, is for a call that has no problems. Imports are too long to be run for
// that, files are stored before their operation, and calls without a token cost as little as
// they can.
func (s *Server) everything(ctx context.Context, r route, found errs.Found, rules func() error) error {
	if found.Full() || r.Public || r.Upload || r.LargeBody || r.Prepared {
		return found.Err()
	}
	err := s.tried(ctx, rules)
	if errors.Is(err, errs.ValidationFailed) {
		found.AddRules(errs.Of(err).Fields...)
	}
	return found.Err()
}

// tried runs rules on an input that its schema does not allow. What an operation takes for
// granted of its input may be missing, so that it breaks down; then it has nothing to say.
func (s *Server) tried(ctx context.Context, rules func() error) error {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		s.log.LogAttrs(ctx, slog.LevelWarn, "rules broke down on an invalid input", slog.Any("panic", r),
			slog.String("stack", string(debug.Stack())), slog.String("requestId", callOf(ctx).scope.RequestID))
	}()
	return rules()
}
