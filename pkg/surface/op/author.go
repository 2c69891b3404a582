package op

import (
	"context"

	"assess/pkg/author/authoring"
	"assess/pkg/author/media"
	"assess/pkg/author/pack"
	"assess/pkg/exam/inventory"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Questions are the operations on questions. Commands that show content, publish several or archive are by hand.
func Questions() []Line {
	readers, writers := needs(capability.QuestionsRead), needs(capability.QuestionsWrite)
	return append([]Line{
		read("GET /questions", "listQuestions", "question list", readers, "List questions", inventory.ListQuestions),
		write("POST /questions", "createQuestion", "", writers, "Create a question as a draft", authoring.CreateQuestion).creates(),
		read("GET /questions/{id}", "getQuestion", "", readers, "Read a question with its versions", ofOne(getQuestion)),
		read("GET /questions/{id}/versions", "listQuestionVersions", "", readers, "List the versions of a question, newest first", authoring.ListQuestionVersions),
		read("GET /questions/{id}/versions/{versionId}", "getQuestionVersion", "", readers, "Read one version of a question with all that it froze", authoring.GetQuestionVersion),
		write("PATCH /questions/{id}", "updateQuestion", "", writers, "Change the draft of a question", ofOne(authoring.UpdateQuestion)),
		write("POST /questions/{id}/versions", "createQuestionVersion", "", writers, "Start a new draft from the published version", one(authoring.CreateQuestionVersion)).creates(),
		write("POST /questions/{id}/publish", "publishQuestion", "", writers, "Publish the draft of a question, with a dry run", authoring.PublishQuestionDraft).tried(),
		read("GET /questions/{id}/usage", "questionUsage", "", readers, "Say where a question is used", one(inventory.UsageOfQuestion)),
		write("POST /questions/{id}/archive", "archiveQuestion", "", writers, "Archive a question", one(ofKind(inventory.Questions, inventory.Archive))),
		write("POST /questions/{id}/restore", "restoreQuestion", "", writers, "Restore an archived question", one(ofKind(inventory.Questions, inventory.Restore))),
		write("DELETE /questions/{id}", "deleteQuestion", "", writers, "Delete a question that nothing refers to; archive it otherwise", deletion(inventory.Questions)),
		write("POST /questions/bulk", "bulkQuestions", "", writers, "Archive, restore or retag many questions, with a dry run", bulk(inventory.Questions)).rehearsed(),
	}, views(inventory.Questions, "/questions/views", "Question", "questions", readers)...)
}

func getQuestion(ctx context.Context, tx *db.Tx, id ids.ID, in authoring.LangQuery) (authoring.ShownQuestion, error) {
	q, err := authoring.GetQuestion(ctx, tx, id)
	return q.In(in.Lang), err
}

// Passages are the operations on passages.
func Passages() []Line {
	readers, writers := needs(capability.QuestionsRead), needs(capability.QuestionsWrite)
	return []Line{
		read("GET /passages", "listPassages", "passage list", readers, "List passages", authoring.ListPassages),
		write("POST /passages", "createPassage", "", writers, "Create a passage as a draft", authoring.CreatePassage).creates(),
		read("GET /passages/{id}", "getPassage", "", readers, "Read a passage with its versions", authoring.GetPassage),
		write("PATCH /passages/{id}", "updatePassage", "", writers, "Change the draft of a passage", ofOne(authoring.UpdatePassage)),
		write("POST /passages/{id}/versions", "createPassageVersion", "", writers, "Start a new draft from the published version", one(authoring.CreatePassageVersion)).creates(),
		write("POST /passages/{id}/publish", "publishPassage", "", writers, "Publish the draft of a passage, with a dry run", authoring.PublishPassageDraft).tried(),
		read("GET /passages/{id}/versions", "listPassageVersions", "", readers, "List the versions of a passage, newest first", authoring.ListPassageVersions),
		read("GET /passages/{id}/versions/{versionId}", "getPassageVersion", "", readers, "Read one version of a passage with all that it froze", authoring.GetPassageVersion),
		read("GET /passages/{id}/questions", "getPassageQuestions", "passage questions PASSAGE", readers, "List the questions about a passage, in order", one(authoring.GetPassageQuestions)),
		write("PUT /passages/{id}/questions", "setPassageQuestions", "passage set-questions PASSAGE QUESTION...", writers, "Say which questions are about a passage, in order", ofOne(authoring.SetPassageQuestions)),
		read("GET /passages/{id}/usage", "passageUsage", "", readers, "Say where a passage is used", one(inventory.UsageOfPassage)),
		write("POST /passages/{id}/archive", "archivePassage", "", writers, "Archive a passage", one(ofKind(inventory.Passages, inventory.Archive))),
		write("POST /passages/{id}/restore", "restorePassage", "", writers, "Restore an archived passage", one(ofKind(inventory.Passages, inventory.Restore))),
		write("DELETE /passages/{id}", "deletePassage", "", writers, "Delete a passage that nothing uses; archive it otherwise", deletion(inventory.Passages)),
	}
}

// Evaluations are the operations on evaluations.
func Evaluations() []Line {
	readers, writers := needs(capability.EvaluationsRead), needs(capability.EvaluationsWrite)
	return append([]Line{
		read("GET /evaluations", "listEvaluations", "evaluation list", readers, "List evaluations", inventory.ListEvaluations),
		write("POST /evaluations", "createEvaluation", "", writers, "Create an evaluation as a draft", authoring.CreateEvaluation).creates(),
		read("GET /evaluations/{id}", "getEvaluation", "", readers, "Read an evaluation with its versions", one(pack.GetEvaluation)),
		write("PATCH /evaluations/{id}", "updateEvaluation", "", writers, "Change the draft of an evaluation", ofOne(authoring.UpdateEvaluation)),
		write("POST /evaluations/{id}/versions", "createEvaluationVersion", "", writers, "Start a new draft from the published version", one(authoring.CreateEvaluationVersion)).creates(),
		write("POST /evaluations/{id}/publish", "publishEvaluation", "", writers, "Publish the draft of an evaluation, with a dry run; needs a step-up proof", authoring.PublishEvaluationDraft).tried().proven(),
		read("GET /evaluations/{id}/usage", "evaluationUsage", "", readers, "Say by what an evaluation is used", one(inventory.UsageOfEvaluation)),
		write("POST /evaluations/{id}/archive", "archiveEvaluation", "", writers, "Archive an evaluation and close its active sessions", one(ofKind(inventory.Evaluations, inventory.Archive))),
		write("POST /evaluations/{id}/restore", "restoreEvaluation", "", writers, "Restore an archived evaluation", one(ofKind(inventory.Evaluations, inventory.Restore))),
		write("DELETE /evaluations/{id}", "deleteEvaluation", "", writers, "Delete an evaluation that is not in use; archive it otherwise", deletion(inventory.Evaluations)),
		write("POST /evaluations/bulk", "bulkEvaluations", "", writers, "Archive, restore or retag many evaluations, with a dry run", bulk(inventory.Evaluations)).rehearsed(),
		read("GET /evaluations/{id}/versions", "listEvaluationVersions", "", readers, "List the versions of an evaluation, newest first", authoring.ListEvaluationVersions),
		read("GET /evaluations/{id}/versions/{versionId}", "getEvaluationVersion", "", readers, "Read a version with what publishing froze", authoring.GetEvaluationVersion),
		write("PATCH /evaluations/{id}/versions/{versionId}/feedback", "configureFeedback", "", writers, "Change what candidates of a draft learn after submitting", authoring.ConfigureFeedback),
		read("POST /evaluations/{id}/preview", "previewEvaluation", "", readers, "See what a candidate would see, and score answers; nothing is kept", session.PreviewEvaluation),
	}, views(inventory.Evaluations, "/evaluations/views", "Evaluation", "evaluations", readers)...)
}

// ofKind gives an operation on one record of an inventory.
func ofKind[O any](kind *inventory.Kind, do func(context.Context, *db.Tx, *inventory.Kind, ids.ID) (O, error)) func(context.Context, *db.Tx, ids.ID) (O, error) {
	return func(ctx context.Context, tx *db.Tx, id ids.ID) (O, error) { return do(ctx, tx, kind, id) }
}

func deletion(kind *inventory.Kind) operation[ByID, db.None] {
	return gone(func(ctx context.Context, tx *db.Tx, id ids.ID) error { return inventory.Delete(ctx, tx, kind, id) })
}

func bulk(kind *inventory.Kind) operation[inventory.BulkInput, inventory.BulkOutput] {
	return func(ctx context.Context, tx *db.Tx, input inventory.BulkInput) (inventory.BulkOutput, error) {
		return inventory.Bulk(ctx, tx, kind, input)
	}
}

type byView struct {
	ViewID ids.ID `path:"viewId" json:"-"`
}

type viewPatch struct {
	byView
	Input inventory.ViewPatch
}

func (p *viewPatch) body() any { return &p.Input }

// views are the operations on the saved views of an inventory. A shared view needs the capability to write; the operation
// knows.
func views(kind *inventory.Kind, path, one, many string, readers []capability.Capability) []Line {
	shared := "; a shared one needs `" + many + ".write`"
	return []Line{
		read("GET "+path, "list"+one+"Views", "", readers, "List shared views of "+many+" and one's own",
			func(ctx context.Context, tx *db.Tx, page db.Page) (db.List[inventory.View], error) {
				return inventory.ListViews(ctx, tx, kind, page)
			}),
		write("POST "+path, "create"+one+"View", "", readers, "Save a view of "+many+shared,
			func(ctx context.Context, tx *db.Tx, input inventory.ViewInput) (inventory.View, error) {
				return inventory.CreateView(ctx, tx, kind, input)
			}).creates(),
		read("GET "+path+"/{viewId}", "get"+one+"View", "", readers, "Read a view of "+many,
			func(ctx context.Context, tx *db.Tx, input byView) (inventory.View, error) {
				return inventory.GetView(ctx, tx, kind, input.ViewID)
			}),
		write("PATCH "+path+"/{viewId}", "update"+one+"View", "", readers, "Change a view of "+many+shared,
			func(ctx context.Context, tx *db.Tx, input viewPatch) (inventory.View, error) {
				return inventory.UpdateView(ctx, tx, kind, input.ViewID, input.Input)
			}),
		write("DELETE "+path+"/{viewId}", "delete"+one+"View", "", readers, "Delete a view of "+many+shared,
			func(ctx context.Context, tx *db.Tx, input byView) (db.None, error) {
				return db.None{}, inventory.DeleteView(ctx, tx, kind, input.ViewID)
			}),
	}
}

// Assets are the operations on managed files; uploads and downloads are by hand.
func Assets() []Line {
	return []Line{
		read("GET /media", "listAssets", "media list", media.Readers, "List assets", media.ListAssets),
		read("GET /media/{id}", "getAsset", "media show ASSET", media.Readers, "Read an asset with its versions", one(media.GetAsset)),
		write("DELETE /media/{id}", "deleteAsset", "media delete ASSET", needs(capability.MediaManage), "Delete an asset that nothing shows", gone(media.DeleteAsset)).asks("Delete the asset %[1]s with all its versions?"),
	}
}

// Locales are the languages of a tenant.
func Locales() []Line {
	return []Line{
		read("GET /locales", "getLocales", "locale list", media.LocaleReaders, "Read the languages of the tenant", alone(media.GetLocales)),
		write("PUT /locales", "setLocales", "", needs(capability.LocalesManage), "Choose the languages of the tenant", media.SetLocales),
	}
}
