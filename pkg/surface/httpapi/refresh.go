package httpapi

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"assess/pkg/kernel/db"
	"assess/pkg/people/access"
)

type refreshInput struct{ token string }

// Resolve takes the token itself, since the guard's result for it may be older than a second.
func (in *refreshInput) Resolve(hc huma.Context) []error {
	in.token, _ = bearerToken(hc.Header("Authorization"))
	return nil
}

func (s *Server) refresh(ctx context.Context, tx *db.Tx, in *refreshInput) (access.Token, error) {
	return s.authority.Refresh(ctx, tx, in.token)
}
