package pack

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"assess/pkg/author/authoring"
	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// use reads a content as the kind that a line says, and gives it in the form in which it is stored.
type use func(raw []byte) (stored, error)

// manifestText is manifest.json.
type manifestText struct {
	Assets      []assetLine      `json:"assets"`
	Evaluations []evaluationLine `json:"evaluations"`
	Format      string           `json:"format"`
	Items       []itemLine       `json:"items"`
	Passages    []passageLine    `json:"passages"`
	Questions   []questionLine   `json:"questions"`
	Terms       []termLine       `json:"terms"`
}

// index has the names in the lines of a manifest, to compare them with each other.
type index struct {
	assets, terms map[string]bool
	questions     map[ids.ID]questionLine
	passages      map[ids.ID]passageLine
	evaluations   map[ids.ID]evaluationLine
	numbers       map[string]bool
}

// readManifest reads the manifest that the envelope names, and checks that its lines fit together.
func (f *File) readManifest() error {
	raw, err := f.read(manifestFile, maxManifest)
	if err != nil {
		return err
	}
	if content.Hash(raw) != f.ManifestHash {
		return damaged("The manifest is not the one that was signed.")
	}
	var text manifestText
	if !strict(raw, &text) || text.Format != Format {
		return damaged("The manifest has not the form %s.", Format)
	}
	f.manifest, f.uses = manifest{}, map[string][]use{}
	err = f.index(text)
	if err != nil {
		return err
	}
	written := f.manifest
	written.sort()
	if !bytes.Equal(written.canonical(), raw) {
		return damaged("The manifest is not in its canonical form.")
	}
	return nil
}

// index adds the lines, beginning with the ones that others name.
func (f *File) index(text manifestText) error {
	x := index{map[string]bool{}, map[string]bool{}, map[ids.ID]questionLine{}, map[ids.ID]passageLine{}, map[ids.ID]evaluationLine{}, map[string]bool{}}
	for _, a := range text.Assets {
		_, err := assetID(a.SHA256)
		if err != nil || x.assets[a.SHA256] || len(errs.Line("name", a.Name, maxName, true)) > 0 {
			return damaged("The manifest names the file %s wrongly, or twice.", clip(a.SHA256))
		}
		x.assets[a.SHA256] = true
		err = f.add(newEntry(kindAsset, a.SHA256, a))
		if err != nil {
			return err
		}
	}
	for _, t := range text.Terms {
		bad := taxonomy.Slug(t.Facet) != t.Facet || taxonomy.Slug(t.Slug) != t.Slug || t.Facet == "" || t.Slug == "" || taxonomy.Slug(t.Parent) != t.Parent ||
			len(errs.Line("label", t.Label, maxName, true)) > 0 || len(errs.Line("facetLabel", t.FacetLabel, maxName, true)) > 0
		if bad || x.terms[t.ref()] {
			return damaged("The manifest names the term %s wrongly, or twice.", clip(t.ref()))
		}
		x.terms[t.ref()] = true
		err := f.add(newEntry(kindTerm, t.ref(), t))
		if err != nil {
			return err
		}
	}
	for _, t := range text.Terms {
		if t.Parent != "" && !x.terms[termLine{Facet: t.Facet, Slug: t.Parent}.ref()] {
			return damaged("The manifest puts the term %s below one that it does not have.", clip(t.ref()))
		}
	}
	for _, step := range []func(manifestText, index) error{f.indexPassages, f.indexQuestions, f.indexEvaluations, f.indexItems} {
		err := step(text, x)
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *File) add(e entry, err error) error {
	if err != nil {
		return damaged("The manifest has a line that has no canonical form.")
	}
	f.manifest[e.kind] = append(f.manifest[e.kind], e)
	return nil
}

// maxNumber is the highest number of a version, a revision or a place that a file may name.
const maxNumber = 1_000_000

// once says whether a line names a version of a record for the first time, and records it.
func (x index) once(kind string, record, version ids.ID, number int, externalID string) bool {
	name, place := kind+version.String(), fmt.Sprintf("%s%s %d", kind, record, number)
	bad := record == ids.None || version == ids.None || number < 1 || number > maxNumber || x.numbers[name] || x.numbers[place] ||
		len(errs.Line("externalId", externalID, maxName, false)) > 0
	x.numbers[name], x.numbers[place] = true, true
	return !bad
}

func (x index) shows(assets []string) (map[ids.ID]ids.ID, bool) {
	others := map[ids.ID]ids.ID{}
	for _, sha256 := range assets {
		id, err := assetID(sha256)
		if err != nil || !x.assets[sha256] {
			return nil, false
		}
		others[id] = id
	}
	return others, true
}

func (f *File) indexPassages(text manifestText, x index) error {
	for _, l := range text.Passages {
		others, isFine := x.shows(l.Assets)
		if !x.once(kindPassage, l.PassageID, l.PassageVersionID, l.Number, l.ExternalID) || !isFine {
			return damaged("The manifest names the passage version %s wrongly, or twice.", l.PassageVersionID)
		}
		x.passages[l.PassageVersionID] = l
		f.uses[l.ContentHash] = append(f.uses[l.ContentHash], func(raw []byte) (stored, error) {
			said, found, err := authoring.ReadPassage(l.Title, raw)
			if err != nil || len(found) > 0 {
				return stored{}, notReadable("passage", l.PassageVersionID, found)
			}
			_, err = withAssets(raw, others)
			if err != nil {
				return stored{}, damaged("The passage version %s shows a file that it does not name.", l.PassageVersionID)
			}
			return storedBody(said), nil
		})
		e, err := newEntry(kindPassage, l.PassageVersionID.String(), l)
		err = f.add(e.of(l.PassageID, l.Number, l.ContentHash), err)
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *File) indexQuestions(text manifestText, x index) error {
	for _, l := range text.Questions {
		others, isFine := x.shows(l.Assets)
		_, hasPassage := x.passages[orNone(l.PassageVersionID)]
		if !x.once(kindQuestion, l.QuestionID, l.QuestionVersionID, l.Number, l.ExternalID) || !isFine || l.PassageVersionID != nil && !hasPassage || l.Place < 0 || l.Place > maxNumber ||
			slices.ContainsFunc(l.Terms, func(ref string) bool { return !x.terms[ref] }) {
			return damaged("The manifest names the question version %s wrongly, or twice.", l.QuestionVersionID)
		}
		x.questions[l.QuestionVersionID] = l
		f.uses[l.ContentHash] = append(f.uses[l.ContentHash], func(raw []byte) (stored, error) {
			read := l
			one, found, err := read.read(raw)
			if err != nil || len(found) > 0 {
				return stored{}, notReadable("question", l.QuestionVersionID, found)
			}
			want, _ := content.Canonical(l)
			if !isCanonical(want, read) {
				return stored{}, damaged("The manifest does not say of the question version %s what its content says.", l.QuestionVersionID)
			}
			_, err = withAssets(raw, others)
			if err != nil {
				return stored{}, damaged("The question version %s shows a file that it does not name.", l.QuestionVersionID)
			}
			return one, nil
		})
		e, err := newEntry(kindQuestion, l.QuestionVersionID.String(), l)
		err = f.add(e.of(l.QuestionID, l.Number, l.ContentHash), err)
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *File) indexEvaluations(text manifestText, x index) error {
	for _, l := range text.Evaluations {
		if !x.once(kindEvaluation, l.EvaluationID, l.EvaluationVersionID, l.Number, l.ExternalID) {
			return damaged("The manifest names the evaluation version %s wrongly, or twice.", l.EvaluationVersionID)
		}
		x.evaluations[l.EvaluationVersionID] = l
		f.uses[l.ContentHash] = append(f.uses[l.ContentHash], func(raw []byte) (stored, error) {
			var body evaluationBody
			if !strict(raw, &body) || !isCanonical(raw, body) || body.Title != l.Title {
				return stored{}, damaged("The content of the evaluation version %s has not the form of one.", l.EvaluationVersionID)
			}
			found := body.problems(x)
			if len(found) > 0 {
				return stored{}, notReadable("evaluation", l.EvaluationVersionID, found)
			}
			return stored{hash: l.ContentHash, body: string(raw), extracts: "{}"}, nil
		})
		e, err := newEntry(kindEvaluation, l.EvaluationVersionID.String(), l)
		err = f.add(e.of(l.EvaluationID, l.Number, l.ContentHash), err)
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *File) indexItems(text manifestText, x index) error {
	if len(text.Items) == 0 || len(text.Items) > maxItems || len(text.Items) != len(text.Evaluations) {
		return damaged("A pack has 1 to %d items, one for each evaluation.", maxItems)
	}
	seen := map[ids.ID]bool{}
	for n, l := range text.Items {
		canonical, wrong := metadataOf(l.Metadata)
		said, there := x.evaluations[l.SourceEvaluationVersionID]
		if l.Pos != n || len(wrong) > 0 || canonical != string(l.Metadata) || !there || said.EvaluationID != l.SourceEvaluationID || seen[l.SourceEvaluationID] {
			return damaged("The item %d of the pack is wrong.", n)
		}
		seen[l.SourceEvaluationID] = true
		err := f.add(newEntry(kindItem, l.SourceEvaluationVersionID.String(), l))
		if err != nil {
			return err
		}
	}
	return nil
}

// problems reads an evaluation like input from an author, and compares its pins with its items.
func (b evaluationBody) problems(x index) []errs.Field {
	var p []errs.Field
	wrong := func(path string, bad bool) {
		if bad {
			p = append(p, errs.Field{Path: path, Code: "unknown_reference", Message: "the pack does not hold what is named here"})
		}
	}
	terms := func(path string, names []string) []ids.ID {
		all := make([]ids.ID, 0, len(names))
		for _, name := range names {
			wrong(path, !x.terms[name])
			all = append(all, uuid.NewSHA1(ids.None, []byte(name)))
		}
		return all
	}
	ofGroup := map[ids.ID][]bodyPin{}
	for n, pin := range b.Pins {
		_, there := x.questions[pin.QuestionVersionID]
		_, hasPassage := x.passages[orNone(pin.PassageVersionID)]
		wrong(fmt.Sprintf("pins[%d]", n), !there || pin.PassageVersionID != nil && !hasPassage)
		ofGroup[pin.GroupID] = append(ofGroup[pin.GroupID], pin)
	}
	in := authoring.EvaluationInput{Title: b.Title, Settings: b.Settings, TaxonomyTermIDs: terms("terms", b.Terms)}
	pinned := 0
	for i, section := range b.Sections {
		s := authoring.SectionInput{ID: section.ID, Title: section.Title, TimeLimitSeconds: section.TimeLimitSeconds}
		for j, item := range section.Items {
			at := fmt.Sprintf("sections[%d].items[%d]", i, j)
			one := authoring.ItemInput{ID: item.ID, QuestionID: item.QuestionID, PassageID: item.PassageID, Weight: item.Weight}
			pins := ofGroup[item.ID]
			pinned += len(pins)
			switch {
			case item.Draw != nil:
				one.Draw = &authoring.Draw{Count: item.Draw.Count, TaxonomyTermIDs: terms(at, item.Draw.Terms), ExcludeTaxonomyTermIDs: terms(at, item.Draw.Exclude)}
				wrong(at, len(pins) < item.Draw.Count)
			case item.PassageID != ids.None:
				wrong(at, len(pins) == 0 || slices.ContainsFunc(pins, func(p bodyPin) bool { return x.passages[orNone(p.PassageVersionID)].PassageID != item.PassageID }))
			default:
				wrong(at, len(pins) != 1 || x.questions[pins[0].QuestionVersionID].QuestionID != item.QuestionID)
			}
			wrong(at, item.ID == ids.None)
			s.Items = append(s.Items, one)
		}
		wrong(fmt.Sprintf("sections[%d]", i), section.ID == ids.None || len(section.Items) == 0)
		in.Sections = append(in.Sections, s)
	}
	wrong("pins", pinned != len(b.Pins) || len(b.Pins) == 0)
	return append(p, in.Problems("")...)
}

func notReadable(kind string, version ids.ID, found []errs.Field) error {
	e := errs.New(errs.PackDamaged, "The %s version %s is not as authors may write one.", kind, version)
	e.Fields = found[:min(len(found), maxListed)]
	return e
}

func orNone(id *ids.ID) ids.ID {
	if id == nil {
		return ids.None
	}
	return *id
}
