package authoring

import (
	"context"
	"fmt"
	"slices"

	"assess/pkg/content"
	"assess/pkg/db"
	"assess/pkg/ids"
	"assess/pkg/taxonomy"
)

// snapshot makes the frozen content of a draft whose questions are all in the bank.
func (v EvaluationVersion) snapshot(evaluation ids.ID, b bank) Snapshot {
	s := Snapshot{EvaluationID: evaluation, EvaluationVersionID: v.ID, Number: v.Number, Title: v.Title, Settings: v.Settings,
		Sections: []SnapshotSection{}, Questions: map[string]SnapshotQuestion{}, EvaluationTaxonomyTermIDs: []ids.ID{}}
	position := 0
	for _, section := range v.Sections {
		frozen := SnapshotSection{ID: section.ID, Title: section.Title, Items: []SnapshotItem{}}
		for _, item := range section.Items {
			version := b.versions[item.QuestionID]
			key := version.key()
			set(&key.Weight, item.Weight)
			frozen.Items = append(frozen.Items, SnapshotItem{ItemID: item.ID, Position: position,
				QuestionID: item.QuestionID, QuestionVersionID: version.ID, Key: key})
			s.Questions[version.ID.String()] = version.snapshot(item.QuestionID, b.terms)
			position++
		}
		s.Sections = append(s.Sections, frozen)
	}
	return s
}

func (v QuestionVersion) snapshot(question ids.ID, terms map[ids.ID]taxonomy.Name) SnapshotQuestion {
	q := SnapshotQuestion{QuestionID: question, Number: v.Number, QType: v.QType, Stem: v.Stem, Options: []SnapshotOption{},
		Explanation: v.Explanation, TaxonomyTermIDs: v.TaxonomyTermIDs, StructuredTags: structuredTags(v.TaxonomyTermIDs, terms),
		ContentHash: v.ContentHash}
	for _, o := range v.Options {
		q.Options = append(q.Options, SnapshotOption(o))
	}
	return q
}

// structuredTags maps facet slugs to the slugs of their terms, in the order of the
// alphabet (decisions, section 3).
func structuredTags(termIDs []ids.ID, terms map[ids.ID]taxonomy.Name) map[string][]string {
	tags := map[string][]string{}
	for _, id := range termIDs {
		name := terms[id]
		tags[name.Facet] = append(tags[name.Facet], name.Term)
	}
	for _, slugs := range tags {
		slices.Sort(slugs)
	}
	return tags
}

// storeSnapshot stores a snapshot under the hash of its canonical form, once per distinct
// content, and gives the hash.
func storeSnapshot(ctx context.Context, tx *db.Tx, org ids.ID, s Snapshot) (string, error) {
	canonical, err := content.Canonical(s)
	if err != nil {
		return "", fmt.Errorf("freeze snapshot: %w", err)
	}
	hash := content.Hash(canonical)
	_, err = tx.Exec(ctx, `
		insert into version_snapshots (tenant_id, hash, org_unit_id, content, created_at)
		values ($1, $2, $3, $4::text::jsonb, $5) on conflict (tenant_id, hash) do nothing`,
		tx.Tenant(), hash, org, string(canonical), tx.Now())
	if err != nil {
		return "", fmt.Errorf("store snapshot: %w", err)
	}
	return hash, nil
}
