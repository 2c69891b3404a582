package httpapi

import (
	"context"
	"io"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/wire"
	"assess/pkg/people/access"
	"assess/pkg/trust/glassbox"
)

var boxFile = fileKind{".json", "application/json", "What was shown, signed, with the proof of the state that it was shown of"}

type createGlassBoxLinkInput struct {
	ByID
	Body glassbox.LinkInput
}

func (s *Server) createGlassBoxLink(ctx context.Context, tx *db.Tx, in *createGlassBoxLinkInput) (glassbox.IssuedLink, error) {
	in.Body.SubmissionID = in.ID
	return s.glass.Create(ctx, tx, in.Body)
}

type listGlassBoxLinksInput struct {
	ByID
	PageQuery
}

func listGlassBoxLinks(ctx context.Context, tx *db.Tx, in *listGlassBoxLinksInput) (db.List[glassbox.Link], error) {
	return glassbox.List(ctx, tx, in.ID, in.page())
}

func revokeGlassBoxLinks(ctx context.Context, tx *db.Tx, in *ByID) (none, error) {
	return none{}, glassbox.RevokeAll(ctx, tx, in.ID)
}

type revokeGlassBoxLinkInput struct {
	ByID
	LinkID ids.ID `path:"linkId"`
}

func revokeGlassBoxLink(ctx context.Context, tx *db.Tx, in *revokeGlassBoxLinkInput) (none, error) {
	return none{}, glassbox.Revoke(ctx, tx, in.ID, in.LinkID)
}

func viewGlassBox(ctx context.Context, tx *db.Tx, in *ByID) (glassbox.Box, error) {
	return glassbox.View(ctx, tx, in.ID, glassbox.AsJSON)
}

func (s *Server) exportGlassBox(ctx context.Context, tx *db.Tx, in *ByID, to io.Writer) error {
	shown, err := s.glass.Export(ctx, tx, in.ID)
	if err != nil {
		return err
	}
	body, err := wire.Marshal(shown)
	if err != nil {
		return errs.Wrap(errs.Internal, err, "The glass box cannot be encoded.")
	}
	_, err = to.Write(append(body, '\n'))
	return err
}

type glassBoxFileInput struct {
	ByID
	EvidenceID ids.ID `path:"evidenceId"`
}

func (s *Server) findGlassBoxFile(ctx context.Context, tx *db.Tx, in *glassBoxFileInput) (download, error) {
	e, err := glassbox.File(ctx, tx, in.ID, in.EvidenceID)
	if err != nil {
		return download{}, err
	}
	tenant := tx.Tenant()
	return download{Name: e.FileName(), MediaType: e.MediaType, SHA256: e.SHA256, Modified: e.CreatedAt,
		Open: func(ctx context.Context, verified bool) (io.ReadSeekCloser, error) {
			return s.evidence.Open(ctx, tenant, e, verified)
		}}, nil
}

// bringsLink says whether the call has the token of a link.
func bringsLink(gc *gin.Context) bool {
	token, ok := bearerToken(gc.GetHeader("Authorization"))
	return ok && access.IsLink(token)
}

// linkHolder says which link calls, on the routes for links; on all others it refuses links that hold.
func (s *Server) linkHolder(hc huma.Context, r route) (db.Scope, error) {
	gc := humagin.Unwrap(hc)
	scope, err := s.heldLink(gc)
	if err != nil {
		return db.Scope{}, err
	}
	scope.RequestID = requestID(gc)
	gc.Set(scopeKey, scope)
	switch {
	case !r.Linked:
		return db.Scope{}, errs.New(errs.Forbidden, "A link reads its glass box and nothing else.")
	case scope.Actor.Kind != db.LinkActor:
		return db.Scope{}, errs.New(errs.Forbidden, "A glass box opens to links alone.")
	}
	return scope, s.count(hc.Context(), r, scope)
}

// heldLink looks for the token of a link, and then for the cookie of a browser. The token of a user
// gives the scope of that.
func (s *Server) heldLink(gc *gin.Context) (db.Scope, error) {
	ctx := gc.Request.Context()
	token, ok := bearerToken(gc.GetHeader("Authorization"))
	switch {
	case ok && access.IsLink(token):
		return s.authority.AuthenticateLink(ctx, token)
	case ok:
		return s.authority.Authenticate(ctx, token)
	}
	submission, err := ids.Parse("id", gc.Param("id"))
	secret := browserOf(gc)
	if err != nil || secret == "" {
		return db.Scope{}, errs.New(errs.Unauthenticated, "Send the token of the link as Authorization: Bearer, or open the link in a browser that keeps cookies.")
	}
	return s.authority.AuthenticateBrowser(ctx, secret, submission)
}
