package httpapi

import (
	"assess/pkg/surface/op"
	"net/http"
	"slices"
)

const (
	post   = http.MethodPost
	put    = http.MethodPut
	patch  = http.MethodPatch
	remove = http.MethodDelete

	ok      = http.StatusOK
	created = http.StatusCreated
	taken   = http.StatusAccepted
	gone    = http.StatusNoContent
)

// routes is the whole interface, in the order of the rooms, a line a route: what it is, who may
// call it, what it does. Paths are relative to /api/v1.
func (s *Server) routes() []route {
	return slices.Concat(
		s.accessRoutes(), lines(op.Roles()), lines(op.OrgUnits()), lines(op.Users()), userRoutes(), lines(op.Grants()), lines(op.Accounts()), lines(op.Groups()), lines(op.Providers()), s.providerRoutes(), s.ownProviderRoutes(), lines(op.Policies()),
		lines(op.Taxonomy()), skillRoutes(), skillFileRoutes(), lines(op.Questions()), s.questionRoutes(), lines(op.Passages()), passageRoutes(),
		lines(op.Evaluations()), s.evaluationRoutes(), lines(op.Packs()), lines(op.Assets()), s.mediaRoutes(), lines(op.Locales()),
		lines(op.Subjects()), subjectFileRoutes(), lines(op.Engagements()), lines(op.Requirements()), s.assignmentRoutes(), lines(op.Schedules()), lines(op.Assignments()), s.sessionRoutes(), lines(op.Reviews()), s.evidenceRoutes(), lines(op.Evidence()), lines(op.Remediations()),
		ledgerRoutes(),
		s.complianceRoutes(), lines(op.Forecasts()), lines(op.Requests()), s.requestRoutes(), lines(op.Letters()), lines(op.Recipients()), lines(op.Holds()), lines(op.Residue()), lines(op.Processing()), s.glassBoxRoutes(), lines(op.LTI()), lines(op.Webhooks()),
		summaryRoutes(), reportingRoutes(), s.reportLinkRoutes(), attemptRoutes(), reportJobRoutes(), exceptionRoutes(), lines(op.Exceptions()), skillFigureRoutes())
}
