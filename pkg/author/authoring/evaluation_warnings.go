package authoring

import (
	"fmt"
	"maps"
	"slices"

	"assess/models"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/ids"
)

// warnings names things that may surprise the author who publishes a draft but do not keep
// it from being published. For each kind it names one question of a passage or a draw.
//
//	question_draft_newer     a question has a newer draft; the published version is shown
//	passage_draft_newer      a passage has a newer draft
//	passage_version_differs  a question pinned another version of its passage than the one that
//	                         it is shown with, the newest
//	passage_version_newer    a question is shown with the version of its passage that it pinned,
//	                         and a newer one is published
//	asset_version_newer      an asset has a newer version than the one that is shown
//	asset_version_differs    something was published with an older version of an asset than the
//	                         one that the evaluation shows
//	question_left_out        an archived question of a passage is not shown
//	locale_incomplete        a language that some have, and not all
//	uneven_draw              the questions of a draw earn differently, so sessions do
//	weight_without_effect    the weight of an item none of whose questions counts for the score
//	nothing_to_earn          no question counts for the score
func (v EvaluationVersion) warnings(b bank) problems {
	w := warner{bank: b, speaking: map[string]int{}}
	for i, section := range v.Sections {
		for j, item := range section.Items {
			w.item(element(element("", "sections", i), "items", j), item)
		}
	}
	w.localesOfAll()
	w.addIf(w.shown > 0 && !w.earns, "sections", "nothing_to_earn", "no question counts for the score")
	return w.problems
}

// warner goes through a draft. shown counts questions and passages; speaking counts by
// language the questions and passages that have all of it, and names the languages that
// any of them has.
type warner struct {
	problems
	bank
	shown    int
	speaking map[string]int
	earns    bool
}

func (w *warner) item(path string, item Item) {
	var found problems
	if item.PassageID != ids.None {
		found = w.passage(item)
	}
	earning := map[float64]bool{}
	for _, id := range w.questionsOf(item) {
		version, published := w.versions[id]
		if !published {
			continue // a problem
		}
		found = append(found, w.question(item, id, version)...)
		earning[version.earns(item.Weight)] = true
		w.earns = w.earns || version.ContributesToScore
		w.count(version.documents())
	}
	for i := range found {
		found[i].Path = member(path, found[i].Path)
	}
	w.problems = append(w.problems, found.firstOfEach()...)
	w.addIf(item.Draw != nil && len(earning) > 1, path+".draw", "uneven_draw",
		"the questions that can be drawn earn differently, so what a session can earn depends on the draw")
	w.addIf(item.Weight != nil && len(earning) == 1 && earning[0], path+".weight", "weight_without_effect",
		"the questions of the item do not count for the score")
}

// earns gives the points of full credit, with the weight of the item if it has one.
func (v QuestionVersion) earns(weight *float64) float64 {
	if !v.ContributesToScore {
		return 0
	}
	full := v.Weight
	set(&full, weight)
	return full
}

// question gives the warnings for one question of an item. Paths are within the item.
func (w *warner) question(item Item, id ids.ID, version QuestionVersion) problems {
	var p problems
	at, what := "questionId", "the question"
	switch {
	case item.Draw != nil:
		at, what = "draw", "question "+id.String()
	case item.PassageID != ids.None:
		at, what = "passageId", "question "+id.String()
	}
	p.addIf(w.newer.drafts[id], at, "question_draft_newer",
		fmt.Sprintf("%s has a newer draft; version %d is shown", what, version.Number))
	w.passageOfQuestion(&p, at, what, item, version)
	w.assetsOf(&p, at, what, version.ID)
	return p
}

// passageOfQuestion compares the passage version that a question pinned with the one that it
// is shown with, and with the newest.
func (w *warner) passageOfQuestion(p *problems, at, what string, item Item, version QuestionVersion) {
	if version.PassageVersionID == nil {
		return
	}
	pinned := w.pinned[*version.PassageVersionID]
	now, published := w.newer.passages[pinned.PassageID]
	if !published || now.published == *version.PassageVersionID {
		return
	}
	if item.PassageID == pinned.PassageID {
		p.add(at, "passage_version_differs", fmt.Sprintf("%s was published with version %d of the passage and is shown with version %d",
			what, pinned.Number, now.number))
		return
	}
	p.add(at, "passage_version_newer", fmt.Sprintf("%s is shown with version %d of its passage, and version %d is published; publish the question anew",
		what, pinned.Number, now.number))
}

// passage gives the warnings for the passage of an item. Paths are within the item.
func (w *warner) passage(item Item) problems {
	var p problems
	passage := w.passages[item.PassageID]
	if passage.published == nil || passage.status == models.AuthoringArchived {
		return nil
	}
	for _, id := range passage.questions {
		p.addIf(w.status[id] == models.AuthoringArchived, "passageId", "question_left_out", "question "+id.String()+" is archived and not shown")
	}
	now := w.newer.passages[item.PassageID]
	p.addIf(now.hasDraft, "passageId", "passage_draft_newer", fmt.Sprintf("the passage has a newer draft; version %d is shown", now.number))
	w.assetsOf(&p, "passageId", "the passage", *passage.published)
	w.count([]content.Document{w.pinned[*passage.published].Content})
	return p
}

// assetsOf compares the assets that a version pinned with the assets that are shown and
// with the current ones.
func (w *warner) assetsOf(p *problems, at, what string, version ids.ID) {
	pins := w.newer.pins[version]
	for _, asset := range slices.SortedFunc(maps.Keys(pins), func(a, b ids.ID) int { return slices.Compare(a[:], b[:]) }) {
		pinned, shown := pins[asset], w.assets[asset]
		p.addIf(pinned != shown, at, "asset_version_differs", what+" was published with an older version of asset "+asset.String()+" than the one that is shown")
		current, known := w.newer.current[asset]
		p.addIf(known && current != shown, at, "asset_version_newer", what+" shows asset "+asset.String()+", which has a newer version; publish it anew")
	}
}

// count counts a question or a passage for each language that all of its documents have.
func (w *warner) count(documents []content.Document) {
	w.shown++
	for _, d := range documents {
		for locale := range d.Locales {
			w.speaking[locale] += 0 // known from now on, however few have it
		}
	}
	for locale := range documents[0].Locales {
		lacking := slices.ContainsFunc(documents, func(d content.Document) bool {
			_, has := d.Locales[locale]
			return !has
		})
		if !lacking {
			w.speaking[locale]++
		}
	}
}

// localesOfAll warns of languages in which only part of a session is shown.
func (w *warner) localesOfAll() {
	for _, locale := range slices.Sorted(maps.Keys(w.speaking)) {
		w.addIf(w.speaking[locale] < w.shown, "sections", "locale_incomplete",
			fmt.Sprintf("%d of %d questions and passages are whole in %s; the others fall back to another language", w.speaking[locale], w.shown, locale))
	}
}
