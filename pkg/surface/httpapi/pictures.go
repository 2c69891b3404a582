package httpapi

import (
	"context"

	"assess/pkg/author/authoring"
	"assess/pkg/exam/remediation"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
	"assess/pkg/report/exception"
	reportpage "assess/pkg/report/page"
	"assess/pkg/report/reporting"
	"assess/pkg/report/reporting/attempt"
)

func drawEvaluations(_ context.Context, _ *db.Tx, in *reportedEvaluationsInput, out reporting.ReportedEvaluations) (reportpage.Page, error) {
	return reportpage.Evaluations(out, in.Q), nil
}

func drawSummary(_ context.Context, _ *db.Tx, _ *summaryInput, out reporting.EvaluationSummary) (reportpage.Page, error) {
	return reportpage.Summary(out), nil
}

func drawGroups(_ context.Context, _ *db.Tx, _ *summaryListInput, out reporting.GroupSummaries) (reportpage.Page, error) {
	return reportpage.Groups(out), nil
}

func drawCohorts(_ context.Context, _ *db.Tx, _ *summaryListInput, out reporting.CohortSummaries) (reportpage.Page, error) {
	return reportpage.Cohorts(out), nil
}

func drawHealth(ctx context.Context, tx *db.Tx, in *healthInput, out reporting.HealthList) (reportpage.Page, error) {
	about, err := about(ctx, tx, in.filter(), "All questions", "Questions of ")
	return reportpage.Health(out, about), err
}

func drawQuestion(ctx context.Context, tx *db.Tx, in *questionHealthInput, out reporting.QuestionHealthDetail) (reportpage.Page, error) {
	about, err := about(ctx, tx, in.filter(), "All attempts", "Attempts at ")
	return reportpage.Question(out, about).Within(in.EvaluationVersionID), err
}

func drawAttempts(ctx context.Context, tx *db.Tx, in *listAttemptsInput, out db.List[submission.Summary]) (reportpage.Page, error) {
	title, err := authoring.TitleOf(ctx, tx, in.EvaluationVersionID)
	if err != nil {
		return reportpage.Page{}, err
	}
	f := reporting.FiltersApplied{RunLabel: in.run(), From: moment(in.From), To: moment(in.To)}
	var group *string
	if in.GroupID != ids.None {
		f.GroupID = &in.GroupID
		group, err = reporting.GroupName(ctx, tx, in.GroupID)
	}
	return reportpage.Attempts(out, in.EvaluationVersionID, title, f, group), err
}

func drawAttempt(_ context.Context, _ *db.Tx, in *shownAttemptInput, out attempt.Report) (reportpage.Page, error) {
	return reportpage.Attempt(out).Piece(in.Page), nil
}

func drawExceptions(ctx context.Context, tx *db.Tx, _ *listExceptionsInput, out db.List[exception.Exception]) (reportpage.Page, error) {
	names, err := people.NamesOf(ctx, tx, exception.Owners(out.Items))
	return reportpage.Exceptions(out, names), err
}

// linePages draw the pages of operations of the table.
var linePages = map[string]func(ctx context.Context, tx *db.Tx, input, result any) (reportpage.Page, error){
	"listRemediations": func(ctx context.Context, tx *db.Tx, _, result any) (reportpage.Page, error) {
		return drawRemediations(ctx, tx, result.(db.List[remediation.Remediation]))
	},
	"getRemediation": func(ctx context.Context, tx *db.Tx, _, result any) (reportpage.Page, error) {
		return drawRemediation(ctx, tx, result.(remediation.Remediation))
	},
}

func drawRemediations(ctx context.Context, tx *db.Tx, list db.List[remediation.Remediation]) (reportpage.Page, error) {
	var questions []ids.ID
	for _, r := range list.Items {
		questions = append(questions, r.QuestionVersionID)
	}
	names, err := reporting.QuestionNames(ctx, tx, questions)
	return reportpage.Remediations(list, names), err
}

// changesShown is how many submissions a page of a remediation shows.
const changesShown = 100

func drawRemediation(ctx context.Context, tx *db.Tx, r remediation.Remediation) (reportpage.Page, error) {
	names, err := reporting.QuestionNames(ctx, tx, []ids.ID{r.QuestionVersionID})
	if err != nil || r.UnderWay() {
		return reportpage.Remediation(r, nil, names[r.QuestionVersionID], nil), err
	}
	seen, err := remediation.Look(ctx, tx, remediation.PreviewInput{ID: r.ID, Page: db.Page{Page: 1, Limit: changesShown}})
	if err != nil {
		return reportpage.Page{}, err
	}
	var users []ids.ID
	for _, a := range seen.Affected.Items {
		users = append(users, a.UserID)
	}
	called, err := people.NamesOf(ctx, tx, users)
	return reportpage.Remediation(r, &seen, names[r.QuestionVersionID], called), err
}

// about says which attempts were chosen.
func about(ctx context.Context, tx *db.Tx, f reporting.HealthFilter, all, of string) (string, error) {
	if f.EvaluationVersionID == ids.None {
		return reportpage.About(f, all), nil
	}
	title, err := authoring.TitleOf(ctx, tx, f.EvaluationVersionID)
	if title == "" {
		title = "evaluation version " + f.EvaluationVersionID.String()
	}
	return reportpage.About(f, of+title), err
}
