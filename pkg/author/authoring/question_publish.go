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
	done, err := PublishQuestionDraft(ctx, tx, PublishInput{ID: id})
	return done.Question, err
}

// PublishQuestionDraft is PublishQuestion with warnings, and as a dry run if that is wished.
func PublishQuestionDraft(ctx context.Context, tx *db.Tx, in PublishInput) (QuestionPublication, error) {
	none := QuestionPublication{}
	if err := tx.Require(capability.QuestionsWrite); err != nil {
		return none, err
	}
	ready, err := readyQuestions(ctx, tx, []ids.ID{in.ID}, func(int) string { return "" })
	if err != nil {
		return none, err
	}
	if len(ready) == 0 {
		return none, errs.New(errs.NothingToPublish, "There is no draft to publish.")
	}
	out := QuestionPublication{Publication: Publication{DryRun: in.DryRun}}
	out.Warnings, err = questionWarnings(ctx, tx, ready[0])
	if err != nil {
		return none, err
	}
	err = freezeQuestions(ctx, tx, ready)
	if err != nil && !in.forgives(err) {
		return none, err
	}
	out.Question, err = GetQuestion(ctx, tx, in.ID)
	return out, err
}

// PublishQuestions publishes the drafts of many questions in a handful of statements; one
// without a draft is left as it is. It gives the ids of those that it published. Errors:
// not_found, archived, publish_blocked; then nothing is published.
func PublishQuestions(ctx context.Context, tx *db.Tx, questionIDs []ids.ID) ([]ids.ID, error) {
	if err := tx.Require(capability.QuestionsWrite); err != nil {
		return nil, err
	}
	ready, err := readyQuestions(ctx, tx, questionIDs, func(i int) string { return element("", "questions", i) })
	if err != nil {
		return nil, err
	}
	return idsOf(ready), freezeQuestions(ctx, tx, ready)
}

// readyQuestions locks questions and takes up the drafts of those that have one; path names
// the i-th question in a problem.
func readyQuestions(ctx context.Context, tx *db.Tx, questionIDs []ids.ID, path func(i int) string) ([]freezing, error) {
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
	return ready, nil
}

func freezeQuestions(ctx context.Context, tx *db.Tx, ready []freezing) error {
	err := freezeAll(ctx, tx, questionTables, ready)
	if err != nil || len(ready) == 0 {
		return err
	}
	return publishQuestionTerms(ctx, tx, idsOf(ready))
}

// freezing says what publishing the draft pins, and what keeps it from being published.
func (e questionEdit) freezing(path string, passages map[ids.ID]passageOfQuestion) (freezing, error) {
	version, err := questionVersionOf(e.version)
	if err != nil {
		return freezing{}, err
	}
	f := freezing{id: e.question.ID, event: e.event("published"), documents: version.placed(path), problems: version.publishProblems(path),
		terms: version.TaxonomyTermIDs}
	if about, ok := passages[e.question.ID]; ok {
		f.passage, f.passageDraft = about.published, about.hasDraft
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
	hasDraft  bool
}

// passagesOf gives the passage of each question that is about one.
func passagesOf(ctx context.Context, tx *db.Tx, questionIDs []ids.ID) (map[ids.ID]passageOfQuestion, error) {
	rows, err := tx.Query(ctx, `
		select l.question_id, p.status, p.published_id, p.draft_id is not null
		from passage_questions l join passages p on p.tenant_id = $1 and p.id = l.passage_id
		where l.tenant_id = $1 and l.question_id = any($2)`, tx.Tenant(), questionIDs)
	if err != nil {
		return nil, fmt.Errorf("find the passages of questions: %w", err)
	}
	found := map[ids.ID]passageOfQuestion{}
	var question ids.ID
	var about passageOfQuestion
	_, err = pgx.ForEachRow(rows, []any{&question, &about.status, &about.published, &about.hasDraft}, func() error {
		found[question] = about
		about.published = nil
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find the passages of questions: %w", err)
	}
	return found, nil
}
