//go:build reporting

package httpapi

import "assess/pkg/capability"

func reportingRoutes() []route {
	return []route{
		report("/reporting/evaluation-summary", "evaluationSummary", needs(capability.ReportingView), "Summary of an evaluation version", evaluationSummary),
		report("/reporting/question-health", "listQuestionHealth", needs(capability.ReportingView), "Health of question versions", listQuestionHealth),
		report("/reporting/question-versions/{questionVersionId}/health", "questionHealth", needs(capability.ReportingView), "Health of one question version", questionHealth),
		write(post, "/reporting/projections", "projectAgain", taken, needs(capability.ReportingViewNamed), "Queue submissions for projection", projectAgain),
		write(post, "/reporting/percentiles/recompute", "recomputePercentiles", taken, needs(capability.ReportingViewNamed), "Queue a recomputation of the percentiles", recomputePercentiles),
	}
}
