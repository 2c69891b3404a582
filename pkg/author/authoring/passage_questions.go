package authoring

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// maxPassageQuestions bounds the questions about one passage.
const maxPassageQuestions = 200

// PassageQuestions is the questions about a passage, in order.
type PassageQuestions struct {
	PassageID ids.ID            `json:"passageId"`
	Questions []QuestionSummary `json:"questions" nullable:"false"`
	UpdatedAt time.Time         `json:"updatedAt"`
}

// PassageQuestionsInput gives a passage its questions, in order, in place of the
// questions that it has.
type PassageQuestionsInput struct {
	QuestionIDs []ids.ID   `json:"questionIds" noun:"question" nullable:"false" maxItems:"200" doc:"Each question belongs to at most one passage"`
	UpdatedAt   *time.Time `json:"updatedAt,omitempty" doc:"The state that the change was made from"`
}

// GetPassageQuestions gives the questions about a passage. Errors: not_found.
func GetPassageQuestions(ctx context.Context, tx *db.Tx, passageID ids.ID) (PassageQuestions, error) {
	if err := tx.Require(capability.QuestionsRead); err != nil {
		return PassageQuestions{}, err
	}
	row, err := passageStore.one(ctx, tx, passageID)
	if err != nil {
		return PassageQuestions{}, err
	}
	return readPassageQuestions(ctx, tx, row)
}

// SetPassageQuestions says which questions are about a passage, in order. Published
// versions keep the passage version that they pinned. Errors: not_found, archived,
// stale_update, validation_failed, question_in_other_passage.
func SetPassageQuestions(ctx context.Context, tx *db.Tx, passageID ids.ID, in PassageQuestionsInput) (PassageQuestions, error) {
	if err := tx.Require(capability.QuestionsWrite); err != nil {
		return PassageQuestions{}, err
	}
	edit, err := passageStore.takeUp(ctx, tx, passageID)
	if err != nil {
		return PassageQuestions{}, err
	}
	if err := db.Fresh(in.UpdatedAt, edit.record.UpdatedAt); err != nil {
		return PassageQuestions{}, err
	}
	if err := checkPassageQuestions(ctx, tx, edit.record, in.QuestionIDs); err != nil {
		return PassageQuestions{}, err
	}
	edit.record.UpdatedAt = tx.ChangedAt(edit.record.UpdatedAt)
	err = replacePassageQuestions(ctx, tx, edit.record, in.QuestionIDs)
	if err != nil {
		return PassageQuestions{}, err
	}
	if err := ledger.Append(ctx, tx, linksEvent(edit.record, in.QuestionIDs)); err != nil {
		return PassageQuestions{}, err
	}
	return readPassageQuestions(ctx, tx, edit.record)
}

// checkPassageQuestions refuses questions that cannot belong to the passage, and reports
// all of them at once.
func checkPassageQuestions(ctx context.Context, tx *db.Tx, passage *models.Passage, wanted []ids.ID) error {
	rows, err := questionStore.find(ctx, tx, wanted[:min(len(wanted), maxPassageQuestions)])
	if err != nil {
		return err
	}
	stored := make(map[ids.ID]*models.Question, len(rows))
	for _, row := range rows {
		stored[row.ID] = row
	}
	before, err := questionsOfPassage(ctx, tx, passage.ID)
	if err != nil {
		return err
	}
	err = errs.Invalid(linkProblems(passage.OrgUnitID, stored, wanted, func(id ids.ID) bool { return slices.Contains(before, id) })...)
	if err != nil {
		return err
	}
	return checkOtherPassages(ctx, tx, passage, wanted)
}

// checkOtherPassages names the questions that belong to another passage.
func checkOtherPassages(ctx context.Context, tx *db.Tx, passage *models.Passage, wanted []ids.ID) error {
	rows, err := tx.Query(ctx, `
		select question_id from passage_questions
		where tenant_id = $1 and question_id = any($2) and passage_id <> $3 order by question_id`, tx.Tenant(), wanted, passage.ID)
	if err != nil {
		return fmt.Errorf("look for other passages: %w", err)
	}
	taken, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil {
		return fmt.Errorf("look for other passages: %w", err)
	}
	if len(taken) == 0 {
		return nil
	}
	return errs.New(errs.QuestionInOtherPassage, "%s", errs.Meaning(errs.QuestionInOtherPassage)).With("questionIds", taken)
}

// replacePassageQuestions writes the rows; two passages that take the same question at once
// meet in the constraint passage_questions_one_passage.
func replacePassageQuestions(ctx context.Context, tx *db.Tx, passage *models.Passage, wanted []ids.ID) error {
	_, err := tx.Exec(ctx, "delete from passage_questions where tenant_id = $1 and passage_id = $2", tx.Tenant(), passage.ID)
	if err != nil {
		return fmt.Errorf("clear the questions of the passage: %w", err)
	}
	_, err = tx.Exec(ctx, `
		insert into passage_questions (tenant_id, passage_id, question_id, org_unit_id, position)
		select $1, $2, w.id, $3, w.place - 1 from unnest($4::uuid[]) with ordinality as w (id, place) order by w.id returning true`,
		tx.Tenant(), passage.ID, passage.OrgUnitID, wanted)
	if err != nil {
		return fmt.Errorf("save the questions of the passage: %w", err)
	}
	_, err = tx.Exec(ctx, "update passages set updated_at = $3 where tenant_id = $1 and id = $2", tx.Tenant(), passage.ID, passage.UpdatedAt)
	if err != nil {
		return fmt.Errorf("save the passage: %w", err)
	}
	return nil
}

// questionsOfPassage gives the questions about a passage in order.
func questionsOfPassage(ctx context.Context, tx *db.Tx, passage ids.ID) ([]ids.ID, error) {
	rows, err := tx.Query(ctx, `
		select question_id from passage_questions where tenant_id = $1 and passage_id = $2 order by position limit $3`,
		tx.Tenant(), passage, maxPassageQuestions)
	if err != nil {
		return nil, fmt.Errorf("read the questions of the passage: %w", err)
	}
	inOrder, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil {
		return nil, fmt.Errorf("read the questions of the passage: %w", err)
	}
	return inOrder, nil
}

func readPassageQuestions(ctx context.Context, tx *db.Tx, passage *models.Passage) (PassageQuestions, error) {
	inOrder, err := questionsOfPassage(ctx, tx, passage.ID)
	if err != nil {
		return PassageQuestions{}, err
	}
	questions, err := questionStore.find(ctx, tx, inOrder)
	if err != nil {
		return PassageQuestions{}, err
	}
	slices.SortFunc(questions, func(a, b *models.Question) int { return slices.Index(inOrder, a.ID) - slices.Index(inOrder, b.ID) })
	items, err := questionSummaries(ctx, tx, questions)
	return PassageQuestions{PassageID: passage.ID, Questions: items, UpdatedAt: passage.UpdatedAt.UTC()}, err
}

// countQuestions says how many questions are about each passage.
func countQuestions(ctx context.Context, tx *db.Tx, passages []*models.Passage) (map[ids.ID]int, error) {
	wanted := make([]ids.ID, 0, len(passages))
	for _, p := range passages {
		wanted = append(wanted, p.ID)
	}
	rows, err := tx.Query(ctx, `
		select passage_id, count(*)::int from passage_questions where tenant_id = $1 and passage_id = any($2) group by 1`, tx.Tenant(), wanted)
	if err != nil {
		return nil, fmt.Errorf("count questions: %w", err)
	}
	counts := make(map[ids.ID]int, len(passages))
	var id ids.ID
	var n int
	_, err = pgx.ForEachRow(rows, []any{&id, &n}, func() error {
		counts[id] = n
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("count questions: %w", err)
	}
	return counts, nil
}
