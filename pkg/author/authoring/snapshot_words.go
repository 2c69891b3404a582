package authoring

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// The words of a report are cut to this number of characters.
const (
	MaxStemWords   = 2000
	MaxOptionWords = 500
)

// TagLabel is the name of a tag of a snapshot for people: its facet and its term.
type TagLabel struct {
	Facet string `json:"facet"`
	Label string `json:"label"`
}

// storeWords writes the words that reports need for a snapshot, so that they unpack no snapshot and
// read no draft: titles, labels of tags, and of each question its stem and options as plain text in
// their default language. The author's own ids are not part of a snapshot: the current ones are taken.
func storeWords(ctx context.Context, tx *db.Tx, org ids.ID, s Snapshot, b bank) error {
	sections := map[ids.ID]string{}
	for _, section := range s.Sections {
		sections[section.ID] = section.Title
	}
	titles, err := json.Marshal(sections)
	if err != nil {
		return fmt.Errorf("store titles: %w", err)
	}
	tags, err := json.Marshal(b.tagLabels())
	if err != nil {
		return fmt.Errorf("store labels: %w", err)
	}
	_, err = tx.Exec(ctx, `
		insert into snapshot_titles (tenant_id, evaluation_version_id, org_unit_id, evaluation_id, number, title, sections, tags)
		values ($1, $2, $3, $4, $5, $6, $7::text::jsonb, $8::text::jsonb)`,
		tx.Tenant(), s.EvaluationVersionID, org, s.EvaluationID, s.Number, s.Title, string(titles), string(tags))
	if err != nil {
		return fmt.Errorf("store titles: %w", err)
	}
	// In the order of their ids, so that two transactions that publish the same questions do not wait
	// for each other.
	var questions []ids.ID
	var stems, options []string
	versions := slices.Sorted(maps.Keys(s.Questions))
	for _, version := range versions {
		q := s.Questions[version]
		texts := map[string]string{}
		for _, o := range q.Options {
			texts[o.ID] = cut(plain(o.Content), MaxOptionWords)
		}
		for _, p := range q.Prompts {
			texts[p.ID] = cut(plain(p.Content), MaxOptionWords)
		}
		for id, d := range gapPieces(q.Gaps, q.Pool) {
			texts[id] = cut(plain(d), MaxOptionWords)
		}
		maps.Copy(texts, q.gapNames())
		said, err := json.Marshal(texts)
		if err != nil {
			return fmt.Errorf("store words of questions: %w", err)
		}
		questions, stems, options = append(questions, q.QuestionID), append(stems, cut(plain(q.Stem), MaxStemWords)), append(options, string(said))
	}
	_, err = tx.Exec(ctx, `
		insert into snapshot_questions as s (tenant_id, org_unit_id, question_version_id, question_id, external_id, stem, options)
		select $1, $2, w.version, w.question, q.external_id, w.stem, w.options::jsonb
		from unnest($3::text[]::uuid[], $4::uuid[], $5::text[], $6::text[]) with ordinality as w (version, question, stem, options, place)
		left join questions q on q.tenant_id = $1 and q.id = w.question
		order by w.place
		on conflict (tenant_id, org_unit_id, question_version_id) do update set external_id = excluded.external_id
			where s.external_id is distinct from excluded.external_id`,
		tx.Tenant(), org, versions, questions, stems, options)
	if err != nil {
		return fmt.Errorf("store words of questions: %w", err)
	}
	return nil
}

// tagLabels are the labels of the tags that the questions carry, by "facet:term".
func (b bank) tagLabels() map[string]TagLabel {
	labels := map[string]TagLabel{}
	for _, version := range b.versions {
		for _, id := range version.TaxonomyTermIDs {
			name := b.terms[id]
			labels[name.Facet+":"+name.Term] = TagLabel{b.facets[name.Facet], name.Label}
		}
	}
	return labels
}

// facetSlugs are the slugs of all facets that the bank names, and more.
func (b bank) facetSlugs(more []string) []string {
	all := slices.Clone(more)
	for _, name := range b.terms {
		all = append(all, name.Facet)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func cut(text string, most int) string {
	letters := []rune(text)
	return string(letters[:min(most, len(letters))])
}

// plain gives the text of a document in its default language.
func plain(d content.Document) string {
	_, p := d.Resolve("")
	return p.PlainText()
}
