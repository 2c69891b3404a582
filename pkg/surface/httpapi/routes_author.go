package httpapi

import (
	"assess/pkg/author/media"
	"assess/pkg/kernel/capability"
)

func (s *Server) questionRoutes() []route {
	return []route{
		takenAlong(bankFiles, bankFile, "/questions/export", "exportQuestions", needs(capability.QuestionsRead), "Export questions as a CSV file, or as a question bank for other systems", nil, s.exportQuestions),
		report("/questions/export/preview", "previewQuestionExport", needs(capability.QuestionsRead), "Say what an export of questions loses in a format, and what it leaves out", previewQuestionExport),
		banked(preview("/questions/import/preview", "previewQuestions", needs(capability.QuestionsWrite), "Check a CSV of questions, or a question bank of another system", s.previewQuestions)),
		banked(large(prepared("/questions/import/commit", "commitQuestions", needs(capability.QuestionsWrite), "Import a CSV of questions, or a question bank of another system", s.keepPictures, s.commitQuestions))),
	}
}

func passageRoutes() []route {
	return []route{
		export("/passages/export", "exportPassages", needs(capability.QuestionsRead), "Export passages as a CSV file", exportPassages),
		preview("/passages/import/preview", "previewPassages", needs(capability.QuestionsWrite), "Check a CSV of passages", previewPassages),
		large(write(post, "/passages/import/commit", "commitPassages", ok, needs(capability.QuestionsWrite), "Import a CSV of passages", commitPassages)),
	}
}

func (s *Server) evaluationRoutes() []route {
	return []route{
		takenAlong(testFiles, testFile, "/evaluations/export", "exportEvaluations", needs(capability.EvaluationsRead), "Export evaluations as a CSV file, or as tests for other systems", nil, s.exportEvaluations),
		report("/evaluations/export/preview", "previewEvaluationExport", needs(capability.EvaluationsRead), "Say what an export of evaluations loses in a format, and what it leaves out", previewEvaluationExport),
		banked(preview("/evaluations/import/preview", "previewEvaluations", needs(capability.EvaluationsWrite), "Check a CSV of evaluations, or the tests of a QTI package", previewEvaluations)),
		banked(proven(large(write(post, "/evaluations/import/commit", "commitEvaluations", ok, needs(capability.EvaluationsWrite), "Import a CSV of evaluations, or the tests of a QTI package", commitEvaluations)))),
	}
}

func (s *Server) mediaRoutes() []route {
	return []route{
		upload("/media", "uploadAsset", needs(capability.MediaManage), "Upload a file as a new asset", s.keepAsset, createAsset),
		file("/media/{id}/content", "getAssetContent", media.Readers, "Read the bytes of an asset", s.findAssetContent),
		upload("/media/{id}/versions", "uploadAssetVersion", needs(capability.MediaManage), "Upload a file as the newest version of an asset", s.keepAssetVersion, addAssetVersion),
	}
}
