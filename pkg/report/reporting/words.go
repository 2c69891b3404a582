package reporting

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// QuestionWords identify the question of a version, as it was published.
type QuestionWords struct {
	QuestionID *ids.ID `json:"questionId" doc:"Null where no published evaluation is known that shows the version"`
	ExternalID *string `json:"externalId" doc:"The author's own id, as it was when an evaluation with the version was last published" example:"bio-017"`
	Stem       string  `json:"stem" doc:"The question as plain text in its default language, at most 2,000 characters; empty with questionId, and in a link whose maker may not read questions" example:"Which gas do plants take in?"`
}

// Name is the author's own id and the stem; empty where neither is known.
func (w QuestionWords) Name() string {
	if w.ExternalID == nil || w.Stem == "" {
		return OrEmpty(w.ExternalID) + w.Stem
	}
	return *w.ExternalID + ": " + w.Stem
}

// spoken is the words of a question version, and of its options by their ids.
type spoken struct {
	QuestionWords
	options map[string]string
}

// mayReadQuestions says whether a report may show the words of a question and which option is right. A link to a report
// may if its maker may read questions; people see the words in their own reports.
func mayReadQuestions(tx *db.Tx) bool {
	return tx.Actor().Kind != db.LinkActor || tx.Require(capability.QuestionsRead) == nil
}

// readWords reads the words of question versions in one statement; "offset 0" makes the planner look them up one by one.
func readWords(ctx context.Context, tx *db.Tx, orgs, questions []ids.ID) (map[ids.ID]spoken, error) {
	all := map[ids.ID]spoken{}
	shown := mayReadQuestions(tx)
	v := projection.Values{Args: []any{tx.Tenant(), questions}}
	var version, question ids.ID
	var w spoken
	err := v.Read(ctx, tx, "read words of questions", `
		select w.question_version_id, w.question_id, w.external_id, w.stem, w.options
		from unnest($2::uuid[]) q (id), lateral (select * from snapshot_questions
			where tenant_id = $1 and `+v.Among("org_unit_id", orgs)+` and question_version_id = q.id offset 0) w`, []any{&version, &question, &w.ExternalID, &w.Stem, &w.options}, func() {
		one := w
		if !shown {
			one = spoken{QuestionWords: QuestionWords{ExternalID: w.ExternalID}}
		}
		one.QuestionID = new(question)
		all[version] = one
		w = spoken{}
	})
	return all, err
}

// QuestionNames gives the names of question versions, as far as the scope knows them. The caller has checked who may see
// it.
func QuestionNames(ctx context.Context, tx *db.Tx, versions []ids.ID) (map[ids.ID]string, error) {
	orgs, err := projection.OrgUnits(ctx, tx)
	if err != nil {
		return nil, err
	}
	words, err := readWords(ctx, tx, orgs, versions)
	names := map[ids.ID]string{}
	for id, w := range words {
		names[id] = w.Name()
	}
	return names, err
}

// tagLabel is the label of a tag, as publishing wrote it.
type tagLabel struct{ Facet, Label string }

// labels are the labels of the tags and sections of an evaluation.
type labels struct {
	tags     map[string]tagLabel
	sections map[ids.ID]string
}

const labelsSQL = `
select sections, tags from snapshot_titles
where tenant_id = $1 and evaluation_id = $2 and evaluation_version_id = any($3) order by evaluation_version_id = $4, number`

// readLabels reads the labels of the versions; a section or tag of several versions is named as the
// requested version names it, and otherwise as the newest one does.
func (q summaryQuery) readLabels(ctx context.Context, tx *db.Tx) (labels, error) {
	l := labels{map[string]tagLabel{}, map[ids.ID]string{}}
	v := projection.Values{Args: []any{tx.Tenant(), q.evaluation, q.versions, q.asked}}
	var sections map[ids.ID]string
	var tags map[string]tagLabel
	err := v.Read(ctx, tx, "read labels", labelsSQL, []any{&sections, &tags}, func() {
		for id, title := range sections {
			l.sections[id] = title
		}
		for tag, label := range tags {
			l.tags[tag] = label
		}
		sections, tags = nil, nil
	})
	return l, err
}

// tag names a tag by its slugs where nothing else is known.
func (l labels) tag(tag string) (label, facet string) {
	slug, term, _ := strings.Cut(tag, ":")
	known := l.tags[tag]
	return cmp.Or(known.Label, term), cmp.Or(known.Facet, slug)
}

// section names a section by its place where it has no title.
func (l labels) section(id ids.ID, position int) string {
	return cmp.Or(l.sections[id], fmt.Sprintf("Section %d", position+1))
}
