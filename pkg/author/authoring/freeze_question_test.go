package authoring_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// asset writes an image with the given number of versions bypassing the operations.
func (b bench) asset(t *testing.T, versions int) (ids.ID, ids.ID) {
	t.Helper()
	asset, current := ids.New(), ids.None
	sample.Write(t, b.Store, b.scope, func(tx *db.Tx) error {
		sha := strings.ReplaceAll(ids.New().String()+ids.New().String(), "-", "")
		_, err := tx.Exec(t.Context(), "insert into media_blobs (tenant_id, sha256, touched_at) values ($1, $2, now())", tx.Tenant(), sha)
		if err != nil {
			return err
		}
		all := make([]ids.ID, versions)
		for i := range all {
			all[i] = ids.New()
		}
		current = all[versions-1]
		_, err = tx.Exec(t.Context(), `insert into assets (tenant_id, id, org_unit_id, name, name_key, media_type, current_id, created_at, updated_at)
			values ($1, $2, $3, 'a.png', 'a.png', 'image/png', $4, now(), now())`, tx.Tenant(), asset, b.scope.OrgUnit, current)
		if err != nil {
			return err
		}
		_, err = tx.Exec(t.Context(), `insert into asset_versions (tenant_id, id, org_unit_id, asset_id, number, media_type, size_bytes, sha256, created_at)
			select $1, v.id, $2, $3, v.n, 'image/png', 1, $4, now() from unnest($5::uuid[]) with ordinality as v (id, n) returning true`,
			tx.Tenant(), b.scope.OrgUnit, asset, sha, all)
		return err
	})
	return asset, current
}

// image is a document that shows an asset.
func image(asset ids.ID) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"defaultLocale":"en","locales":{"en":{"schemaVersion":%q,"type":"doc","blocks":[
		{"type":"image","assetId":%q,"alt":"A leaf"}]}}}`, content.SchemaVersion, asset))
}

func TestPublishFreezesEverythingThatAQuestionShows(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	leaf, leafNow := b.asset(t, 2)
	root, rootNow := b.asset(t, 1)
	in := sample.QuestionInput("A")
	in.Stem, in.Options[1].Content, in.Explanation = image(leaf), image(root), image(leaf)
	q := must(t, b, authoring.CreateQuestion, in)
	if q.Draft.AssetVersions != nil || q.Draft.PassageVersionID != nil {
		t.Errorf("a draft pins %+v", q.Draft)
	}
	p := b.passage(t, true)
	must(t, b, b.setQuestions(p.ID), []ids.ID{q.ID})
	q = must(t, b, authoring.PublishQuestion, q.ID)
	got := must(t, b, authoring.GetQuestionVersion, authoring.VersionInput{ID: q.ID, VersionID: q.Published.ID})
	if diff := cmp.Diff(map[string]ids.ID{leaf.String(): leafNow, root.String(): rootNow}, got.AssetVersions); diff != "" {
		t.Errorf("assets (-want +got):\n%s", diff)
	}
	if got.PassageVersionID == nil || *got.PassageVersionID != p.Published.ID {
		t.Errorf("passage: got %v, want %s", got.PassageVersionID, p.Published.ID)
	}
	if got.CanonicalScheme != "rfc8785" || got.HashScheme != "sha-256" || len(got.ContentHash) != 64 {
		t.Errorf("got %q %q %q", got.CanonicalScheme, got.HashScheme, got.ContentHash)
	}
	want := map[string]authoring.Extract{
		"en": {Stem: "A leaf", Options: map[string]string{"A": "Option A", "B": "A leaf", "C": "Option C", "D": "Option D"}, Explanation: "A leaf"},
		"de": {Options: map[string]string{"A": "Wahl A", "C": "Wahl C", "D": "Wahl D"}},
	}
	if diff := cmp.Diff(want, got.Extracts); diff != "" {
		t.Errorf("extracts (-want +got):\n%s", diff)
	}
	// A later version of the passage does not change the pin.
	must(t, b, authoring.CreatePassageVersion, p.ID)
	must(t, b, sample.PublishPassage, p.ID)
	if again := must(t, b, authoring.GetQuestion, q.ID); *again.Published.PassageVersionID != p.Published.ID {
		t.Error("the pin moved")
	}
}

func TestImagesMustBeKnownAssets(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	stranger := bench{b.Store, sample.Tenant(t, b.Store)}
	theirs, _ := stranger.asset(t, 1)
	in := sample.QuestionInput("A")
	in.Stem, in.Options[2].Content, in.Explanation = image(ids.New()), image(theirs), image(ids.New())
	_, err := write(t, b, authoring.CreateQuestion, in)
	want := []string{"stem.locales.en.blocks[0].assetId unknown_asset", "options[2].content.locales.en.blocks[0].assetId unknown_asset",
		"explanation.locales.en.blocks[0].assetId unknown_asset"}
	wantFields(t, err, errs.ValidationFailed, want...)
	for i := range want {
		want[i] = "questions[0]." + want[i]
	}
	_, err = write(t, b, sample.UpsertQuestions, []authoring.QuestionInput{in})
	wantFields(t, err, errs.ValidationFailed, want...)
	_, err = write(t, b, authoring.CreatePassage, authoring.PassageInput{Title: "T", Content: image(theirs)})
	wantFields(t, err, errs.ValidationFailed, "content.locales.en.blocks[0].assetId unknown_asset")
}

func TestPublishRefusesAnAssetThatIsGone(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	leaf, _ := b.asset(t, 1)
	in := sample.QuestionInput("A")
	in.Stem = image(leaf)
	q := must(t, b, authoring.CreateQuestion, in)
	p := must(t, b, authoring.CreatePassage, authoring.PassageInput{Title: "T", Content: image(leaf)})
	if err := b.exec(t, "delete from assets where id = $1", leaf); err != nil {
		t.Fatal(err)
	}
	_, err := write(t, b, authoring.PublishQuestion, q.ID)
	wantFields(t, err, errs.PublishBlocked, "stem.locales.en.blocks[0].assetId unknown_asset")
	_, err = write(t, b, sample.PublishPassage, p.ID)
	wantFields(t, err, errs.PublishBlocked, "content.locales.en.blocks[0].assetId unknown_asset")
}

func TestPublishWantsThePassagePublished(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p, q := b.passage(t, false), b.question(t, false, "A")
	must(t, b, b.setQuestions(p.ID), []ids.ID{q.ID})
	_, err := write(t, b, authoring.PublishQuestion, q.ID)
	wantFields(t, err, errs.PublishBlocked, "passageId passage_not_published")
	_, err = write(t, b, authoring.PublishQuestions, []ids.ID{b.question(t, false, "A").ID, q.ID})
	wantFields(t, err, errs.PublishBlocked, "questions[1].passageId passage_not_published")
	must(t, b, sample.PublishPassage, p.ID)
	b.archive(t, "passages", p.ID)
	_, err = write(t, b, authoring.PublishQuestion, q.ID)
	wantFields(t, err, errs.PublishBlocked, "passageId archived")
}

func TestTenantLanguagesHoldForQuestionsAndPassages(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	kept := b.question(t, false, "A")
	err := b.exec(t, `insert into tenant_locales (tenant_id, tag, is_default, is_required, position, updated_at)
		values ($1, 'en', true, true, 0, now()), ($1, 'fr', false, true, 1, now())`, b.scope.Tenant)
	if err != nil {
		t.Fatal(err)
	}
	_, err = write(t, b, authoring.CreatePassage, sample.PassageInput())
	wantFields(t, err, errs.ValidationFailed, "content.locales.de locale_not_enabled")
	must(t, b, b.updateQuestion(kept.ID), authoring.QuestionPatch{Weight: ref(2.0)})
	_, err = write(t, b, authoring.PublishQuestion, kept.ID)
	var got []string
	for _, f := range errs.Of(err).Fields {
		got = append(got, f.Path+" "+f.Code)
	}
	slices.Sort(got)
	want := []string{"options[0].content missing_locale", "options[1].content missing_locale", "options[2].content missing_locale",
		"options[3].content missing_locale", "stem missing_locale"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestPublishedVersionsNeitherChangeNorGo(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	q, p := b.question(t, true, "A"), b.passage(t, true)
	e := must(t, b, authoring.PublishEvaluation, must(t, b, authoring.CreateEvaluation, sample.EvaluationInput(b.question(t, true, "A").ID)).ID)
	for sql, id := range map[string]ids.ID{
		"update question_versions set term_ids = array[id] where id = $1":                q.Published.ID,
		`update question_versions set pins = '{"assetVersions":{}}' where id = $1`:       q.Published.ID,
		"update question_versions set extracts = '{}' where id = $1":                     q.Published.ID,
		"update question_versions set content_hash = '' where id = $1":                   q.Published.ID,
		"update question_versions set status = 'draft' where id = $1":                    q.Published.ID,
		"delete from question_versions where id = $1":                                    q.Published.ID,
		"update passage_versions set body = '{}' where id = $1":                          p.Published.ID,
		"update passage_versions set pins = '{}', published_at = now() where id = $1":    p.Published.ID,
		"delete from passage_versions where id = $1":                                     p.Published.ID,
		"delete from evaluation_versions where id = $1":                                  e.Published.ID,
		"update evaluation_versions set term_ids = array[id], settings='{}' where id=$1": e.Published.ID,
	} {
		if err := b.exec(t, sql, id); !errIs(err, errs.VersionImmutable) {
			t.Errorf("%s: got %v", sql, err)
		}
	}
	for sql, id := range map[string]ids.ID{"delete from questions where id = $1": q.ID, "delete from passages where id = $1": p.ID} {
		if err := b.exec(t, sql, id); err != nil {
			t.Errorf("%s: got %v", sql, err)
		}
	}
}

func errIs(err error, code errs.Code) bool { return err != nil && errs.Of(err).Code == code }

// flags gives the terms of a question: n for the newest version, p for the published one.
func (b bench) flags(t *testing.T, question ids.ID) map[ids.ID]string {
	t.Helper()
	got := map[ids.ID]string{}
	sample.Write(t, b.Store, b.scope, func(tx *db.Tx) error {
		rows, err := tx.Query(t.Context(), `select term_id, case when is_newest then 'n' else '' end || case when is_published then 'p' else '' end
			from question_terms where tenant_id = $1 and question_id = $2`, tx.Tenant(), question)
		if err != nil {
			return err
		}
		var term ids.ID
		var flag string
		_, err = pgx.ForEachRow(rows, []any{&term, &flag}, func() error { got[term] = flag; return nil })
		return err
	})
	return got
}

func TestTermsFollowTheNewestAndThePublishedVersion(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var one, two, three ids.ID
	sample.Write(t, b.Store, b.scope, func(tx *db.Tx) error {
		one, two, three = sample.Term(t, tx, "topic", "one"), sample.Term(t, tx, "topic", "two"), sample.Term(t, tx, "topic", "three")
		return nil
	})
	in := sample.QuestionInput("A")
	in.TaxonomyTermIDs = []ids.ID{one, two}
	q := must(t, b, authoring.CreateQuestion, in)
	check := func(step string, want map[ids.ID]string) {
		t.Helper()
		if diff := cmp.Diff(want, b.flags(t, q.ID)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step, diff)
		}
	}
	check("draft", map[ids.ID]string{one: "n", two: "n"})
	must(t, b, authoring.PublishQuestion, q.ID)
	check("published", map[ids.ID]string{one: "np", two: "np"})
	must(t, b, b.updateQuestion(q.ID), authoring.QuestionPatch{TaxonomyTermIDs: &[]ids.ID{two, three}})
	check("draft beside it", map[ids.ID]string{one: "p", two: "np", three: "n"})
	must(t, b, b.updateQuestion(q.ID), authoring.QuestionPatch{TaxonomyTermIDs: &[]ids.ID{one}})
	check("draft changed", map[ids.ID]string{one: "np", two: "p"})
	must(t, b, authoring.PublishQuestions, []ids.ID{q.ID})
	check("published again", map[ids.ID]string{one: "np"})
}

func TestANewDraftFollowsMergedTerms(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var old, survivor ids.ID
	sample.Write(t, b.Store, b.scope, func(tx *db.Tx) error {
		old, survivor = sample.Term(t, tx, "topic", "old"), sample.Term(t, tx, "topic", "survivor")
		return nil
	})
	in := sample.QuestionInput("A")
	in.TaxonomyTermIDs = []ids.ID{old, survivor}
	q := must(t, b, authoring.CreateQuestion, in)
	must(t, b, authoring.PublishQuestion, q.ID)
	if err := b.exec(t, "update terms set retired_at = now(), merged_into = $2 where id = $1", old, survivor); err != nil {
		t.Fatal(err)
	}
	got := must(t, b, authoring.CreateQuestionVersion, q.ID)
	if diff := cmp.Diff([]ids.ID{survivor}, got.Draft.TaxonomyTermIDs); diff != "" {
		t.Errorf("draft (-want +got):\n%s", diff)
	}
	if len(got.Published.TaxonomyTermIDs) != 2 {
		t.Errorf("the published version has %v", got.Published.TaxonomyTermIDs)
	}
}

func TestListsKnowTheNewestTypeAndSurveyMark(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	q := b.question(t, true, "A")
	must(t, b, b.updateQuestion(q.ID), authoring.QuestionPatch{QType: ref(scoring.Essay), Options: ref([]authoring.OptionInput{}),
		Scoring: &authoring.QuestionScoring{}, ContributesToScore: ref(false)})
	for _, test := range []struct {
		name   string
		filter authoring.QuestionFilter
		want   int
	}{
		{"new type", authoring.QuestionFilter{QType: "essay"}, 1},
		{"old type", authoring.QuestionFilter{QType: "mcq"}, 0},
		{"survey", authoring.QuestionFilter{ContributesToScore: ref(false)}, 1},
		{"scored", authoring.QuestionFilter{ContributesToScore: ref(true)}, 0},
	} {
		list := must(t, b, authoring.ListQuestions, test.filter)
		if list.Total != test.want {
			t.Errorf("%s: got %d, want %d", test.name, list.Total, test.want)
		}
		if list.Total == 1 && (list.Items[0].QType != "essay" || list.Items[0].ContributesToScore) {
			t.Errorf("%s: got %+v", test.name, list.Items[0])
		}
	}
}

func TestVersionsAreReadAsTheyWere(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	q := b.question(t, true, "A")
	must(t, b, b.updateQuestion(q.ID), authoring.QuestionPatch{Weight: ref(5.0)})
	must(t, b, authoring.PublishQuestion, q.ID)
	must(t, b, b.updateQuestion(q.ID), authoring.QuestionPatch{Weight: ref(7.0)})
	list := must(t, b, authoring.ListQuestionVersions, authoring.ListVersionsInput{ID: q.ID})
	var weights []float64
	for _, v := range list.Items {
		one := must(t, b, authoring.GetQuestionVersion, authoring.VersionInput{ID: q.ID, VersionID: v.ID})
		weights = append(weights, one.Weight)
		if one.Number != v.Number || one.Status != v.Status || one.QuestionID != q.ID {
			t.Errorf("list says %+v, version %+v", v, one.QuestionVersion)
		}
	}
	if diff := cmp.Diff([]float64{7, 5, 1}, weights); diff != "" || list.Total != 3 {
		t.Errorf("weights (-want +got):\n%s", diff)
	}
	_, err := write(t, b, authoring.GetQuestionVersion, authoring.VersionInput{ID: b.question(t, false, "A").ID, VersionID: q.Published.ID})
	wantCode(t, err, errs.NotFound)
	for name, other := range strangers(t, b) {
		_, err := write(t, other, authoring.GetQuestionVersion, authoring.VersionInput{ID: q.ID, VersionID: q.Published.ID})
		if !errIs(err, errs.NotFound) {
			t.Errorf("%s: got %v", name, err)
		}
		_, err = write(t, other, authoring.ListQuestionVersions, authoring.ListVersionsInput{ID: q.ID})
		if !errIs(err, errs.NotFound) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestQuestionResolvesToALanguage(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	q := b.question(t, true, "A")
	for lang, want := range map[string]string{"de-AT": "de", "de": "de", "fr": "en", "": ""} {
		got := q.In(lang)
		if got.Locale != want || got.Published.Stem.Locale != want || got.Published.Options[0].Content.Locale != want || (lang == "") == (got.Published.Stem.Locales == nil) {
			t.Errorf("%q: got %+v", lang, got)
		}
	}
}
