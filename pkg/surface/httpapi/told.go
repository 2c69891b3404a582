package httpapi

import (
	"context"
	"encoding/json"
	"net/http"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
)

// told makes a write whose answer is long and can be told again: only its brief is kept for
// the Idempotency-Key.
func told[I any, B any, O interface{ Brief() B }](path, id string, status int, caps []capability.Capability, summary string,
	op operation[I, O], again func(ctx context.Context, tx *db.Tx, brief B) (O, error)) route {
	return route{Method: http.MethodPost, Path: path, ID: id, Summary: summary, Needs: caps, Status: status, Once: true,
		register: func(s *Server, r route) { register(s, r, telling(s, again), op) }}
}

// telling is writingOnce for answers whose brief is kept. A caller who sends the key again has
// had the answer before, so it is told again even if they have chosen another org unit since.
func telling[B any, O interface{ Brief() B }](s *Server, again func(context.Context, *db.Tx, B) (O, error)) transaction {
	brief := func(out any) ([]byte, error) { return json.Marshal(out.(O).Brief()) }
	return func(ctx context.Context, c call, status int, run func(*db.Tx) (any, error)) (*db.Answer, error) {
		answer, err := s.once(ctx, c, status, run, brief)
		if err != nil || !answer.Replayed {
			return answer, err
		}
		var kept B
		err = json.Unmarshal(answer.Body, &kept)
		if err != nil {
			return nil, errs.Wrap(errs.Internal, err, "The stored answer cannot be read.")
		}
		retold, err := s.reading(s.store.Read)(ctx, call{scope: db.System(c.scope.Tenant, "replay")}, status, func(tx *db.Tx) (any, error) {
			return again(ctx, tx, kept)
		})
		if err != nil {
			return nil, err
		}
		answer.Body, answer.Language = retold.Body, retold.Language
		return answer, nil
	}
}
