package httpapi

import (
	"net/http"
	"slices"
	"time"

	"assess/pkg/author/media"
	"assess/pkg/exam/inventory"
	"assess/pkg/exam/review"
	"assess/pkg/kernel/capability"
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

// routes is the whole interface, a line a route: what it is, who may call it, what it
// does. Paths stand below /api/v1.
func (s *Server) routes() []route {
	return slices.Concat(s.accessRoutes(), peopleRoutes(), groupRoutes(), taxonomyRoutes(), questionRoutes(), passageRoutes(),
		evaluationRoutes(), s.mediaRoutes(), programmeRoutes(), policyRoutes(), assignmentRoutes(), s.sessionRoutes(), remediationRoutes(), s.evidenceRoutes(), summaryRoutes(), reportingRoutes(),
		attemptRoutes(), reportJobRoutes())
}

func (s *Server) accessRoutes() []route {
	return []route{
		open(post, "/auth/login", "login", taken, "Ask for a sign-in link by mail", s.login),
		open(http.MethodGet, "/auth/verify", "verifyLink", ok, "Redeem a sign-in link", s.verifyByGet),
		open(post, "/auth/verify", "redeemLink", ok, "Redeem a sign-in link", s.verifyByPost),
		own(limited(10, time.Minute, save("/auth/refresh", "refreshToken", nil, "Trade a token for a fresh one with the roles of now", s.refresh))),

		get("/capabilities", "listCapabilities", needs(capability.RolesManage, capability.UsersRead), "List all capabilities", listCapabilities),
		get("/roles", "listRoles", needs(capability.RolesManage, capability.UsersRead), "List the roles of the tenant", listRoles),
		write(post, "/roles", "createRole", created, needs(capability.RolesManage), "Create a role", createRole),
		write(patch, "/roles/{id}", "updateRole", ok, needs(capability.RolesManage), "Change a role", updateRole),
		write(remove, "/roles/{id}", "deleteRole", gone, needs(capability.RolesManage), "Delete a role that nobody has", deleteRole),
	}
}

func peopleRoutes() []route {
	return []route{
		get("/org-units", "listOrgUnits", needs(capability.UsersRead), "List the org units of the tenant", listOrgUnits),
		get("/users", "listUsers", needs(capability.UsersRead), "List users", listUsers),
		write(post, "/users", "createUser", created, needs(capability.UsersManage), "Create a user", createUser),
		own(get("/users/me", "getMe", nil, "Read one's own record, and what the token allows", getMe)),
		get("/users/{id}", "getUser", needs(capability.UsersRead), "Read a user", getUser),
		write(patch, "/users/{id}", "updateUser", ok, needs(capability.UsersManage), "Change a user", updateUser),
		write(post, "/users/{id}/deactivate", "deactivateUser", ok, needs(capability.UsersManage), "Keep a user from signing in; tokens and links stop within a second", deactivateUser),
		write(post, "/users/{id}/reactivate", "reactivateUser", ok, needs(capability.UsersManage), "Let a user sign in again", reactivateUser),
		write(post, "/users/{id}/roles", "grantRole", ok, needs(capability.UsersManage), "Give a user a role", grantRole),
		write(remove, "/users/{id}/roles/{roleId}", "revokeRole", gone, needs(capability.UsersManage), "Take a role from a user", revokeRole),
		get("/users/{id}/submissions", "listUserSubmissions", needs(capability.SubmissionsRead), "List a user's submissions", listUserSubmissions),
		preview("/users/import/preview", "previewUsers", needs(capability.UsersImport), "Check a CSV of users", previewUsers),
		large(write(post, "/users/import/commit", "commitUsers", ok, needs(capability.UsersImport), "Import a CSV of users", commitUsers)),
	}
}

func groupRoutes() []route {
	sees, manages := needs(capability.GroupsView, capability.GroupsManage), needs(capability.GroupsManage)
	return []route{
		get("/groups", "listGroups", sees, "List groups", listGroups),
		write(post, "/groups", "createGroup", created, manages, "Create a group; a rule makes it dynamic", createGroup),
		get("/groups/{id}", "getGroup", sees, "Read a group", getGroup),
		write(patch, "/groups/{id}", "updateGroup", ok, manages, "Change a group; a new rule holds at once", updateGroup),
		write(remove, "/groups/{id}", "deleteGroup", gone, manages, "Delete a group that nothing is assigned to", deleteGroup),
		ask("/groups/{id}/preview", "previewGroup", manages, "Count who would enter and leave a group under a rule", previewGroup),
		get("/groups/{id}/members", "listMembers", sees, "List the members of a group; names and addresses need users.read", listMembers),
		write(post, "/groups/{id}/members", "addMembers", ok, manages, "Add up to 10,000 users to a group that has no rule", addMembers),
		write(remove, "/groups/{id}/members/{userId}", "removeMember", gone, manages, "Take a user out of a group that has no rule", removeMember),
		secret(write(post, "/groups/{id}/join-token", "rotateJoinToken", ok, manages, "Make a new join token, which is shown once and ends the one before", rotateJoinToken)),
		write(remove, "/groups/{id}/join-token", "dropJoinToken", gone, manages, "End the join token of a group", dropJoinToken),
		secret(limited(10, time.Minute, write(post, "/groups/join/{token}", "joinGroup", created, needs(capability.GroupsJoin), "Join a group by its token", joinGroup))),
	}
}

func taxonomyRoutes() []route {
	return []route{
		get("/taxonomy/facets", "listFacets", needs(capability.TaxonomyRead), "List facets", listFacets),
		write(post, "/taxonomy/facets", "createFacet", created, needs(capability.TaxonomyManage), "Create a facet", createFacet),
		get("/taxonomy/facets/{id}", "getFacet", needs(capability.TaxonomyRead), "Read a facet", getFacet),
		write(patch, "/taxonomy/facets/{id}", "updateFacet", ok, needs(capability.TaxonomyManage), "Change the names of a facet", updateFacet),
		get("/taxonomy/terms", "listTerms", needs(capability.TaxonomyRead), "List terms", listTerms),
		write(post, "/taxonomy/terms", "createTerm", created, needs(capability.TaxonomyManage), "Create a term", createTerm),
		get("/taxonomy/terms/{id}", "getTerm", needs(capability.TaxonomyRead), "Read a term", getTerm),
		write(patch, "/taxonomy/terms/{id}", "updateTerm", ok, needs(capability.TaxonomyManage), "Change the names of a term, or move it", updateTerm),
		get("/taxonomy/terms/{id}/children", "listTermChildren", needs(capability.TaxonomyRead), "List the terms directly below a term", listTermChildren),
		get("/taxonomy/terms/{id}/ancestors", "listTermAncestors", needs(capability.TaxonomyRead), "List the terms above a term, from the top down", listTermAncestors),
		write(post, "/taxonomy/terms/{id}/retire", "retireTerm", ok, needs(capability.TaxonomyManage), "Retire a term: it cannot be assigned anew", retireTerm),
		write(post, "/taxonomy/terms/{id}/restore", "restoreTerm", ok, needs(capability.TaxonomyManage), "Restore a retired term", restoreTerm),
		get("/taxonomy/terms/{id}/where-used", "listTermUses", needs(capability.TaxonomyRead), "List what names a term, with counts by kind", listTermUses),
		rehearsed(write(post, "/taxonomy/terms/{id}/merge", "mergeTerm", ok, needs(capability.TaxonomyManage), "Merge a term into another one, with a dry run", mergeTerm)),
		get("/taxonomy/questions/{id}/terms", "getQuestionTerms", needs(capability.TaxonomyRead), "Read the terms of a question", getQuestionTerms),
		write(put, "/taxonomy/questions/{id}/terms", "setQuestionTerms", ok, needs(capability.TaxonomyManage), "Replace the terms of a question's draft", setQuestionTerms),
		get("/taxonomy/evaluations/{id}/terms", "getEvaluationTerms", needs(capability.TaxonomyRead), "Read the terms of an evaluation", getEvaluationTerms),
		write(put, "/taxonomy/evaluations/{id}/terms", "setEvaluationTerms", ok, needs(capability.TaxonomyManage), "Replace the terms of an evaluation's draft", setEvaluationTerms),
	}
}

func questionRoutes() []route {
	return []route{
		get("/questions", "listQuestions", needs(capability.QuestionsRead), "List questions", listQuestions),
		write(post, "/questions", "createQuestion", created, needs(capability.QuestionsWrite), "Create a question as a draft", createQuestion),
		get("/questions/{id}", "getQuestion", needs(capability.QuestionsRead), "Read a question with its versions", getQuestion),
		get("/questions/{id}/versions", "listQuestionVersions", needs(capability.QuestionsRead), "List the versions of a question, newest first", listQuestionVersions),
		get("/questions/{id}/versions/{versionId}", "getQuestionVersion", needs(capability.QuestionsRead), "Read one version of a question with all that it froze", getQuestionVersion),
		write(patch, "/questions/{id}", "updateQuestion", ok, needs(capability.QuestionsWrite), "Change the draft of a question", updateQuestion),
		write(post, "/questions/{id}/versions", "createQuestionVersion", created, needs(capability.QuestionsWrite), "Start a new draft from the published version", createQuestionVersion),
		tried(write(post, "/questions/{id}/publish", "publishQuestion", ok, needs(capability.QuestionsWrite), "Publish the draft of a question, with a dry run", publishQuestion)),
		get("/questions/{id}/usage", "questionUsage", needs(capability.QuestionsRead), "Say where a question is used", questionUsage),
		write(post, "/questions/{id}/archive", "archiveQuestion", ok, needs(capability.QuestionsWrite), "Archive a question", archiveQuestion),
		write(post, "/questions/{id}/restore", "restoreQuestion", ok, needs(capability.QuestionsWrite), "Restore an archived question", restoreQuestion),
		write(remove, "/questions/{id}", "deleteQuestion", gone, needs(capability.QuestionsWrite), "Delete a question that nothing refers to; archive it otherwise", deleteQuestion),
		rehearsed(write(post, "/questions/bulk", "bulkQuestions", ok, needs(capability.QuestionsWrite), "Archive, restore or retag many questions, with a dry run", bulkQuestions)),
		export("/questions/export", "exportQuestions", needs(capability.QuestionsRead), "Export questions as a CSV file", exportQuestions),
		get("/questions/views", "listQuestionViews", needs(capability.QuestionsRead), "List shared views of questions and one's own", listViews(inventory.Questions)),
		write(post, "/questions/views", "createQuestionView", created, needs(capability.QuestionsRead), "Save a view of questions; a shared one needs `questions.write`", createView(inventory.Questions)),
		get("/questions/views/{viewId}", "getQuestionView", needs(capability.QuestionsRead), "Read a view of questions", getView(inventory.Questions)),
		write(patch, "/questions/views/{viewId}", "updateQuestionView", ok, needs(capability.QuestionsRead), "Change a view of questions; a shared one needs `questions.write`", updateView(inventory.Questions)),
		write(remove, "/questions/views/{viewId}", "deleteQuestionView", gone, needs(capability.QuestionsRead), "Delete a view of questions; a shared one needs `questions.write`", deleteView(inventory.Questions)),
		preview("/questions/import/preview", "previewQuestions", needs(capability.QuestionsWrite), "Check a CSV of questions", previewQuestions),
		large(write(post, "/questions/import/commit", "commitQuestions", ok, needs(capability.QuestionsWrite), "Import a CSV of questions", commitQuestions)),
	}
}

func passageRoutes() []route {
	return []route{
		get("/passages", "listPassages", needs(capability.QuestionsRead), "List passages", listPassages),
		write(post, "/passages", "createPassage", created, needs(capability.QuestionsWrite), "Create a passage as a draft", createPassage),
		export("/passages/export", "exportPassages", needs(capability.QuestionsRead), "Export passages as a CSV file", exportPassages),
		preview("/passages/import/preview", "previewPassages", needs(capability.QuestionsWrite), "Check a CSV of passages", previewPassages),
		large(write(post, "/passages/import/commit", "commitPassages", ok, needs(capability.QuestionsWrite), "Import a CSV of passages", commitPassages)),
		get("/passages/{id}", "getPassage", needs(capability.QuestionsRead), "Read a passage with its versions", getPassage),
		write(patch, "/passages/{id}", "updatePassage", ok, needs(capability.QuestionsWrite), "Change the draft of a passage", updatePassage),
		write(post, "/passages/{id}/versions", "createPassageVersion", created, needs(capability.QuestionsWrite), "Start a new draft from the published version", createPassageVersion),
		tried(write(post, "/passages/{id}/publish", "publishPassage", ok, needs(capability.QuestionsWrite), "Publish the draft of a passage, with a dry run", publishPassage)),
		get("/passages/{id}/versions", "listPassageVersions", needs(capability.QuestionsRead), "List the versions of a passage, newest first", listPassageVersions),
		get("/passages/{id}/versions/{versionId}", "getPassageVersion", needs(capability.QuestionsRead), "Read one version of a passage with all that it froze", getPassageVersion),
		get("/passages/{id}/questions", "getPassageQuestions", needs(capability.QuestionsRead), "List the questions about a passage, in order", getPassageQuestions),
		write(put, "/passages/{id}/questions", "setPassageQuestions", ok, needs(capability.QuestionsWrite), "Say which questions are about a passage, in order", setPassageQuestions),
		get("/passages/{id}/usage", "passageUsage", needs(capability.QuestionsRead), "Say where a passage is used", passageUsage),
		write(post, "/passages/{id}/archive", "archivePassage", ok, needs(capability.QuestionsWrite), "Archive a passage", archivePassage),
		write(post, "/passages/{id}/restore", "restorePassage", ok, needs(capability.QuestionsWrite), "Restore an archived passage", restorePassage),
		write(remove, "/passages/{id}", "deletePassage", gone, needs(capability.QuestionsWrite), "Delete a passage that nothing uses; archive it otherwise", deletePassage),
	}
}

func evaluationRoutes() []route {
	return []route{
		get("/evaluations", "listEvaluations", needs(capability.EvaluationsRead), "List evaluations", listEvaluations),
		write(post, "/evaluations", "createEvaluation", created, needs(capability.EvaluationsWrite), "Create an evaluation as a draft", createEvaluation),
		get("/evaluations/{id}", "getEvaluation", needs(capability.EvaluationsRead), "Read an evaluation with its versions", getEvaluation),
		write(patch, "/evaluations/{id}", "updateEvaluation", ok, needs(capability.EvaluationsWrite), "Change the draft of an evaluation", updateEvaluation),
		write(post, "/evaluations/{id}/versions", "createEvaluationVersion", created, needs(capability.EvaluationsWrite), "Start a new draft from the published version", createEvaluationVersion),
		proven(tried(write(post, "/evaluations/{id}/publish", "publishEvaluation", ok, needs(capability.EvaluationsWrite), "Publish the draft of an evaluation, with a dry run; needs a step-up proof", publishEvaluation))),
		get("/evaluations/{id}/usage", "evaluationUsage", needs(capability.EvaluationsRead), "Say by what an evaluation is used", evaluationUsage),
		write(post, "/evaluations/{id}/archive", "archiveEvaluation", ok, needs(capability.EvaluationsWrite), "Archive an evaluation and close its active sessions", archiveEvaluation),
		write(post, "/evaluations/{id}/restore", "restoreEvaluation", ok, needs(capability.EvaluationsWrite), "Restore an archived evaluation", restoreEvaluation),
		write(remove, "/evaluations/{id}", "deleteEvaluation", gone, needs(capability.EvaluationsWrite), "Delete an evaluation that is not in use; archive it otherwise", deleteEvaluation),
		rehearsed(write(post, "/evaluations/bulk", "bulkEvaluations", ok, needs(capability.EvaluationsWrite), "Archive, restore or retag many evaluations, with a dry run", bulkEvaluations)),
		get("/evaluations/{id}/versions", "listEvaluationVersions", needs(capability.EvaluationsRead), "List the versions of an evaluation, newest first", listEvaluationVersions),
		get("/evaluations/{id}/versions/{versionId}", "getEvaluationVersion", needs(capability.EvaluationsRead), "Read a version with what publishing froze", getEvaluationVersion),
		write(patch, "/evaluations/{id}/versions/{versionId}/feedback", "configureFeedback", ok, needs(capability.EvaluationsWrite), "Change what candidates of a draft learn after submitting", configureFeedback),
		ask("/evaluations/{id}/preview", "previewEvaluation", needs(capability.EvaluationsRead), "See what a candidate would see, and score answers; nothing is kept", previewEvaluation),
		export("/evaluations/export", "exportEvaluations", needs(capability.EvaluationsRead), "Export evaluations as a CSV file", exportEvaluations),
		get("/evaluations/views", "listEvaluationViews", needs(capability.EvaluationsRead), "List shared views of evaluations and one's own", listViews(inventory.Evaluations)),
		write(post, "/evaluations/views", "createEvaluationView", created, needs(capability.EvaluationsRead), "Save a view of evaluations; a shared one needs `evaluations.write`", createView(inventory.Evaluations)),
		get("/evaluations/views/{viewId}", "getEvaluationView", needs(capability.EvaluationsRead), "Read a view of evaluations", getView(inventory.Evaluations)),
		write(patch, "/evaluations/views/{viewId}", "updateEvaluationView", ok, needs(capability.EvaluationsRead), "Change a view of evaluations; a shared one needs `evaluations.write`", updateView(inventory.Evaluations)),
		write(remove, "/evaluations/views/{viewId}", "deleteEvaluationView", gone, needs(capability.EvaluationsRead), "Delete a view of evaluations; a shared one needs `evaluations.write`", deleteView(inventory.Evaluations)),
		preview("/evaluations/import/preview", "previewEvaluations", needs(capability.EvaluationsWrite), "Check a CSV of evaluations", previewEvaluations),
		proven(large(write(post, "/evaluations/import/commit", "commitEvaluations", ok, needs(capability.EvaluationsWrite), "Import a CSV of evaluations", commitEvaluations))),
	}
}

func (s *Server) mediaRoutes() []route {
	return []route{
		get("/media", "listAssets", media.Readers, "List assets", listAssets),
		upload("/media", "uploadAsset", needs(capability.MediaManage), "Upload a file as a new asset", s.keepAsset, createAsset),
		get("/media/{id}", "getAsset", media.Readers, "Read an asset with its versions", getAsset),
		file("/media/{id}/content", "getAssetContent", media.Readers, "Read the bytes of an asset", s.findAssetContent),
		upload("/media/{id}/versions", "uploadAssetVersion", needs(capability.MediaManage), "Upload a file as the newest version of an asset", s.keepAssetVersion, addAssetVersion),
		write(remove, "/media/{id}", "deleteAsset", gone, needs(capability.MediaManage), "Delete an asset that nothing shows", deleteAsset),

		get("/locales", "getLocales", media.LocaleReaders, "Read the languages of the tenant", getLocales),
		write(put, "/locales", "setLocales", ok, needs(capability.LocalesManage), "Choose the languages of the tenant", setLocales),
	}
}

func programmeRoutes() []route {
	manages := needs(capability.SubjectsManage)
	return []route{
		get("/subjects", "listSubjects", manages, "List subjects", listSubjects),
		write(post, "/subjects", "createSubject", created, manages, "Create a subject", createSubject),
		get("/subjects/{id}", "getSubject", manages, "Read a subject", getSubject),
		write(patch, "/subjects/{id}", "updateSubject", ok, manages, "Change a subject", updateSubject),
		preview("/subjects/import/preview", "previewSubjects", manages, "Check a CSV of subjects", previewSubjects),
		large(write(post, "/subjects/import/commit", "commitSubjects", ok, manages, "Import a CSV of subjects", commitSubjects)),
		get("/engagements", "listEngagements", manages, "List engagements", listEngagements),
		write(post, "/engagements", "createEngagement", created, manages, "Create an engagement", createEngagement),
		get("/engagements/{id}", "getEngagement", manages, "Read an engagement", getEngagement),
		write(patch, "/engagements/{id}", "updateEngagement", ok, manages, "Change an engagement", updateEngagement),
		get("/programme-requirements", "listRequirements", manages, "List programme requirements", listRequirements),
		write(post, "/programme-requirements", "createRequirement", created, manages, "Create a programme requirement", createRequirement),
		get("/programme-requirements/{id}", "getRequirement", manages, "Read a programme requirement", getRequirement),
		write(patch, "/programme-requirements/{id}", "updateRequirement", ok, manages, "Change a programme requirement", updateRequirement),
	}
}

func assignmentRoutes() []route {
	creates, takes := needs(capability.AssignmentsCreate), needs(capability.SessionsTake)
	reads := needs(capability.AssignmentsMonitor, capability.AssignmentsCreate, capability.AssignmentsManage)
	manages := needs(capability.AssignmentsManage)
	return []route{
		get("/assignments", "listAssignments", reads, "List assignments", listAssignments),
		secret(write(post, "/assignments", "createAssignment", created, creates, "Hand out an evaluation to one target or many", createAssignment)),
		preview("/assignments/import/preview", "previewAssignments", creates, "Check a CSV of assignments", previewAssignments),
		large(write(post, "/assignments/import/commit", "commitAssignments", ok, creates, "Import a CSV of assignments", commitAssignments)),
		limited(10, time.Minute, write(post, "/assignments/redeem", "redeemAssignmentToken", ok, takes, "Take up an assignment by its token", redeemAssignmentToken)),
		get("/assignments/schedules", "listSchedules", reads, "List the schedules of assignments", listSchedules),
		write(post, "/assignments/schedules", "createSchedule", created, creates, "Make assignments by a recurrence rule", createSchedule),
		get("/assignments/schedules/preview", "previewSchedule", creates, "List the next runs of a recurrence rule", previewSchedule),
		get("/assignments/schedules/{id}", "getSchedule", reads, "Read a schedule with its coming and past runs", getSchedule),
		write(patch, "/assignments/schedules/{id}", "updateSchedule", ok, manages, "Change, pause or resume a schedule", updateSchedule),
		write(remove, "/assignments/schedules/{id}", "deleteSchedule", gone, manages, "Delete a schedule; its assignments stay", deleteSchedule),
		get("/assignments/{id}", "getAssignment", reads, "Read an assignment", getAssignment),
		write(patch, "/assignments/{id}", "updateAssignment", ok, manages, "Change the window of an assignment, close it or open it again", updateAssignment),
		write(post, "/assignments/{id}/redeem", "redeemAssignment", ok, takes, "Take up an assignment", redeemAssignment),
		secret(write(post, "/assignments/{id}/token", "rotateAssignmentToken", ok, manages, "Give an assignment a new token, which is shown once and ends the one before", rotateAssignmentToken)),
		write(post, "/assignments/{id}/override", "overrideAssignment", ok, needs(capability.AssignmentsOverride), "Give one invitee more time, more attempts or another window", overrideAssignment),
		write(post, "/assignments/{id}/invitations", "inviteToAssignment", ok, creates, "Queue invitations by mail", inviteToAssignment),
		get("/assignments/{id}/monitor", "monitorAssignment", needs(capability.AssignmentsMonitor), "See how far the invitees are", monitorAssignment),
	}
}

func (s *Server) sessionRoutes() []route {
	takes := needs(capability.SessionsTake, capability.SessionsProctor)
	return []route{
		told("/evaluations/{id}/sessions", "startSession", created, takes, "Start a session", s.startSession, s.desk.Tell),
		get("/evaluations/{id}/sessions", "listSessions", takes, "List an evaluation's sessions; a candidate lists their own", listSessions),
		get("/evaluations/{id}/sessions/{sessionId}", "getSession", takes, "Read a session, to go on with it", s.getSession),
		save("/evaluations/{id}/sessions/{sessionId}/answers", "saveAnswers", takes, "Save answers; the receipt says that they are durable", s.saveAnswers),
		save("/evaluations/{id}/sessions/{sessionId}/events", "recordEvents", takes, "Record runtime events", s.recordEvents),
		proven(write(post, "/evaluations/{id}/sessions/{sessionId}/submit", "submitSession", ok, takes, "Submit a session: score it and make the durable submission", s.submitSession)),
		told("/evaluations/{id}/sessions/{sessionId}/resume", "resumeSession", ok, takes, "Take a session over on this device; the one before writes no more", s.resumeSession, s.desk.Tell),
		write(post, "/evaluations/{id}/sessions/{sessionId}/sections/{sectionId}/start", "startSection", ok, takes, "Begin a section; its time runs by the server's clock", s.startSection),
		get("/evaluations/{id}/sessions/{sessionId}/lockdown/probe", "probeLockdown", takes, "Ask whether this client locks the screen as the session demands", s.probeLockdown),
		file("/evaluations/{id}/sessions/{sessionId}/assets/{assetId}", "getSessionAsset", takes, "Read the bytes of an asset that a session shows", s.findSessionAsset),
		write(post, "/evaluations/{id}/sessions/{sessionId}/close", "closeSession", ok, needs(capability.SessionsProctor), "Close a session without a submission", s.closeSession),
		write(post, "/evaluations/{id}/sessions/{sessionId}/extend", "extendSession", ok, needs(capability.SessionsProctor), "Give a session more time", s.extendSession),

		get("/evaluations/{id}/submissions", "listEvaluationSubmissions", needs(capability.SubmissionsRead), "List an evaluation's submissions", listEvaluationSubmissions),
		get("/submissions", "listWaitingSubmissions", needs(capability.SubmissionsRead), "List the submissions of all evaluations that wait for a person; needs `awaits`", listWaitingSubmissions),
		get("/users/me/submissions", "listOwnSubmissions", needs(capability.SessionsTake), "List one's own submissions; scores as feedback_mode allows", listOwnSubmissions),
		get("/submissions/{id}/decisions", "listDecisions", needs(capability.SubmissionsRead), "List what was decided about a submission", listDecisions),
		proven(write(post, "/submissions/{id}/approve", "approveSubmission", ok, needs(capability.SubmissionsReview), "Approve a submission that waits for review", decision(review.Approve))),
		proven(write(post, "/submissions/{id}/reject", "rejectSubmission", ok, needs(capability.SubmissionsReview), "Reject a submission that waits for review", decision(review.Reject))),
		proven(write(post, "/submissions/{id}/request-changes", "requestChanges", ok, needs(capability.SubmissionsReview), "Ask for changes before a decision", decision(review.RequestChanges))),
		proven(write(post, "/submissions/{id}/reopen", "reopenSubmission", ok, needs(capability.SubmissionsReview), "Bring a decided submission back to review", decision(review.Reopen))),
		proven(write(post, "/submissions/{id}/void", "voidSubmission", ok, needs(capability.SubmissionsVoid), "Void a submission, for good; needs a step-up proof", decision(review.Void))),
		write(post, "/submissions/{id}/hash", "hashSubmission", ok, needs(capability.SubmissionsRead), "Hash the state of a submission into the ledger", hashSubmission),
		get("/submissions/{id}", "getSubmission", needs(capability.SubmissionsRead, capability.SessionsTake), "Read a submission; a candidate reads their own", getSubmission),
	}
}

func reportingRoutes() []route {
	return []route{
		report("/reporting/question-health", "listQuestionHealth", needs(capability.ReportingView), "Health of question versions", listQuestionHealth),
		archive("/reporting/question-health/export", "exportQuestionHealth", needs(capability.ReportingView), "Export the health of question versions as a ZIP of CSV files", exportQuestionHealth),
		report("/reporting/question-versions/{questionVersionId}/health", "questionHealth", needs(capability.ReportingView), "Health of one question version", questionHealth),
		report("/reporting/findings", "listReportedFindings", needs(capability.ReportingView), "Findings about a submission, for claims and disputes", listReportedFindings),
	}
}
