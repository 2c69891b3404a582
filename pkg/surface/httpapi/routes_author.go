package httpapi

import (
	"assess/pkg/author/media"
	"assess/pkg/exam/inventory"
	"assess/pkg/kernel/capability"
)

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
