package httpapi

import (
	"assess/pkg/exam/evidence"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/capability"
)

func subjectFileRoutes() []route {
	manages := needs(capability.SubjectsManage)
	return []route{
		export("/subjects/export", "exportSubjects", manages, "Export subjects as a CSV file", exportSubjects),
		preview("/subjects/import/preview", "previewSubjects", manages, "Check a CSV of subjects", previewSubjects),
		large(write(post, "/subjects/import/commit", "commitSubjects", ok, manages, "Import a CSV of subjects", commitSubjects)),
	}
}

func (s *Server) assignmentRoutes() []route {
	creates := needs(capability.AssignmentsCreate)
	return []route{
		takenAlong([]fileKind{csvFile}, func(*struct{}) fileKind { return csvFile }, "/assignments/export", "exportAssignments", needs(capability.AssignmentsCreate, capability.UsersRead),
			"Export the active assignments as a CSV file that the import takes; the ledger says who took it", takeAssignments, exportAssignments),
		preview("/assignments/import/preview", "previewAssignments", creates, "Check a CSV of assignments", previewAssignments),
		large(write(post, "/assignments/import/commit", "commitAssignments", ok, creates, "Import a CSV of assignments", commitAssignments)),
		get("/assignments/schedules/preview", "previewSchedule", creates, "List the next runs of a recurrence rule", previewSchedule),
		file("/assignments/{id}/seb", "getAssignmentSEB", needs(capability.AssignmentsMonitor, capability.AssignmentsCreate, capability.AssignmentsManage, capability.SessionsTake),
			"Read the file that opens an assignment in Safe Exam Browser", s.assignmentSEB),
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

		get("/evaluations/{id}/submissions", "listEvaluationSubmissions", needs(capability.SubmissionsRead), "List an evaluation's submissions", listSubmissionsOf(submission.ListByEvaluation)),
		ofPage(takenAlong([]fileKind{resultsCSV, resultsXLSX}, (*exportResultsInput).kind, "/evaluations/{id}/submissions/export", "exportResults", needs(capability.ReportingViewNamed),
			"Export an evaluation's submissions by name as a CSV or XLSX file; the ledger says who took it", takeResults, exportResults)),
		get("/submissions", "listWaitingSubmissions", needs(capability.SubmissionsRead), "List the submissions of all evaluations that wait for a person; needs `awaits`", listWaitingSubmissions),
		get("/users/me/assignments", "listOwnAssignments", needs(capability.SessionsTake), "List what is assigned to oneself, and whether it can be taken now", listOwnAssignments),
		get("/users/me/submissions", "listOwnSubmissions", needs(capability.SessionsTake), "List one's own submissions; scores as feedback_mode allows", listOwnSubmissions),
		get("/submissions/{id}", "getSubmission", needs(capability.SubmissionsRead, capability.SessionsTake), "Read a submission; a candidate reads their own", getSubmission),
	}
}

func (s *Server) evidenceRoutes() []route {
	manages, reads := needs(capability.EvidenceManage), evidence.Readers
	return []route{
		proven(upTo(s.evidenceLimit, upload("/submissions/{id}/evidence", "attachEvidence", manages, "Attach a file to a submission, or to one of its items", s.keepEvidence, attachEvidence))),
		viewed("/evidence/{id}/content", "getEvidenceContent", needs(capability.EvidenceRead), "Read the bytes of evidence; the ledger says who did", s.findEvidenceContent),
		prepared("/evidence/{id}/verify", "verifyEvidence", reads, "Hold the file of evidence against its hash", s.checkEvidence, recordCheck),
	}
}
