package httpapi

import (
	"assess/pkg/kernel/capability"
)

func summaryRoutes() []route {
	views := needs(capability.ReportingView)
	return []route{
		pictured(report("/reporting/evaluations", "listReportedEvaluations", views, "List the evaluation versions that there are reports about, newest first", listReportedEvaluations), drawEvaluations),
		pictured(report("/reporting/evaluation-summary", "evaluationSummary", views, "Summary of an evaluation version", evaluationSummary), drawSummary),
		ofPage(streamed(reportFile, "/reporting/evaluation-summary/export", "exportEvaluationSummary", views, "Export the summary as a CSV file of one line", exportEvaluationSummary)),
		pictured(report("/reporting/evaluation-summary/groups", "evaluationSummaryGroups", views, "Summary of each group that the evaluation is assigned to", evaluationSummaryGroups), drawGroups),
		ofPage(streamed(reportFile, "/reporting/evaluation-summary/groups/export", "exportEvaluationSummaryGroups", views, "Export the summaries of the groups as a CSV file", exportEvaluationSummaryGroups)),
		pictured(report("/reporting/evaluation-summary/cohorts", "evaluationSummaryCohorts", views, "Summary of each run label", evaluationSummaryCohorts), drawCohorts),
		ofPage(streamed(reportFile, "/reporting/evaluation-summary/cohorts/export", "exportEvaluationSummaryCohorts", views, "Export the summaries of the run labels as a CSV file", exportEvaluationSummaryCohorts)),
	}
}

func reportingRoutes() []route {
	return []route{
		pictured(report("/reporting/question-health", "listQuestionHealth", needs(capability.ReportingView), "Health of question versions", listQuestionHealth), drawHealth),
		ofPage(archive("/reporting/question-health/export", "exportQuestionHealth", needs(capability.ReportingView), "Export the health of question versions as a ZIP of CSV files", exportQuestionHealth)),
		pictured(report("/reporting/question-versions/{questionVersionId}/health", "questionHealth", needs(capability.ReportingView), "Health of one question version", questionHealth), drawQuestion),
		report("/reporting/findings", "listReportedFindings", needs(capability.ReportingView), "Findings about a submission, for claims and disputes", listReportedFindings),
	}
}

// reportLinkRoutes make links; the pages that these lead to are not routes: only browsers can open them.
func (s *Server) reportLinkRoutes() []route {
	views := needs(capability.ReportingView)
	return []route{
		secret(write(post, "/reporting/links", "createReportLink", created, views, "Make a link by which somebody without an account reads one report in a browser; its address is shown once", s.createReportLink)),
		get("/reporting/links", "listReportLinks", views, "List the links to reports and their uses, newest first", listReportLinks),
		write(remove, "/reporting/links/{linkId}", "revokeReportLink", gone, views, "End a link to a report, at once", revokeReportLink),
	}
}

func attemptRoutes() []route {
	named := needs(capability.ReportingViewNamed)
	return []route{
		pictured(report("/reporting/session-attempts", "listSessionAttempts", named, "List the attempts at an evaluation version by name, newest first", listSessionAttempts), drawAttempts),
		pictured(witnessed("/reporting/session-attempts/{submissionId}", "sessionAttempt", named, "Report on one attempt, by name; the ledger says who looked", sessionAttempt), drawAttempt),
		ofPage(witnessedFile(attemptFile, "/reporting/session-attempts/{submissionId}/export", "exportSessionAttempt", named, "Export one attempt as a CSV file, a line an item; the ledger says who took it", exportSessionAttempt)),
	}
}

func reportJobRoutes() []route {
	named := needs(capability.ReportingViewNamed)
	return []route{
		write(post, "/reporting/projections", "queueProjection", taken, named, "Project submissions, a range, a remediation or telemetry again", queueProjection),
		write(post, "/reporting/percentiles/recompute", "recomputePercentiles", taken, named, "Compute the percentiles of all questions that changed, and the overviews of skills that did", recomputePercentiles),
		get("/reporting/jobs", "listReportJobs", named, "List reporting jobs, newest first", listReportJobs),
		get("/reporting/jobs/{id}", "getReportJob", named, "Read a reporting job and its progress", getReportJob),
	}
}
