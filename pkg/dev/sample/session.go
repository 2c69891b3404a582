package sample

import (
	"encoding/json"
	"testing"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
	"assess/pkg/people/policy"
)

// Choice makes the key of a question with options A, B, C, D, where the given ones are right: an
// mcq for one of them, an mrq for several.
func Choice(right ...string) scoring.Key {
	k := scoring.Key{QType: scoring.MCQ, Weight: 1, ContributesToScore: true}
	if len(right) > 1 {
		k.QType = scoring.MRQ
	}
	for _, id := range []string{"A", "B", "C", "D"} {
		option := scoring.OptionKey{ID: id}
		for _, r := range right {
			option.Correct = option.Correct || r == id
		}
		k.Options = append(k.Options, option)
	}
	return k
}

// Published writes a published evaluation of one section, one item a key, straight into
// the tables, so that a test can have any settings and keys, and gives its snapshot. Every
// question carries the tag topic:sample, which is frozen for feedback where settings name
// feedback tags.
func Published(t testing.TB, tx *db.Tx, settings authoring.Settings, keys ...scoring.Key) authoring.Snapshot {
	t.Helper()
	s := authoring.Snapshot{
		FeedbackTags: []authoring.FeedbackTag{},
		EvaluationID: ids.New(), EvaluationVersionID: ids.New(), Number: 1, Title: "Sample evaluation",
		Settings: stated(settings), Scoring: authoring.SnapshotScoring{Folding: scoring.NewestFolding}, Questions: map[string]authoring.SnapshotQuestion{}, EvaluationTaxonomyTermIDs: []ids.ID{},
	}
	section := authoring.SnapshotSection{ID: ids.New(), Title: "Section"}
	for i, k := range keys {
		k.Folding = scoring.Folding{Rule: scoring.NewestFolding, Locale: "en"} // as whoever loads the snapshot gets it
		item := authoring.SnapshotItem{ItemID: ids.New(), Position: i, QuestionID: ids.New(), QuestionVersionID: ids.New(), Key: k}
		section.Items = append(section.Items, item)
		s.Questions[item.QuestionVersionID.String()] = question(item)
	}
	s.Sections = []authoring.SnapshotSection{section}
	frozen, err := policy.Freeze(t.Context(), tx, s.Settings.VerificationLevel)
	if err != nil {
		t.Fatal(err)
	}
	s.VerificationPolicy = frozen
	s.FeedbackTagKeys, s.Settings.FeedbackTagKeys = append([]string{}, s.Settings.FeedbackTagKeys...), nil
	if len(s.FeedbackTagKeys) > 0 {
		s.FeedbackTags = []authoring.FeedbackTag{{Facet: "topic", FacetLabel: "Topic", Term: "sample", Label: "Sample"}}
	}
	insertPublished(t, tx, s)
	return s
}

// stated fills in the defaults, as a stored version does.
func stated(s authoring.Settings) authoring.Settings {
	for value, otherwise := range map[*string]string{&s.Navigation: "free", &s.FeedbackMode: "overall", &s.ReviewPolicy: "self_approve"} {
		if *value == "" {
			*value = otherwise
		}
	}
	return s
}

func question(item authoring.SnapshotItem) authoring.SnapshotQuestion {
	q := authoring.SnapshotQuestion{
		QuestionID: item.QuestionID, Number: 1, QType: item.Key.QType, Stem: text("What is it?", "Was ist es?"),
		Options: []authoring.SnapshotOption{}, Order: item.Key.Order, Pairs: item.Key.Pairs, TaxonomyTermIDs: []ids.ID{}, StructuredTags: map[string][]string{"topic": {"sample"}},
	}
	explanation := text("Because.", "Darum.")
	q.Explanation = &explanation
	for _, o := range item.Key.Options {
		q.Options = append(q.Options, authoring.SnapshotOption{ID: o.ID, Content: text("Option "+o.ID, "Wahl "+o.ID), IsCorrect: o.Correct})
	}
	q.Gaps, q.Pool, q.Reuse = gaps(item.Key)
	for _, id := range item.Key.Prompts {
		q.Prompts = append(q.Prompts, authoring.Prompt{ID: id, Content: text("Prompt "+id, "Frage "+id)})
	}
	return q
}

// gaps gives the gaps of a key, with their pool.
func gaps(k scoring.Key) (gaps []authoring.Gap, pool []authoring.Prompt, reuse bool) {
	option := func(id string) authoring.Prompt {
		return authoring.Prompt{ID: id, Content: text("Option "+id, "Wahl "+id)}
	}
	for _, id := range k.Pool {
		pool = append(pool, option(id))
	}
	for _, g := range k.Gaps {
		gap := authoring.Gap{ID: g.ID, Kind: g.Kind, CorrectOptionIDs: g.Correct, AcceptedAnswers: g.Accepted, Value: g.Value, Tolerance: g.Tolerance, Weight: g.Weight}
		for _, id := range g.Options {
			gap.Options = append(gap.Options, option(id))
		}
		gaps = append(gaps, gap)
	}
	return gaps, pool, k.Reuse
}

// text makes a document in English and German.
func text(en, de string) content.Document {
	d := content.Document{DefaultLocale: "en", Locales: map[string]content.Payload{}}
	for locale, words := range map[string]string{"en": en, "de": de} {
		d.Locales[locale] = content.Payload{SchemaVersion: content.SchemaVersion, Type: "doc",
			Blocks: []content.Block{{Type: content.Paragraph, Children: []content.Text{{Text: words}}}}}
	}
	return d
}

func insertPublished(t testing.TB, tx *db.Tx, s authoring.Snapshot) {
	t.Helper()
	canonical, err := content.Canonical(s)
	if err != nil {
		t.Fatal(err)
	}
	settings, err := json.Marshal(s.Settings)
	if err != nil {
		t.Fatal(err)
	}
	unit, err := tx.HomeOrgUnit()
	if err != nil {
		t.Fatal(err)
	}
	_, err = tx.Exec(t.Context(), `
		with frozen as (
			insert into version_snapshots (tenant_id, hash, org_unit_id, content, created_at) values ($1, $2, $3, $4::jsonb, $5)
		), evaluation as (
			insert into evaluations (tenant_id, id, org_unit_id, title, status, published_id, created_at, updated_at)
			values ($1, $7, $3, $8, $10, $6, $5, $5)
		)
		insert into evaluation_versions (tenant_id, id, org_unit_id, evaluation_id, number, status, title, sections, settings,
			snapshot_hash, created_at, updated_at, published_at)
		values ($1, $6, $3, $7, 1, 'published', $8, '[]', $9::jsonb, $2, $5, $5, $5)`,
		tx.Tenant(), content.Hash(canonical), unit, string(canonical), tx.Now(), s.EvaluationVersionID, s.EvaluationID, s.Title,
		string(settings), models.AuthoringPublished)
	if err != nil {
		t.Fatal(err)
	}
}

// Session starts a session for the actor.
func Session(t testing.TB, tx *db.Tx, desk *session.Desk, evaluation ids.ID) session.Session {
	t.Helper()
	s, err := desk.Start(t.Context(), tx, session.StartInput{EvaluationID: evaluation})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
