package authoring

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// PublishQuestion freezes the draft and pins the assets that it shows and the published
// version of its passage; evaluations published from now on pin it. Of two
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
	return GetQuestion(ctx, tx, id)
}

// PublishQuestions publishes the drafts of many questions in a handful of statements; one
// without a draft is left as it is. It gives the ids of those that it published. Errors:
// not_found, archived, publish_blocked; then nothing is published.
func PublishQuestions(ctx context.Context, tx *db.Tx, questionIDs []ids.ID) ([]ids.ID, error) {
	if err := tx.Require(capability.QuestionsWrite); err != nil {
		return nil, err
	}
	return publishQuestions(ctx, tx, questionIDs, func(i int) string { return element("", "questions", i) })
}

// publishQuestions gives the ids of what it published; path names the i-th question in a
// problem.
func publishQuestions(ctx context.Context, tx *db.Tx, questionIDs []ids.ID, path func(i int) string) ([]ids.ID, error) {
	locked, err := lockQuestions(ctx, tx, questionIDs)
	if err != nil {
		return nil, err
	}
	versions, err := questionVersions(ctx, tx, locked)
	if err != nil {
		return nil, err
	}
	passages, err := passagesOf(ctx, tx, questionIDs)
	if err != nil {
		return nil, err
	}
	paths := pathsOf(questionIDs, path)
	var ready []freezing
	for _, row := range locked {
		if err := checkChangeable(row.Status); err != nil {
			return nil, err
		}
		if row.DraftID == nil {
			continue
		}
		one, err := openQuestionEdit(row, versions).freezing(paths[row.ID], passages)
		if err != nil {
			return nil, err
		}
		ready = append(ready, one)
	}
	done, err := freezeAll(ctx, tx, questionTables, ready)
	if err != nil || len(done) == 0 {
		return done, err
	}
	return done, publishQuestionTerms(ctx, tx, done)
}

// freezing says what publishing the draft pins, and what keeps it from being published.
func (e questionEdit) freezing(path string, passages map[ids.ID]passageOfQuestion) (freezing, error) {
	version, err := questionVersionOf(e.version)
	if err != nil {
		return freezing{}, err
	}
	f := freezing{id: e.question.ID, event: e.event("published"), documents: version.placed(path), problems: version.publishProblems(path)}
	if about, ok := passages[e.question.ID]; ok {
		f.passage = about.published
		f.problems.addIf(about.published == nil, member(path, "passageId"), "passage_not_published",
			"the passage that the question is about has no published version")
		f.problems.addIf(about.status == models.AuthoringArchived, member(path, "passageId"), "archived",
			"the passage that the question is about is archived")
	}
	return f, nil
}

// passageOfQuestion is the passage that a question is about.
type passageOfQuestion struct {
	status    string
	published *ids.ID
}

// passagesOf gives the passage of each question that is about one.
func passagesOf(ctx context.Context, tx *db.Tx, questionIDs []ids.ID) (map[ids.ID]passageOfQuestion, error) {
	rows, err := tx.Query(ctx, `
		select l.question_id, p.status, p.published_id
		from passage_questions l join passages p on p.tenant_id = $1 and p.id = l.passage_id
		where l.tenant_id = $1 and l.question_id = any($2)`, tx.Tenant(), questionIDs)
	if err != nil {
		return nil, fmt.Errorf("find the passages of questions: %w", err)
	}
	found := map[ids.ID]passageOfQuestion{}
	var question ids.ID
	var about passageOfQuestion
	_, err = pgx.ForEachRow(rows, []any{&question, &about.status, &about.published}, func() error {
		found[question] = about
		about.published = nil
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find the passages of questions: %w", err)
	}
	return found, nil
}
