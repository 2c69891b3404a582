package authoring

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"assess/models"
	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// snapshot makes the frozen content of a draft whose questions are all in the bank.
func (v EvaluationVersion) snapshot(evaluation ids.ID, b bank) Snapshot {
	s := Snapshot{EvaluationID: evaluation, EvaluationVersionID: v.ID, Number: v.Number, Title: v.Title, Settings: v.Settings,
		Scoring:  SnapshotScoring{Folding: scoring.NewestFolding},
		Sections: []SnapshotSection{}, Questions: map[string]SnapshotQuestion{}, Passages: map[string]SnapshotPassage{},
		Assets: b.assets, EvaluationTaxonomyTermIDs: survivors(v.TaxonomyTermIDs, b.terms)}
	position := 0
	for _, section := range v.Sections {
		frozen := SnapshotSection{ID: section.ID, Title: section.Title, TimeLimitSeconds: section.TimeLimitSeconds, Items: []SnapshotItem{}}
		for _, item := range section.Items {
			items := item.leaves(position, b)
			if item.QuestionID == ids.None {
				frozen.Groups = append(frozen.Groups, item.group(items, b))
			}
			frozen.Items = append(frozen.Items, items...)
			position += len(items)
		}
		s.Sections = append(s.Sections, frozen)
		s.quote(frozen.Items, b)
	}
	s.FeedbackTagKeys, s.Settings.FeedbackTagKeys = append([]string{}, v.Settings.FeedbackTagKeys...), nil
	s.FeedbackTags = b.feedbackTags(s.FeedbackTagKeys)
	return s
}

// feedbackTags lists the terms of facets that the questions of the bank carry, by facet and
// term.
func (b bank) feedbackTags(facets []string) []FeedbackTag {
	tags := []FeedbackTag{}
	for _, version := range b.versions {
		for _, id := range version.TaxonomyTermIDs {
			name := b.terms[id]
			if slices.Contains(facets, name.Facet) {
				tags = append(tags, FeedbackTag{name.Facet, b.facets[name.Facet], name.Term, name.Label})
			}
		}
	}
	slices.SortFunc(tags, func(a, b FeedbackTag) int {
		return cmp.Or(strings.Compare(a.Facet, b.Facet), strings.Compare(a.Term, b.Term))
	})
	return slices.Compact(tags)
}

// quote puts the questions and passages of items into the snapshot.
func (s *Snapshot) quote(items []SnapshotItem, b bank) {
	for _, item := range items {
		s.Questions[item.QuestionVersionID.String()] = b.versions[item.QuestionID].snapshot(item.QuestionID, b.terms)
		if item.PassageVersionID != nil {
			s.Passages[item.PassageVersionID.String()] = b.pinned[*item.PassageVersionID]
		}
	}
}

// leaves gives everything that an item can show, one entry per question, from a position on.
func (i Item) leaves(position int, b bank) []SnapshotItem {
	var all []SnapshotItem
	for _, question := range b.questionsOf(i) {
		version, published := b.versions[question]
		if !published || b.status[question] == models.AuthoringArchived {
			continue // a preview shows the rest; publishing does not come here
		}
		key := version.key()
		set(&key.Weight, i.Weight)
		leaf := SnapshotItem{ItemID: i.ID, Position: position + len(all), QuestionID: question, QuestionVersionID: version.ID,
			PassageVersionID: b.passageOf(i, question), Key: key}
		if i.QuestionID == ids.None {
			leaf.ItemID, leaf.GroupID = leafID(i.ID, question), &i.ID
		}
		all = append(all, leaf)
	}
	return all
}

// leafID names a question within a group. It is made from the two (RFC 9562, section 5.5),
// so that it is the same in every version, even if the question was not in it for a while.
func leafID(group, question ids.ID) ids.ID { return uuid.NewSHA1(group, question[:]) }

func (i Item) group(items []SnapshotItem, b bank) SnapshotGroup {
	g := SnapshotGroup{ID: i.ID, Kind: GroupPassage, Count: len(items), PassageVersionID: b.passages[i.PassageID].published}
	if i.Draw != nil {
		g.Kind, g.Count = GroupDraw, i.Draw.Count
	}
	if len(items) > 0 {
		g.Position = items[0].Position
	}
	return g
}

// survivors replaces merged terms by their survivors.
func survivors(terms []ids.ID, names map[ids.ID]taxonomy.Name) []ids.ID {
	now := make([]ids.ID, 0, len(terms))
	for _, term := range terms {
		now = append(now, names[term].ID)
	}
	return termSet(now)
}

// structuredTags maps facet slugs to the slugs of their terms, in alphabetical order
// (decisions, section 3).
func structuredTags(termIDs []ids.ID, terms map[ids.ID]taxonomy.Name) map[string][]string {
	tags := map[string][]string{}
	for _, id := range termIDs {
		name := terms[id]
		tags[name.Facet] = append(tags[name.Facet], name.Term)
	}
	for facet, slugs := range tags {
		slices.Sort(slugs)
		tags[facet] = slices.Compact(slugs)
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
