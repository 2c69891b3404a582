package intake_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/surface/intake"
)

// authored has everything that can be done with one kind of record.
type authored[In, Patch, Record any] struct {
	create         func(context.Context, *db.Tx, In) (Record, error)
	get            func(context.Context, *db.Tx, ids.ID) (Record, error)
	update         func(context.Context, *db.Tx, ids.ID, Patch) (Record, error)
	begin, publish func(context.Context, *db.Tx, ids.ID) (Record, error)
	version        func(context.Context, *db.Tx, authoring.VersionInput) (any, error)
	upsert         func(context.Context, *db.Tx, []In) ([]authoring.Upserted, error)
	shown          func(Record) any
	export         exporter
	commit         committer
	// frozen gives a published record in the snapshot of an evaluation, in the words of its
	// input, and the same as it is shown.
	frozen map[string]func(bench, ids.ID) any
	// missing names the fields that a snapshot leaves out, each with the reason.
	missing map[string]string
}

// keeps takes a record through all that can happen to it: the first version, and the second,
// which differs in every field, must come back from each station as they were sent.
func (a authored[In, Patch, Record]) keeps(b bench, first, second map[string]any) {
	var id ids.ID
	step := func(station string, sent map[string]any, version string, missing map[string]string, do func(tx *db.Tx) (any, error)) {
		b.Helper()
		got := run(b, station, do)
		record, _ := plain(got).(map[string]any)
		holds(b.T, station, sent, joined(record, record[version]), missing)
	}
	patch := func(sent map[string]any) func(tx *db.Tx) (any, error) {
		return func(tx *db.Tx) (any, error) {
			return a.update(b.Context(), tx, id, as[Patch](b.T, "the patch", sent))
		}
	}
	get := func(tx *db.Tx) (any, error) { return a.get(b.Context(), tx, id) }

	step("create", first, "draft", nil, func(tx *db.Tx) (any, error) {
		made, err := a.create(b.Context(), tx, as[In](b.T, "the input", first))
		id = idOf(made)
		return made, err
	})
	step("get", first, "draft", nil, get)
	step("show", first, "draft", nil, func(tx *db.Tx) (any, error) {
		record, err := a.get(b.Context(), tx, id)
		return a.shown(record), err
	})
	step("patch", second, "draft", nil, patch(second))
	step("patch back", first, "draft", nil, patch(first))
	step("publish", first, "published", nil, func(tx *db.Tx) (any, error) { return a.publish(b.Context(), tx, id) })
	published := member(run(b, "get", get), "published", "id")
	step("read a version", first, "", map[string]string{"externalId": "it belongs to the record"}, func(tx *db.Tx) (any, error) {
		version, err := ids.Parse("", published)
		if err != nil {
			return nil, err
		}
		return a.version(b.Context(), tx, authoring.VersionInput{ID: id, VersionID: version})
	})
	for name, read := range a.frozen {
		holds(b.T, name, first, read(b, id), a.missing)
	}
	step("begin a version", first, "draft", nil, func(tx *db.Tx) (any, error) { return a.begin(b.Context(), tx, id) })

	file := b.export(a.export, intake.Export{})
	second["externalId"] = first["externalId"]
	step("patch the second version", second, "draft", nil, patch(second))
	imported, err := b.commit(a.commit, intake.Input{Data: []byte(file)})
	want(b.T, err, "")
	if imported.Changed == 0 {
		b.Errorf("import of what the second version changed: %s", counts(imported))
	}
	step("import of an export", first, "draft", nil, get)
	a.notices(b, first, second)
}

// notices: an upsert that changes only one field changes the record.
func (a authored[In, Patch, Record]) notices(b bench, first, second map[string]any) {
	for name := range first {
		if name == "externalId" || name == "qtype" {
			continue
		}
		changed := maps.Clone(first)
		changed[name] = second[name]
		got := run(b, "upsert of "+name, func(tx *db.Tx) ([]authoring.Upserted, error) {
			_, err := a.upsert(b.Context(), tx, []In{as[In](b.T, "the input", first)})
			if err != nil {
				return nil, err
			}
			return a.upsert(b.Context(), tx, []In{as[In](b.T, "the input", changed)})
		})
		if len(got) == 1 && got[0].Change != authoring.Changed {
			b.Errorf("%s is lost at upsert: with another one the record is %s", name, got[0].Change)
		}
	}
}

// run runs one operation in a transaction of its own, which must succeed.
func run[T any](b bench, station string, do func(tx *db.Tx) (T, error)) T {
	b.Helper()
	var out T
	err := b.store.Write(b.Context(), b.scope, func(tx *db.Tx) error {
		var err error
		out, err = do(tx)
		return err
	})
	if err != nil {
		b.Fatalf("%s: %v", station, err)
	}
	return out
}

// member reads a word within the JSON of a value.
func member(value any, path ...string) string {
	at := plain(value)
	for _, name := range path {
		object, _ := at.(map[string]any)
		at = object[name]
	}
	word, _ := at.(string)
	return word
}

func idOf(record any) ids.ID {
	id, _ := ids.Parse("", member(record, "id"))
	return id
}

// versionOf gives an operation that reads versions the type that all have here.
func versionOf[V any](read func(context.Context, *db.Tx, authoring.VersionInput) (V, error)) func(context.Context, *db.Tx, authoring.VersionInput) (any, error) {
	return func(ctx context.Context, tx *db.Tx, in authoring.VersionInput) (any, error) { return read(ctx, tx, in) }
}

var questionsKept = authored[authoring.QuestionInput, authoring.QuestionPatch, authoring.Question]{
	create: authoring.CreateQuestion, get: authoring.GetQuestion, update: authoring.UpdateQuestion, begin: authoring.CreateQuestionVersion,
	publish: authoring.PublishQuestion, version: versionOf(authoring.GetQuestionVersion), upsert: sample.UpsertQuestions,
	shown:  func(q authoring.Question) any { return q.In("") },
	export: intake.ExportQuestions, commit: intake.CommitQuestions,
	frozen: map[string]func(bench, ids.ID) any{
		"snapshot": func(b bench, question ids.ID) any {
			s := b.published(authoring.ItemInput{QuestionID: question})
			return frozenQuestion(s, s.Questions)
		},
		"snapshot as it is shown": func(b bench, question ids.ID) any {
			s := b.published(authoring.ItemInput{QuestionID: question})
			return frozenQuestion(s, s.In("").Questions)
		},
	},
	missing: map[string]string{"externalId": "a snapshot knows questions by their ids"},
}

// frozenQuestion puts a question together from its two places in a snapshot.
func frozenQuestion[Q any](s authoring.Snapshot, questions map[string]Q) any {
	item := s.Sections[0].Items[0]
	key := joined(item.Key)
	scoring := joined(key, map[string]any{"acceptedAnswers": key["accepted"]})
	return joined(questions[item.QuestionVersionID.String()], key, questions[item.QuestionVersionID.String()], map[string]any{"scoring": scoring})
}

// published gives the snapshot of an evaluation of one item.
func (b bench) published(item authoring.ItemInput) authoring.Snapshot {
	b.Helper()
	return *run(b, "publish", func(tx *db.Tx) (*authoring.Snapshot, error) {
		made, err := authoring.CreateEvaluation(b.Context(), tx, authoring.EvaluationInput{Title: "Exam",
			Sections: []authoring.SectionInput{{Title: "One", Items: []authoring.ItemInput{item}}}})
		if err != nil {
			return nil, err
		}
		done, err := authoring.PublishEvaluation(b.Context(), tx, made.ID)
		if err != nil {
			return nil, err
		}
		return authoring.LoadSnapshot(b.Context(), tx, done.Published.ID)
	})
}

// terms gives terms of the content domain, in the order in which they are kept.
func (b bench) terms(slugs ...string) []string {
	b.Helper()
	return run(b, "make terms", func(tx *db.Tx) ([]string, error) {
		var all []string
		for _, slug := range slugs {
			all = append(all, sample.Term(b.T, tx, "topic", slug).String())
		}
		return all, nil
	})
}

func TestNoFieldOfAQuestionIsLost(t *testing.T) {
	t.Parallel()
	b, f := newBench(t), newFiller(t)
	terms := b.terms("a", "b", "c")
	common := map[string]any{"options[0].id": "A", "options[1].id": "B", "options[2].id": "C", "options": length(3),
		"options[2].isCorrect": false, "taxonomyTermIds": []any{terms[0], terms[1]}}
	with := func(more ...map[string]any) map[string]any {
		rules := maps.Clone(common)
		for _, m := range more {
			maps.Copy(rules, m)
		}
		return rules
	}
	unlikeFirst := map[string]any{"taxonomyTermIds": []any{terms[2]}, "options[0].isCorrect": true, "options[1].isCorrect": false,
		"options[2].isCorrect": true}
	noOptions := map[string]any{"options": none{}, "scoring.method": none{}, "scoring.minSelections": none{}, "scoring.maxSelections": none{}}
	noAnswers := map[string]any{"scoring.acceptedAnswers": none{}}
	noNumber := map[string]any{"scoring.value": none{}, "scoring.tolerance": none{}}
	noOrder := map[string]any{"scoring.order": none{}, "prompts": none{}, "layout": none{}, "scoring.pairs": none{}, "scoring.maxPerPrompt": none{}, "scoring.maxPerOption": none{},
		"gaps": none{}, "pool": none{}, "reuse": none{}}
	inOrder := func(ids ...any) map[string]any {
		rules := maps.Clone(noOrder)
		maps.Copy(rules, map[string]any{"scoring.order": ids, "scoring.minSelections": none{}, "scoring.maxSelections": none{}, "options[].isCorrect": false, "options[].area": none{},
			"options[0].isCorrect": false, "options[1].isCorrect": false, "options[2].isCorrect": false})
		return rules
	}
	picture := b.picture(sample.PNG(8, 8))
	onPicture := func(shape string, coords ...any) map[string]any {
		stem := map[string]any{"defaultLocale": "en", "locales": map[string]any{"en": map[string]any{"schemaVersion": content.SchemaVersion, "type": content.PayloadType,
			"blocks": []any{map[string]any{"type": "image", "assetId": picture.String(), "alt": "A map " + shape}}}}}
		return map[string]any{"stem": stem, "options[0].area.shape": shape, "options[0].area.coords": coords, "options[1].area": none{}, "options[2].area": none{}}
	}
	inPairs := func(layout string, prompt, option float64, pairs ...any) map[string]any {
		rules := inOrder()
		maps.Copy(rules, map[string]any{"scoring.order": none{}, "prompts": length(2), "prompts[0].id": "p1", "prompts[1].id": "p2", "layout": layout, "scoring.pairs": pairs,
			"scoring.maxPerPrompt": prompt, "scoring.maxPerOption": option})
		return rules
	}
	inGaps := func(weight float64, choice, pool string, order ...string) map[string]any {
		rules := map[string]any{"stem": plainJSON(sample.Gapped(order...)), "options": none{}, "gaps": length(4), "pool": length(3), "gaps[].weight": weight,
			"pool[0].id": "A", "pool[1].id": "B", "pool[2].id": "C", "gaps[2].options[0].id": "A", "gaps[2].options[1].id": "B"}
		for i, kind := range []string{"text", "number", "choice", "pool"} {
			at := fmt.Sprintf("gaps[%d].", i)
			rules[at+"id"], rules[at+"kind"] = fmt.Sprintf("g%d", i+1), kind
			for field, of := range map[string]string{"acceptedAnswers": "text", "value": "number", "tolerance": "number", "options": "choice", "correctOptionIds": ""} {
				if of != kind {
					rules[at+field] = none{}
				}
			}
		}
		rules["gaps[2].correctOptionIds"], rules["gaps[3].correctOptionIds"] = []any{choice}, []any{pool}
		all := maps.Clone(noOrder)
		delete(all, "reuse")
		for _, more := range []map[string]any{noOptions, noAnswers, noNumber, rules} {
			maps.Copy(all, more)
		}
		return all
	}
	for qtype, rules := range map[string][2]map[string]any{
		"mrq": {
			with(noAnswers, noNumber, noOrder, onPicture("rect", 1.0, 2.0, 3.0, 4.0), map[string]any{"scoring.method": "partial", "scoring.minSelections": 2.0, "scoring.maxSelections": 2.0}),
			with(noAnswers, noNumber, noOrder, unlikeFirst, onPicture("circle", 5.0, 6.0, 7.0), map[string]any{"scoring.method": "all_or_nothing", "scoring.minSelections": 1.0, "scoring.maxSelections": 3.0}),
		},
		"short_text": {with(noOptions, noNumber, noOrder), with(noOptions, noNumber, noOrder, unlikeFirst)},
		"numeric":    {with(noOptions, noAnswers, noOrder), with(noOptions, noAnswers, noOrder, unlikeFirst)},
		"order": {
			with(noAnswers, noNumber, inOrder("B", "C", "A"), map[string]any{"scoring.method": "partial"}),
			with(noAnswers, noNumber, unlikeFirst, inOrder("C", "A", "B"), map[string]any{"scoring.method": "all_or_nothing"}),
		},
		"match": {
			with(noAnswers, noNumber, inPairs("grid", 2, 1, []any{"p1", "B"}, []any{"p1", "A"}, []any{"p2", "C"}), map[string]any{"scoring.method": "partial"}),
			with(noAnswers, noNumber, unlikeFirst, inPairs("list", 1, 2, []any{"p1", "A"}, []any{"p2", "A"}), map[string]any{"scoring.method": "all_or_nothing"}),
		},
		"gap": {
			with(inGaps(2, "A", "B", "g1", "g2", "g3", "g4"), map[string]any{"scoring.method": "partial"}),
			with(unlikeFirst, inGaps(3, "B", "C", "g4", "g3", "g2", "g1"), map[string]any{"scoring.method": "all_or_nothing"}),
		},
	} {
		t.Run(qtype, func(t *testing.T) {
			for i := range rules {
				rules[i]["qtype"], rules[i]["contributesToScore"] = qtype, i > 0
			}
			b := bench{t, b.store, b.scope}
			questionsKept.keeps(b, f.all(authoring.QuestionInput{}, true, rules[0]), f.all(authoring.QuestionInput{}, false, rules[1]))
		})
	}
	f.complete()
}

var passagesKept = authored[authoring.PassageInput, authoring.PassagePatch, authoring.Passage]{
	create: authoring.CreatePassage, get: getPassage, update: authoring.UpdatePassage, begin: authoring.CreatePassageVersion,
	publish: sample.PublishPassage, version: versionOf(authoring.GetPassageVersion), upsert: authoring.UpsertPassages,
	shown:  func(p authoring.Passage) any { return p },
	export: intake.ExportPassages, commit: intake.CommitPassages,
	frozen: map[string]func(bench, ids.ID) any{
		"snapshot": func(b bench, passage ids.ID) any {
			s := b.publishedPassage(passage)
			return s.Passages[s.Sections[0].Items[0].PassageVersionID.String()]
		},
		"snapshot as it is shown": func(b bench, passage ids.ID) any {
			s := b.publishedPassage(passage)
			return s.In("").Passages[s.Sections[0].Items[0].PassageVersionID.String()]
		},
	},
	missing: map[string]string{"externalId": "a snapshot knows passages by their ids"},
}

func getPassage(ctx context.Context, tx *db.Tx, id ids.ID) (authoring.Passage, error) {
	return authoring.GetPassage(ctx, tx, authoring.GetPassageInput{ID: id})
}

// publishedPassage gives the snapshot of an evaluation of a passage and a question about it.
func (b bench) publishedPassage(passage ids.ID) authoring.Snapshot {
	b.Helper()
	run(b, "put a question to the passage", func(tx *db.Tx) (any, error) {
		about := authoring.PassageQuestionsInput{QuestionIDs: []ids.ID{sample.Question(b.T, tx, "A").ID}}
		return authoring.SetPassageQuestions(b.Context(), tx, passage, about)
	})
	return b.published(authoring.ItemInput{PassageID: passage})
}

func TestNoFieldOfAPassageIsLost(t *testing.T) {
	t.Parallel()
	b, f := newBench(t), newFiller(t)
	passagesKept.keeps(b, f.all(authoring.PassageInput{}, true, nil), f.all(authoring.PassageInput{}, false, nil))
	f.complete()
}

var evaluationsKept = authored[authoring.EvaluationInput, authoring.EvaluationPatch, authoring.Evaluation]{
	create: authoring.CreateEvaluation, get: authoring.GetEvaluation, update: authoring.UpdateEvaluation, begin: authoring.CreateEvaluationVersion,
	publish: authoring.PublishEvaluation, version: versionOf(authoring.GetEvaluationVersion), upsert: authoring.UpsertEvaluations,
	shown:  func(e authoring.Evaluation) any { return e },
	export: intake.ExportEvaluations, commit: intake.CommitEvaluations,
	frozen: map[string]func(bench, ids.ID) any{
		"snapshot": func(b bench, evaluation ids.ID) any {
			s := b.snapshotOf(evaluation)
			return frozenEvaluation(s, s)
		},
		"snapshot as it is shown": func(b bench, evaluation ids.ID) any {
			s := b.snapshotOf(evaluation)
			return frozenEvaluation(s, s.In(""))
		},
	},
	missing: map[string]string{
		"externalId": "a snapshot knows the evaluation by its id",
		"sections[].items[].draw.taxonomyTermIds":        "a snapshot has the questions that carry them",
		"sections[].items[].draw.excludeTaxonomyTermIds": "a snapshot has the questions that do not carry them",
	},
}

func (b bench) snapshotOf(evaluation ids.ID) authoring.Snapshot {
	b.Helper()
	return *run(b, "load the snapshot", func(tx *db.Tx) (*authoring.Snapshot, error) {
		e, err := authoring.GetEvaluation(b.Context(), tx, evaluation)
		if err != nil {
			return nil, err
		}
		return authoring.LoadSnapshot(b.Context(), tx, e.Published.ID)
	})
}

// frozenEvaluation puts an evaluation together again as its input says it: a passage or a draw
// is a group in a snapshot, whose questions are items.
func frozenEvaluation(s authoring.Snapshot, shown any) any {
	var sections []any
	for _, section := range s.Sections {
		var items []any
		for _, item := range section.Items {
			if item.GroupID == nil {
				items = append(items, map[string]any{"id": item.ItemID, "questionId": item.QuestionID, "weight": item.Key.Weight})
			}
		}
		for _, group := range section.Groups {
			items = append(items, frozenGroup(s, section, group))
		}
		sections = append(sections, joined(section, map[string]any{"items": items}))
	}
	settings := joined(joined(shown)["settings"], map[string]any{"feedbackTagKeys": joined(shown)["feedbackTagKeys"]})
	return joined(shown, map[string]any{"sections": sections, "settings": settings, "taxonomyTermIds": joined(shown)["evaluationTaxonomyTermIds"]})
}

func frozenGroup(s authoring.Snapshot, section authoring.SnapshotSection, group authoring.SnapshotGroup) any {
	item := map[string]any{"id": group.ID, "draw": map[string]any{"count": group.Count}}
	if group.PassageVersionID != nil {
		item["passageId"] = s.Passages[group.PassageVersionID.String()].PassageID
	}
	for _, one := range section.Items {
		if one.GroupID != nil && *one.GroupID == group.ID {
			item["weight"] = one.Key.Weight
		}
	}
	return item
}

func TestNoFieldOfAnEvaluationIsLost(t *testing.T) {
	t.Parallel()
	b, f := newBench(t), newFiller(t)
	terms := b.terms("a", "b", "c", "drawn", "drawn too", "never", "never either")
	type bank struct{ question, passage ids.ID }
	made := run(b, "make questions", func(tx *db.Tx) ([]bank, error) {
		var all []bank
		for range 2 {
			all = append(all, bank{sample.Question(t, tx, "A").ID, sample.Passage(t, tx, sample.Question(t, tx, "A").ID).ID})
			for range 4 {
				q := sample.Question(t, tx, "A")
				drawn, err := authoring.SetQuestionTerms(t.Context(), tx, q.ID, authoring.TermsInput{TaxonomyTermIDs: parsed(t, terms[3:5])})
				if err != nil {
					return nil, err
				}
				_, err = authoring.PublishQuestion(t.Context(), tx, drawn.ID)
				if err != nil {
					return nil, err
				}
			}
		}
		sample.Term(t, tx, "level", "b1")
		return all, nil
	})
	rules := func(i int, more map[string]any) map[string]any {
		all := map[string]any{
			"sections": length(1), "sections[].items": length(3),
			"sections[0].items[0].passageId": none{}, "sections[0].items[0].draw": none{}, "sections[0].items[0].questionId": made[i].question.String(),
			"sections[0].items[1].questionId": none{}, "sections[0].items[1].draw": none{}, "sections[0].items[1].passageId": made[i].passage.String(),
			"sections[0].items[2].questionId": none{}, "sections[0].items[2].passageId": none{},
			"sections[].items[].draw.count":                  float64(i + 1),
			"sections[].items[].draw.taxonomyTermIds":        []any{terms[3+i]},
			"sections[].items[].draw.excludeTaxonomyTermIds": []any{terms[5+i]},
			"sections[].timeLimitSeconds":                    float64(i + 1),
			"settings.pass_mark_percent":                     float64(50 + i),
			"settings.feedbackPolicy.showScore":              i > 0,
			"settings.scoringConfig.rounding":                float64(i + 2),
			"settings.scoringConfig.negativeMarking":         0.25 * float64(i+1),
		}
		maps.Copy(all, more)
		return all
	}
	first := f.all(authoring.EvaluationInput{}, true, rules(0, map[string]any{"taxonomyTermIds": []any{terms[0], terms[1]},
		"settings.navigation": "linear", "settings.feedback_mode": "tags", "settings.review_policy": "four_eyes", "settings.verificationLevel": "L2", "settings.requiredEvidence": []any{"photo", "log"},
		"settings.lockdown.sebConfigKeys": []any{strings.Repeat("a1", 32), strings.Repeat("b2", 32)}, "settings.lockdown.sebBrowserExamKeys": []any{strings.Repeat("c3", 32)},
		"settings.scoringConfig.defaultOutcome": "fail", "settings.feedbackTagKeys": []any{"topic", "level"}}))
	second := f.all(authoring.EvaluationInput{}, false, rules(1, map[string]any{"taxonomyTermIds": []any{terms[2]},
		"settings.navigation": "free", "settings.feedback_mode": "items", "settings.review_policy": "self_approve", "settings.verificationLevel": "L3", "settings.requiredEvidence": []any{"document"},
		"settings.lockdown.sebConfigKeys": []any{strings.Repeat("d4", 32)}, "settings.lockdown.sebBrowserExamKeys": []any{strings.Repeat("e5", 32), strings.Repeat("f6", 32)},
		"settings.scoringConfig.defaultOutcome": "pass", "settings.feedbackTagKeys": []any{"topic"}}))
	evaluationsKept.keeps(b, first, second)
	f.complete()
}

func parsed(t *testing.T, words []string) []ids.ID {
	t.Helper()
	var all []ids.ID
	for _, word := range words {
		id, err := ids.Parse("", word)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, id)
	}
	return all
}
