package authoring

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/capability"
	"assess/pkg/content"
	"assess/pkg/db"
	"assess/pkg/errs"
	"assess/pkg/ids"
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
		_, p := d.Resolve("")
		names[id] = nameOf(external, p.PlainText())
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("name questions: %w", err)
	}
	return names, nil
}

func nameOf(external, stem string) string {
	letters := []rune(stem)
	if len(letters) > maxName {
		stem = string(letters[:maxName]) + "…"
	}
	if external == "" || stem == "" {
		return external + stem
	}
	return external + ": " + stem
}

// EvaluationVersionTitle gives the title of an evaluation version. Capability:
// evaluations.read. Errors: not_found.
func EvaluationVersionTitle(ctx context.Context, tx *db.Tx, version ids.ID) (string, error) {
	err := tx.Require(capability.EvaluationsRead)
	if err != nil {
		return "", err
	}
	var title *string
	err = tx.QueryRow(ctx, `
		select (select title from evaluation_versions where tenant_id = $1 and id = $2 and ($3 or org_unit_id = $4))`,
		tx.Tenant(), version, tx.Scope().All, tx.Scope().OrgUnit).Scan(&title)
	if err != nil {
		return "", fmt.Errorf("find title: %w", err)
	}
	if title == nil {
		return "", errs.New(errs.NotFound, "There is no such evaluation version in your scope.")
	}
	return *title, nil
}
