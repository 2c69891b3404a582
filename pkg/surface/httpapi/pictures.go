package httpapi

import (
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/exception"
	reportpage "assess/pkg/report/page"
	"assess/pkg/report/reporting"
	"assess/pkg/report/reporting/attempt"
)

func drawEvaluations(in *reportedEvaluationsInput, out reporting.ReportedEvaluations) reportpage.Page {
	return reportpage.Evaluations(out, in.Q)
}

func drawSummary(_ *summaryInput, out reporting.EvaluationSummary) reportpage.Page {
	return reportpage.Summary(out)
}

func drawGroups(_ *summaryListInput, out reporting.GroupSummaries) reportpage.Page {
	return reportpage.Groups(out)
}

func drawCohorts(_ *summaryListInput, out reporting.CohortSummaries) reportpage.Page {
	return reportpage.Cohorts(out)
}

func drawHealth(in *healthInput, out reporting.HealthList) reportpage.Page {
	return reportpage.Health(out, about(in.HealthQuery, "All questions", "Questions of "))
}

func drawQuestion(in *questionHealthInput, out reporting.QuestionHealthDetail) reportpage.Page {
	return reportpage.Question(out, about(in.HealthQuery, "All attempts", "Attempts at "))
}

func drawAttempt(_ *attemptInput, out attempt.Report) reportpage.Page { return reportpage.Attempt(out) }

func drawExceptions(_ *listExceptionsInput, out db.List[exception.Exception]) reportpage.Page {
	return reportpage.Exceptions(out)
}

// about says which attempts were chosen.
func about(q HealthQuery, all, of string) string {
	if q.EvaluationVersionID != ids.None {
		all = of + "evaluation version " + q.EvaluationVersionID.String()
	}
	return reportpage.About(q.filter(), all)
}
