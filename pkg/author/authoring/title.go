package authoring

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// TitleOf gives the title of an evaluation by its id or the id of a version; empty if the scope has neither. The caller has
// checked who may see it.
func TitleOf(ctx context.Context, tx *db.Tx, id ids.ID) (string, error) {
	var title string
	err := tx.QueryRow(ctx, `select title from evaluations where tenant_id = $1 and id = coalesce(
		(select evaluation_id from evaluation_versions where tenant_id = $1 and id = $2), $2)`, tx.Tenant(), id).Scan(&title)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return "", fmt.Errorf("read the title of an evaluation: %w", err)
	}
	return title, nil
}

// namesSQL names what items show: questions by the beginning of their text in its language, passages by
// title, terms by facet and slug.
const namesSQL = `
select q.id, coalesce(left(v.extracts -> (v.body -> 'stem' ->> 'defaultLocale') ->> 'stem', 200), '')
from questions q join question_versions v on v.tenant_id = $1 and v.id = coalesce(q.published_id, q.draft_id)
where q.tenant_id = $1 and q.id = any($2::uuid[])
union all select id, title from passages where tenant_id = $1 and id = any($3::uuid[])
union all select t.id, f.slug || ':' || t.slug from terms t join facets f on f.tenant_id = $1 and f.id = t.facet_id
where t.tenant_id = $1 and t.id = any($4::uuid[])`

// NamesOf gives names for what the items of sections show, by the ids of questions, passages and terms.
func NamesOf(ctx context.Context, tx *db.Tx, sections []Section) (map[ids.ID]string, error) {
	var questions, passages, terms []ids.ID
	for _, s := range sections {
		for _, i := range s.Items {
			if i.Draw != nil {
				terms = append(terms, i.Draw.TaxonomyTermIDs...)
			}
			questions, passages = append(questions, i.QuestionID), append(passages, i.PassageID)
		}
	}
	rows, err := tx.Query(ctx, namesSQL, tx.Tenant(), questions, passages, terms)
	if err != nil {
		return nil, fmt.Errorf("name items: %w", err)
	}
	names := map[ids.ID]string{}
	var id ids.ID
	var name string
	_, err = pgx.ForEachRow(rows, []any{&id, &name}, func() error {
		names[id] = name
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("name items: %w", err)
	}
	return names, nil
}
