package cli

import (
	"reflect"

	"assess/pkg/author/authoring"
	"assess/pkg/author/media"
	"assess/pkg/author/pack"
	"assess/pkg/author/taxonomy"
	"assess/pkg/exam/assignment"
	"assess/pkg/exam/evidence"
	"assess/pkg/exam/inventory"
	"assess/pkg/exam/lti"
	"assess/pkg/exam/programme"
	"assess/pkg/exam/remediation"
	"assess/pkg/exam/review"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/people/hold"
	"assess/pkg/people/idp"
	"assess/pkg/people/people"
	"assess/pkg/people/policy"
	"assess/pkg/report/exception"
	"assess/pkg/trust/erasure"
	"assess/pkg/trust/processing"
	"assess/pkg/trust/requests"
	"assess/pkg/trust/retention"
	"assess/pkg/trust/webhook"
)

// view is how people see a result.
type view struct {
	print func(*Shell, any) error
	// whole reads a list page after page; nil for a result that is not a list.
	whole func(page *db.Page, read func() (any, error)) (any, error)
}

// views are the views of the results of operations in the table, by their type.
var views = map[reflect.Type]view{
	viewed[db.None](): viewOf(func(s *Shell, _ db.None) error {
		if !s.dryRun {
			s.Note("Done.")
		}
		return nil
	}),
	viewed[db.List[capability.Entry]]():        listView(capabilityColumns),
	viewed[db.List[people.OrgUnit]]():          listView(orgColumns),
	viewed[people.User]():                      viewOf(fields(userColumns)),
	viewed[db.List[people.User]]():             listView(userColumns),
	viewed[policy.RetentionPolicies]():         viewOf(printRetention),
	viewed[db.List[policy.RetentionVersion]](): listView(retentionColumns),
	viewed[policy.VerificationPolicies]():      viewOf(printVerification),
	viewed[people.Role]():                      viewOf(drawn(drawRole)),
	viewed[db.List[people.Role]]():             listView(roleColumns),
	viewed[people.RoleGrant]():                 viewOf(fields(grantColumns)),
	viewed[people.Account]():                   viewOf(fields(accountColumns)),
	viewed[db.List[people.Account]]():          listView(accountColumns),
	viewed[idp.Provider]():                     viewOf(fields(idpColumns)),
	viewed[db.List[idp.Provider]]():            listView(idpColumns),
	viewed[people.GroupDetail]():               viewOf(fields(groupDetailColumns)),
	viewed[db.List[people.Group]]():            listView(groupColumns),
	viewed[people.RulePreview]():               viewOf(fields(previewColumns)),
	viewed[db.List[people.Member]]():           listView(memberColumns),
	viewed[people.MembersAdded]():              viewOf(fields(addedColumns)),
	viewed[people.JoinToken]():                 viewOf(fields(columns[people.JoinToken]("JoinToken"))),

	viewed[taxonomy.Facet]():          viewOf(fields(facetColumns)),
	viewed[db.List[taxonomy.Facet]](): listView(facetColumns),
	viewed[taxonomy.Term]():           viewOf(fields(termColumns)),
	viewed[db.List[taxonomy.Term]]():  listView(termColumns),
	viewed[inventory.TermMerge]():     viewOf(fields(mergeColumns)),
	viewed[inventory.TermUses](): inPages(func(s *Shell, u inventory.TermUses) error { return printList(s, u.List, termUseColumns...) },
		func(u *inventory.TermUses) paged[inventory.TermUse] { return pagedOf(&u.List) }),
	viewed[authoring.AssignedTerms](): viewOf(drawn(drawAssignedTerms)),

	viewed[db.List[authoring.QuestionSummary]]():   listView(questionColumns),
	viewed[db.List[authoring.PassageSummary]]():    listView(passageColumns),
	viewed[authoring.PassageQuestions]():           viewOf(tableOf(func(p authoring.PassageQuestions) []authoring.QuestionSummary { return p.Questions }, questionColumns)),
	viewed[db.List[authoring.EvaluationSummary]](): listView(evaluationColumns),
	viewed[media.Asset]():                          viewOf(drawn(drawAsset)),
	viewed[db.List[media.AssetSummary]]():          listView(assetColumns),
	viewed[media.TenantLocales]():                  viewOf((*Shell).printLocales),

	viewed[review.Result]():                    viewOf(fields(resultColumns)),
	viewed[db.List[review.Decision]]():         listView(decisionColumns),
	viewed[submission.StateHash]():             viewOf(fields(hashColumns)),
	viewed[remediation.Marked]():               viewOf(fields(markColumns)),
	viewed[db.List[remediation.Version]]():     listView(versionOfScoresColumns),
	viewed[remediation.Remediation]():          viewOf(fields(remediationColumns)),
	viewed[db.List[remediation.Remediation]](): listView(remediationColumns),
	viewed[remediation.Preview]():              inPages(drawn(drawRemediationPreview), func(p *remediation.Preview) paged[remediation.Affected] { return pagedOf(&p.Affected) }),
	viewed[evidence.Evidence]():                viewOf(fields(evidenceFields)),
	viewed[db.List[evidence.Evidence]]():       listView(evidenceColumns),
	viewed[evidence.Finding]():                 viewOf(fields(observedFields)),
	viewed[db.List[evidence.Finding]]():        listView(observedColumns),
	viewed[evidence.Case]():                    viewOf(fields(caseFields)),
	viewed[db.List[evidence.Case]]():           listView(caseColumns),

	viewed[requests.Detail]():           viewOf(fields(requestFields)),
	viewed[requests.Rules]():            viewOf(fields(columns[requests.Rules]("TwoPeople, WaitDays, Letters, SetBy, SetAt"))),
	viewed[db.List[requests.Request]](): listView(requestColumns),

	viewed[requests.TemplateList]():       viewOf(tableOf(func(l requests.TemplateList) []requests.Template { return l.Items }, templateColumns)),
	viewed[requests.Recipient]():          viewOf(fields(recipientFields)),
	viewed[db.List[requests.Recipient]](): listView(recipientColumns),
	viewed[requests.Task]():               viewOf(fields(taskColumns)),
	viewed[db.List[requests.Task]]():      listView(taskColumns),
	viewed[hold.Hold]():                   viewOf(fields(holdFields)),
	viewed[hold.Many]():                   viewOf(printManyHolds),
	viewed[erasure.Finding]():             viewOf(fields(residueFields)),
	viewed[db.List[erasure.Finding]]():    listView(residueColumns),
	viewed[processing.Record]():           viewOf(printRecord),
	viewed[retention.Forecast]():          viewOf(tableOf(func(f retention.Forecast) []retention.ForecastLine { return f.Items }, forecastColumns)),

	viewed[exception.Bulk]():                 viewOf(tableOf(func(b exception.Bulk) []exception.BulkResult { return b.Results }, columns[exception.BulkResult]("SubmissionID, Code"))),
	viewed[assignment.Assignment]():          viewOf(fields(assignmentColumns)),
	viewed[db.List[assignment.Assignment]](): listView(assignmentColumns),
	viewed[assignment.Rotated]():             viewOf(fields(columns[assignment.Rotated]("Token"))),
	viewed[assignment.Override]():            viewOf(fields(overrideColumns)),
	viewed[assignment.Invited]():             viewOf(fields(columns[assignment.Invited]("Invitees, Queued = Queued now"))),
	viewed[assignment.Monitor]():             inPages(printMonitor, func(m *assignment.Monitor) paged[assignment.Invitee] { return pagedOf(&m.List) }),
	viewed[assignment.Schedule]():            viewOf(fields(scheduleColumns)),
	viewed[db.List[assignment.Schedule]]():   listView(scheduleColumns),

	viewed[programme.Subject]():              viewOf(fields(subjectColumns)),
	viewed[db.List[programme.Subject]]():     listView(subjectColumns),
	viewed[programme.Engagement]():           viewOf(fields(engagementColumns)),
	viewed[db.List[programme.Engagement]]():  listView(engagementColumns),
	viewed[programme.Requirement]():          viewOf(fields(requirementColumns)),
	viewed[db.List[programme.Requirement]](): listView(requirementColumns),

	viewed[webhook.Endpoint]():          viewOf(fields(webhookFields)),
	viewed[webhook.Made]():              viewOf(fields(webhookMadeColumns)),
	viewed[db.List[webhook.Endpoint]](): listView(webhookColumns),
	viewed[webhook.Delivery]():          viewOf(fields(deliveryColumns)),
	viewed[db.List[webhook.Delivery]](): listView(deliveryColumns),
	viewed[webhook.Replay]():            viewOf(fields(replayColumns)),

	viewed[lti.Platform]():            viewOf(fields(platformColumns)),
	viewed[db.List[lti.Platform]]():   listView(platformColumns),
	viewed[lti.Registration]():        viewOf(fields(registrationColumns)),
	viewed[lti.Key]():                 viewOf(fields(ltiKeyColumns)),
	viewed[lti.Deployment]():          viewOf(fields(deploymentColumns)),
	viewed[db.List[lti.Deployment]](): listView(deploymentColumns),
	viewed[lti.Course]():              viewOf(fields(courseColumns)),
	viewed[db.List[lti.Course]]():     listView(courseColumns),
	viewed[lti.Link]():                viewOf(fields(activityColumns)),
	viewed[db.List[lti.Link]]():       listView(activityColumns),
	viewed[lti.Score]():               viewOf(fields(ltiScoreColumns)),
	viewed[db.List[lti.Score]]():      listView(ltiScoreColumns),

	viewed[db.List[pack.LibrarySummary]](): listView(libraryColumns),
	viewed[pack.Library]():                 viewOf(drawn(drawLibrary)),
	viewed[db.List[pack.Revision]]():       listView(revisionColumns),
	viewed[pack.Revision]():                viewOf(drawn(drawRevision)),
	viewed[db.List[pack.Difference]]():     listView(differenceColumns),
	viewed[pack.Installation]():            viewOf(drawn(drawInstallation)),
	viewed[pack.Uninstallation]():          viewOf(fields(uninstallColumns)),
	viewed[pack.Lineage](): inPages(drawn(drawLineage), func(l *pack.Lineage) paged[pack.LineageInstall] {
		return paged[pack.LineageInstall]{&l.Installs, &l.Limit, l.Total}
	}),
}

func viewed[T any]() reflect.Type { return reflect.TypeFor[T]() }

func viewOf[T any](print printer[T]) view {
	return view{print: func(s *Shell, result any) error { return print(s, result.(T)) }}
}

// listView shows a page of a list as a table.
func listView[T any](columns []Column[T]) view {
	return inPages(func(s *Shell, list db.List[T]) error { return printList(s, list, columns...) }, pagedOf[T])
}

// inPages shows a result that contains a page of a list.
func inPages[P, T any](print printer[P], list func(*P) paged[T]) view {
	v := viewOf(print)
	v.whole = func(page *db.Page, read func() (any, error)) (any, error) {
		return readPages(true, page, func() (P, error) {
			result, err := read()
			of, _ := result.(P)
			return of, err
		}, list)
	}
	return v
}
