package authoring

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// maxName is the number of characters of a stem in a name.
const maxName = 90

// QuestionVersionNames gives question versions the names that people know them by: the
// author's own id and the beginning of the stem. A version that is gone or out of scope is
// absent. Capability: questions.read.
func QuestionVersionNames(ctx context.Context, tx *db.Tx, versions []ids.ID) (map[ids.ID]string, error) {
	err := tx.Require(capability.QuestionsRead)
	if err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, `
		select v.id, coalesce(q.external_id, ''), v.body -> 'stem'
		from question_versions v join questions q on q.tenant_id = v.tenant_id and q.id = v.question_id
		where v.tenant_id = $1 and v.id = any($2) and ($3 or v.org_unit_id = $4)`,
		tx.Tenant(), versions, tx.Scope().All, tx.Scope().OrgUnit)
	if err != nil {
		return nil, fmt.Errorf("name questions: %w", err)
	}
	names := map[ids.ID]string{}
	var id ids.ID
	var external string
	var stem []byte
	_, err = pgx.ForEachRow(rows, []any{&id, &external, &stem}, func() error {
		var d content.Document
		err := json.Unmarshal(stem, &d)
		names[id] = nameOf(external, plain(d))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("name questions: %w", err)
	}
	return names, nil
}

// QuestionTexts are the words of one question version.
type QuestionTexts struct {
	Name    string            // the author's own id and the whole stem
	Options map[string]string // by their ids
}

// QuestionVersionTexts gives the words of a question version in its default language; none
// for one that is gone or out of scope. Capability: questions.read.
func QuestionVersionTexts(ctx context.Context, tx *db.Tx, version ids.ID) (QuestionTexts, error) {
	none := QuestionTexts{}
	err := tx.Require(capability.QuestionsRead)
	if err != nil {
		return none, err
	}
	var external string
	var body QuestionBody
	err = tx.QueryRow(ctx, `
		select coalesce(q.external_id, ''), v.body
		from question_versions v join questions q on q.tenant_id = v.tenant_id and q.id = v.question_id
		where v.tenant_id = $1 and v.id = $2 and ($3 or v.org_unit_id = $4)`,
		tx.Tenant(), version, tx.Scope().All, tx.Scope().OrgUnit).Scan(&external, &body)
	if errors.Is(err, pgx.ErrNoRows) {
		return none, nil
	}
	if err != nil {
		return none, fmt.Errorf("read the words of a question: %w", err)
	}
	texts := QuestionTexts{Name: joined(external, plain(body.Stem)), Options: map[string]string{}}
	for _, o := range body.Options {
		texts.Options[o.ID] = plain(o.Content)
	}
	return texts, nil
}

// plain gives the text of a document in its default language.
func plain(d content.Document) string {
	_, p := d.Resolve("")
	return p.PlainText()
}

func nameOf(external, stem string) string {
	letters := []rune(stem)
	if len(letters) > maxName {
		stem = string(letters[:maxName]) + "…"
	}
	return joined(external, stem)
}

func joined(external, stem string) string {
	if external == "" || stem == "" {
		return external + stem
	}
	return external + ": " + stem
}

// EvaluationTexts are the words by which people know an evaluation version.
type EvaluationTexts struct {
	Title    string
	Sections map[ids.ID]string // titles by their ids
}

// EvaluationVersionTexts gives the words of an evaluation version. The sections are those of
// every version of the evaluation, since reports can be about all of them; its own come first,
// then those of newer ones. Capability: evaluations.read. Errors: not_found.
func EvaluationVersionTexts(ctx context.Context, tx *db.Tx, version ids.ID) (EvaluationTexts, error) {
	none := EvaluationTexts{}
	err := tx.Require(capability.EvaluationsRead)
	if err != nil {
		return none, err
	}
	rows, err := tx.Query(ctx, `
		select v.title, v.sections from evaluation_versions v
		where v.tenant_id = $1 and v.evaluation_id = (
			select evaluation_id from evaluation_versions where tenant_id = $1 and id = $2 and ($3 or org_unit_id = $4))
		order by v.id = $2, v.number`,
		tx.Tenant(), version, tx.Scope().All, tx.Scope().OrgUnit)
	if err != nil {
		return none, fmt.Errorf("read the words of an evaluation: %w", err)
	}
	texts := EvaluationTexts{Sections: map[ids.ID]string{}}
	var sections []storedSection
	read, err := pgx.ForEachRow(rows, []any{&texts.Title, &sections}, func() error {
		for _, s := range sections {
			texts.Sections[s.ID] = s.Title
		}
		return nil
	})
	if err != nil {
		return none, fmt.Errorf("read the words of an evaluation: %w", err)
	}
	if read.RowsAffected() == 0 {
		return none, errs.New(errs.NotFound, "There is no such evaluation version in your scope.")
	}
	return texts, nil
}
