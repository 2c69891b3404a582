package httpapi

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	reportpage "assess/pkg/report/page"
)

// pageInput selects a page of a report: by the id of the path, and the page of a list.
type pageInput struct {
	ID ids.ID
	db.Page
}

// drawn lets callers that accept HTML have the answer of a report as a page.
func drawn(r route, draws func(ctx context.Context, tx *db.Tx, in pageInput) (reportpage.Page, error)) route {
	r.Draws = draws
	return r
}

// asPage says of a route that it has a page.
const asPage = ", as a page with Accept: text/html"

// picture draws the page of a result for a caller who accepts HTML; all others get the result.
func (r route) picture(ctx context.Context, tx *db.Tx, input, result any) (any, *reply, error) {
	if r.Pictured == nil || !asksForPage(ctx) {
		return result, nil, nil
	}
	drawn, err := r.Pictured(ctx, tx, input, result)
	if err != nil {
		return nil, nil, err
	}
	drawn.Browse = callOf(ctx).browse
	page, err := pageOf(drawn)
	return none{}, page, err
}

// pictured lets callers that accept HTML have the answer as a page, which is made of input and answer. The transaction
// is only for names.
func pictured[I, O any](r route, draws func(ctx context.Context, tx *db.Tx, in *I, out O) (reportpage.Page, error)) route {
	r.Summary += asPage
	r.Pictured = func(ctx context.Context, tx *db.Tx, in, out any) (reportpage.Page, error) {
		return draws(ctx, tx, in.(*I), out.(O)) //nolint:forcetypeassert // they are those of the route
	}
	return r
}

// ofPage marks a route that gives the file of a page.
func ofPage(r route) route {
	r.Taken = true
	return r
}

type pageKey struct{}

// asksForPage says whether the caller of a route that has a page accepts HTML.
func asksForPage(ctx context.Context) bool { return ctx.Value(pageKey{}) != nil }

func pageOf(p reportpage.Page) (*reply, error) {
	var html bytes.Buffer
	err := reportpage.Write(&html, p)
	if err != nil {
		return nil, errs.Wrap(errs.Internal, err, "The page cannot be drawn.")
	}
	return &reply{Status: http.StatusOK, Body: payload{html.Bytes(), true, reportpage.ContentPolicy() + "; frame-ancestors 'none'"}}, nil
}

// statePage says of an answer that it is a page.
func statePage(w io.Writer, policy string) {
	if to, ok := w.(http.ResponseWriter); ok {
		to.Header().Set("Content-Type", "text/html; charset=utf-8")
		to.Header().Set("Content-Security-Policy", policy)
	}
}

// draw runs after the guard of a route that has a page. It leaves complaints about the input to the
// route itself.
func (s *Server) draw(r route) func(huma.Context, func(huma.Context)) {
	return func(hc huma.Context, next func(huma.Context)) {
		if r.Draws == nil && r.Pictured == nil {
			next(hc)
			return
		}
		gc := humagin.Unwrap(hc)
		gc.Writer.Header().Add("Vary", "Accept")
		if r.Pictured != nil {
			if strings.Contains(gc.GetHeader("Accept"), "text/html") {
				hc = huma.WithValue(huma.WithValue(hc, pageKey{}, true), navigationKey{}, gc)
			}
			next(hc)
			return
		}
		id, err := ids.Parse("id", gc.Param("id"))
		if err != nil || !strings.Contains(gc.GetHeader("Accept"), "text/html") {
			next(hc)
			return
		}
		of := PageQuery{Page: 1, Limit: 25}
		number(gc.Query("page"), &of.Page)
		number(gc.Query("limit"), &of.Limit)
		html, err := s.drawPage(hc.Context(), r, pageInput{id, of.page()})
		if err != nil {
			s.refuse(hc, err)
			return
		}
		gc.Header("Content-Security-Policy", reportpage.ContentPolicy()+"; frame-ancestors 'none'")
		gc.Data(http.StatusOK, "text/html; charset=utf-8", html)
	}
}

// number reads a parameter that was looked at already; without it the default stays.
func number(text string, into *int) {
	n, err := strconv.Atoi(text)
	if err == nil {
		*into = n
	}
}

func (s *Server) drawPage(ctx context.Context, r route, in pageInput) ([]byte, error) {
	scope := callOf(ctx).scope
	ctx, cancel := context.WithTimeout(ctx, s.config.RequestTimeout)
	defer cancel()
	var p reportpage.Page
	err := s.store.Report(ctx, scope, func(tx *db.Tx) error {
		var err error
		p, err = r.Draws(ctx, tx, in)
		return err
	})
	if err != nil {
		return nil, err
	}
	p.Browse = callOf(ctx).browse
	var html bytes.Buffer
	err = reportpage.Write(&html, p)
	if err != nil {
		return nil, errs.Wrap(errs.Internal, err, "The page cannot be drawn.")
	}
	return html.Bytes(), nil
}

// describePage says that the answer comes as a page, too.
func (s *Server) describePage(r route) {
	reply := operationAt(s.api.OpenAPI().Paths[prefix+r.Path], r.Method).Responses[strconv.Itoa(r.Status)]
	reply.Content["text/html"] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}}
}
