package authoring

import (
	"context"

	"assess/models"
	"assess/pkg/capability"
	"assess/pkg/db"
	"assess/pkg/errs"
	"assess/pkg/ids"
	"assess/pkg/ledger"
)

// PublishQuestion freezes the draft; evaluations published from now on pin it. Of two
// calls at once, one publishes and the other gets nothing_to_publish. Errors: not_found,
// archived, nothing_to_publish, publish_blocked.
func PublishQuestion(ctx context.Context, tx *db.Tx, id ids.ID) (Question, error) {
	if err := tx.Require(capability.QuestionsWrite); err != nil {
		return Question{}, err
	}
	published, err := publishQuestions(ctx, tx, []ids.ID{id}, func(int) string { return "" })
	if err != nil {
		return Question{}, err
	}
	if len(published) == 0 {
		return Question{}, errs.New(errs.NothingToPublish, "There is no draft to publish.")
	}
	row := published[0].question
	row.Status, row.PublishedID, row.DraftID = models.AuthoringPublished, row.DraftID, nil
	row.UpdatedAt = advance(tx.Now(), row.UpdatedAt)
	return readQuestion(ctx, tx, row)
}

// PublishQuestions publishes the drafts of many questions in a handful of statements; one
// without a draft is left as it is. It gives the ids of those that it published. Errors:
// not_found, archived, publish_blocked; then nothing is published.
func PublishQuestions(ctx context.Context, tx *db.Tx, questionIDs []ids.ID) ([]ids.ID, error) {
	if err := tx.Require(capability.QuestionsWrite); err != nil {
		return nil, err
	}
	published, err := publishQuestions(ctx, tx, questionIDs, func(i int) string { return element("", "questions", i) })
	if err != nil {
		return nil, err
	}
	done := make([]ids.ID, 0, len(published))
	for _, edit := range published {
		done = append(done, edit.question.ID)
	}
	return done, nil
}

// publishQuestions gives what it published, as it was before; path names the i-th question
// in a problem.
func publishQuestions(ctx context.Context, tx *db.Tx, questionIDs []ids.ID, path func(i int) string) ([]questionEdit, error) {
	locked, err := lockQuestions(ctx, tx, questionIDs)
	if err != nil {
		return nil, err
	}
	versions, err := questionVersions(ctx, tx, locked)
	if err != nil {
		return nil, err
	}
	paths := make(map[ids.ID]string, len(questionIDs))
	for i, id := range questionIDs {
		paths[id] = path(i)
	}
	var ready []questionEdit
	var blocking problems
	for _, row := range locked {
		if err := checkChangeable(row.Status); err != nil {
			return nil, err
		}
		if row.DraftID == nil {
			continue
		}
		edit := openQuestionEdit(row, versions)
		version, err := questionVersionOf(edit.version)
		if err != nil {
			return nil, err
		}
		blocking = append(blocking, version.publishProblems(paths[row.ID])...)
		ready = append(ready, edit)
	}
	if err := blocking.blocked(); err != nil {
		return nil, err
	}
	return ready, freeze(ctx, tx, ready)
}

func freeze(ctx context.Context, tx *db.Tx, ready []questionEdit) error {
	if len(ready) == 0 {
		return nil
	}
	drafts := make([]ids.ID, 0, len(ready))
	events := make([]ledger.Event, 0, len(ready))
	for _, edit := range ready {
		drafts, events = append(drafts, edit.question.ID), append(events, edit.event("published"))
	}
	err := freezeQuestions(ctx, tx, drafts)
	if err != nil {
		return err
	}
	return ledger.Append(ctx, tx, events...)
}
