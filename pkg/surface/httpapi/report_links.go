package httpapi

import (
	"cmp"
	"context"

	"github.com/gin-gonic/gin"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	reportpage "assess/pkg/report/page"
	"assess/pkg/report/reportlink"
)

// reportLinkPath is the page of a link to a report, as the router spells its address.
const reportLinkPath = prefix + "/report-links/:id"

type createReportLinkInput struct{ Body reportlink.Input }

func (s *Server) createReportLink(ctx context.Context, tx *db.Tx, in *createReportLinkInput) (reportlink.Issued, error) {
	return reportlink.NewDesk(s.authority, s.config.BaseURL).Create(ctx, tx, in.Body)
}

type listReportLinksInput struct{ PageQuery }

func listReportLinks(ctx context.Context, tx *db.Tx, in *listReportLinksInput) (db.List[reportlink.Link], error) {
	return reportlink.List(ctx, tx, in.page())
}

type revokeReportLinkInput struct {
	LinkID ids.ID `path:"linkId"`
}

func revokeReportLink(ctx context.Context, tx *db.Tx, in *revokeReportLinkInput) (none, error) {
	return none{}, reportlink.Revoke(ctx, tx, in.LinkID)
}

// onlyPage answers a caller who comes to the page of a report and wants something else.
func (s *Server) onlyPage(gc *gin.Context) {
	s.refuseDoor(gc, errs.New(errs.NotFound, "A link to a report opens in a browser. Programs read reports with a token."))
}

// showReportLink draws the report of a link for the browser that opened it.
func (s *Server) showReportLink(gc *gin.Context) {
	p, err := s.linkedPage(gc)
	if err != nil {
		s.refuseDoor(gc, err)
		return
	}
	s.drawReport(gc, p)
}

func (s *Server) linkedPage(gc *gin.Context) (reportpage.Page, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(gc.Request.Context()), s.config.RequestTimeout)
	defer cancel()
	link, err := ids.Parse("id", gc.Param("id"))
	if err != nil {
		return reportpage.Page{}, err
	}
	scope, err := s.authority.AuthenticateBrowser(ctx, browserOf(gc), link)
	if err != nil {
		return reportpage.Page{}, err
	}
	scope.RequestID = requestID(gc)
	gc.Set(scopeKey, scope)
	err = s.count(ctx, route{ID: "viewReportLink", Limit: perLink}, scope)
	if err != nil {
		return reportpage.Page{}, err
	}
	var p reportpage.Page
	err = s.store.Write(ctx, scope, func(tx *db.Tx) error {
		r, err := reportlink.View(ctx, tx, link)
		if err != nil {
			return err
		}
		p, err = sharedPage(ctx, tx, r)
		p.Foot = sharedBy(r.SharedBy) + " shared this report with you. It has the figures of this moment. Each view is counted."
		return err
	})
	return p, err
}

// sharedBy names who made a link.
func sharedBy(name string) string { return cmp.Or(name, "Somebody") }

// sharedPage draws the one report that is there.
func sharedPage(ctx context.Context, tx *db.Tx, r reportlink.Report) (reportpage.Page, error) {
	var p reportpage.Page
	switch {
	case r.Summary != nil:
		p = reportpage.Summary(*r.Summary)
	case r.Groups != nil:
		p = reportpage.Groups(*r.Groups)
	case r.Cohorts != nil:
		p = reportpage.Cohorts(*r.Cohorts)
	case r.Health != nil:
		all, err := about(ctx, tx, r.Subject.Filter(), "All questions", "Questions of ")
		return reportpage.Health(*r.Health, all), err
	default:
		all, err := about(ctx, tx, r.Subject.Filter(), "All attempts", "Attempts at ")
		return reportpage.Question(*r.Question, all), err
	}
	return p, nil
}
