package skill_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/skill"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// madePackage makes a CASE package of a tree of items, with much that has no place here: rubrics, definitions, other
// associations, extensions, a second parent, a code that two items share, items without an association.
func madePackage(n int) map[string]any {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	document := ids.New()
	link := func(id ids.ID) map[string]any {
		return map[string]any{"title": "x", "identifier": id, "uri": "https://example.org/uri/" + id.String()}
	}
	items, associations := []any{}, []any{}
	var identifiers []ids.ID
	depth := map[ids.ID]int{}
	associate := func(kind string, from, to ids.ID, sequence int) {
		associations = append(associations, map[string]any{"identifier": ids.New(), "associationType": kind, "sequenceNumber": sequence,
			"originNodeURI": link(from), "destinationNodeURI": link(to), "lastChangeDateTime": "2024-02-29T12:00:00+00:00", "notes": "<b>&amp;</b>"})
	}
	for i := range n {
		id := ids.New()
		item := map[string]any{"identifier": id, "uri": "https://example.org/uri/" + id.String(), "fullStatement": fmt.Sprintf("Statement %d <of> many", i),
			"lastChangeDateTime": "2024-02-29T12:00:00+00:00", "CFItemType": "Standard", "educationLevel": []string{"05", "06"},
			"extensions": map[string]any{"vendor": map[string]any{"difficulty": 1.50, "big": json.Number("12345678901234567890.10"), "nothing": nil, "deep": []any{[]any{}, map[string]any{}}}}}
		switch i % 5 {
		case 0:
			item["humanCodingScheme"] = fmt.Sprintf("M.%d", i)
		case 1:
			item["humanCodingScheme"], item["abbreviatedStatement"] = fmt.Sprintf("M.%d", i), fmt.Sprintf(" Short %d ", i)
		case 2:
			item["fullStatement"] = strings.Repeat("long ünïcode statement\n", 30) + fmt.Sprint(i)
		case 3:
			item["humanCodingScheme"] = "shared"
		}
		items, identifiers = append(items, item), append(identifiers, id)
		switch {
		case i < 5:
			associate("isChildOf", id, document, 10-i)
			depth[id] = 1
		case i%97 == 0:
			depth[id] = 1
		default:
			above := identifiers[r.IntN(i)]
			if depth[above] == skill.MaxDepth {
				above = identifiers[0]
			}
			depth[id] = depth[above] + 1
			associate("isChildOf", id, above, r.IntN(5))
		}
		if i%10 == 7 {
			associate("exactMatchOf", id, ids.New(), 1)
			associate("isChildOf", id, identifiers[0], 1)
		}
	}
	return map[string]any{
		"CFDocument": map[string]any{"identifier": document, "uri": "https://example.org/doc", "title": "Mathematics", "creator": "A school board",
			"description": "  All of it\n", "lastChangeDateTime": "2024-02-29T12:00:00+00:00", "adoptionStatus": "Adopted"},
		"CFItems": items, "CFAssociations": associations,
		"CFDefinitions": map[string]any{"CFLicenses": []any{map[string]any{"identifier": ids.New(), "title": "CC BY"}}},
		"CFRubrics":     []any{map[string]any{"identifier": ids.New(), "CFRubricCriteria": []any{}}}, "somethingNew": map[string]any{"a": 1},
	}
}

func encoded(t *testing.T, value any) []byte {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func decoded(t *testing.T, data []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		t.Fatalf("%v in %.300s", err, data)
	}
	return value
}

func take(t *testing.T, store *db.Store, scope db.Scope, in skill.ImportedFramework) skill.ImportResult {
	t.Helper()
	var done skill.ImportResult
	sample.Write(t, store, scope, func(tx *db.Tx) (err error) {
		done, err = skill.Import(t.Context(), tx, in)
		return err
	})
	return done
}

func written(t *testing.T, store *db.Store, scope db.Scope, framework ids.ID) []byte {
	t.Helper()
	var out bytes.Buffer
	err := store.Report(t.Context(), scope, func(tx *db.Tx) error { return skill.WriteCASE(t.Context(), tx, framework, &out) })
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func count(changes []string) map[string]int {
	n := map[string]int{}
	for _, c := range changes {
		n[c]++
	}
	return n
}

func TestCASEPackageGoesOutAsItCameIn(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	const n = 1_200
	data := encoded(t, madePackage(n))
	in := skill.ReadCASE(data)
	done := take(t, store, scope, in)
	if len(done.Problems) > 0 {
		t.Fatalf("problems: %v", done.Problems[:1])
	}
	if diff := cmp.Diff(map[string]int{"created": n}, count(done.Changes)); diff != "" {
		t.Fatal(diff)
	}
	if diff := cmp.Diff(decoded(t, data), decoded(t, written(t, store, scope, done.FrameworkID))); diff != "" {
		t.Fatalf("package (-in +out):\n%.2000s", diff)
	}
	again := take(t, store, scope, in)
	if diff := cmp.Diff(map[string]int{"unchanged": n}, count(again.Changes)); diff != "" || again.FrameworkID != done.FrameworkID {
		t.Fatalf("again: %s", diff)
	}
	in.Publish = true
	if published := take(t, store, scope, in); published.Published != n {
		t.Fatalf("published %d of %d", published.Published, n)
	}
	if diff := cmp.Diff(decoded(t, data), decoded(t, written(t, store, scope, done.FrameworkID))); diff != "" {
		t.Fatalf("published package (-in +out):\n%.2000s", diff)
	}
}

// The schema of a package has no CFPackageURI in its document.
func TestCASEPackageDoesNotPointAtItself(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	file := madePackage(1)
	file["CFDocument"].(map[string]any)["CFPackageURI"] = map[string]any{"uri": "https://example.org/package"}
	foreign := take(t, store, scope, skill.ReadCASE(encoded(t, file))).FrameworkID
	own := newSchool(t)
	for _, out := range [][]byte{written(t, store, scope, foreign), written(t, own.store, own.scope, own.framework())} {
		if document := decoded(t, out).(map[string]any)["CFDocument"].(map[string]any); document["CFPackageURI"] != nil || document["identifier"] == nil {
			t.Errorf("document %v", document)
		}
	}
}

func TestCASEPackageTellsWhatWasChangedHere(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	file := madePackage(60)
	done := take(t, store, scope, skill.ReadCASE(encoded(t, file)))
	var top, moved, named skill.Skill
	sample.Write(t, store, scope, func(tx *db.Tx) error {
		list, err := skill.List(t.Context(), tx, skill.Filter{FrameworkID: &done.FrameworkID, Page: db.Page{Limit: 100}})
		if err != nil {
			return err
		}
		for _, s := range list.Items {
			switch {
			case s.ParentID == nil && top.ID == ids.None:
				top = s
			case s.ParentID != nil && *s.ParentID != top.ID && moved.ID == ids.None:
				moved = s
			case s.ParentID != nil:
				named = s
			}
		}
		if _, err = skill.Update(t.Context(), tx, moved.ID, skill.Patch{ParentID: &top.ID}); err != nil {
			return err
		}
		name, description := "Renamed", "What it is about"
		if _, err = skill.Update(t.Context(), tx, named.ID, skill.Patch{Name: &name, Description: &description}); err != nil {
			return err
		}
		_, err = skill.Create(t.Context(), tx, skill.Input{Place: skill.Place{FrameworkID: &done.FrameworkID, ParentID: &moved.ID, Code: "new"},
			Content: skill.Content{Name: "Made here"}})
		return err
	})
	out := written(t, store, scope, done.FrameworkID)
	back := skill.ReadCASE(out)
	if len(back.Problems) > 0 || len(back.Skills) != 61 {
		t.Fatalf("%d skills, problems %v", len(back.Skills), back.Problems)
	}
	at := map[ids.ID]skill.ImportedSkill{}
	for _, s := range back.Skills {
		at[s.Identifier] = s
	}
	if got := *at[moved.Identifier].Parent; got != top.Identifier.String() {
		t.Errorf("moved below %s, want %s", got, top.Identifier)
	}
	if got := at[named.Identifier]; got.Name != "Renamed" || *got.Description != "What it is about" {
		t.Errorf("renamed to %q, %q", got.Name, *got.Description)
	}
	if got := back.Skills[60]; got.Name != "Made here" || *got.Code != "new" || *got.Parent != moved.Identifier.String() {
		t.Errorf("made here: %+v", got)
	}
	if !bytes.Equal(out, written(t, store, scope, done.FrameworkID)) {
		t.Error("two exports differ")
	}
	other := sample.Tenant(t, store)
	copied := take(t, store, other, back)
	if diff := cmp.Diff(decoded(t, out), decoded(t, written(t, store, other, copied.FrameworkID))); diff != "" {
		t.Errorf("in another tenant:\n%.1000s", diff)
	}
}

func problemsOf(done skill.ImportResult) []string {
	var all []string
	for _, p := range done.Problems {
		all = append(all, fmt.Sprintf("%d %s %s", p.Row, p.Path, p.Code))
	}
	slices.Sort(all)
	return all
}

func TestCASEPackageIsRefusedWithAllItsProblems(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	document, elsewhere := ids.New(), ids.New()
	var id []ids.ID
	var items []any
	for i := range 9 {
		id = append(id, ids.New())
		items = append(items, map[string]any{"identifier": id[i], "fullStatement": "S"})
	}
	items[7], items[8] = map[string]any{"identifier": "x", "fullStatement": "S"}, map[string]any{"identifier": id[0], "fullStatement": ""}
	items = append(items, map[string]any{"identifier": ids.New()}, "no item")
	below := func(child, parent ids.ID) any {
		return map[string]any{"associationType": "isChildOf", "originNodeURI": map[string]any{"identifier": child}, "destinationNodeURI": map[string]any{"identifier": parent}}
	}
	file := map[string]any{"CFDocument": map[string]any{"identifier": document}, "CFItems": items, "CFAssociations": []any{
		below(id[0], id[1]), below(id[1], id[2]), below(id[2], id[0]), below(id[3], id[0]), below(id[4], id[4]), below(id[5], elsewhere), below(elsewhere, id[5]), below(id[6], document)}}
	done := take(t, store, scope, skill.ReadCASE(encoded(t, file)))
	want := []string{"-1 CFAssociations[6].originNodeURI unknown_child", "-1 title required", "0 parent cycle", "1 parent cycle",
		"10 CFItems[10] malformed_json", "2 parent cycle", "4 parent cycle", "5 CFAssociations[5].destinationNodeURI unknown_parent",
		"7 CFItems[7].identifier invalid_id", "8 CFItems[8].identifier duplicate", "9 name required"}
	if diff := cmp.Diff(want, problemsOf(done)); diff != "" {
		t.Error(diff)
	}
	err := store.Read(t.Context(), scope, func(tx *db.Tx) error {
		list, err := skill.ListFrameworks(t.Context(), tx, db.Page{})
		if list.Total != 0 {
			t.Errorf("%d frameworks were made", list.Total)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestCASEFileThatCannotBeKeptIsRefused(t *testing.T) {
	t.Parallel()
	whole := func(extra string) string {
		return fmt.Sprintf(`{"CFDocument":{"identifier":%q,"title":"T","x":%s}}`, ids.New(), extra)
	}
	deep := strings.Repeat("[", 300) + strings.Repeat("]", 300)
	for name, test := range map[string]struct{ file, code string }{
		"fine":              {whole(`["\\u0000 \ud83d\ude00", -1.5e+12, "e1e9999"]`), ""},
		"nul":               {whole(`"\u0000"`), "invalid_text"},
		"half a character":  {whole(`"\ud83d"`), "invalid_text"},
		"other half":        {whole(`"\ude00"`), "invalid_text"},
		"half before text":  {whole(`"\ud83dx"`), "invalid_text"},
		"number too large":  {whole(`1e99999`), "invalid_text"},
		"nested too deeply": {whole(deep), "invalid_text"},
		"no UTF-8":          {whole("\"\xff\""), "invalid_utf8"},
		"no JSON":           {"{", "malformed_json"},
		"a list":            {"[]", "malformed_json"},
		"nothing":           {"null", "required"},
		"items of a kind":   {fmt.Sprintf(`{"CFDocument":{"identifier":%q,"title":"T"},"CFItems":{},"CFAssociations":1}`, ids.New()), "malformed_json"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := skill.ReadCASE([]byte(test.file))
			if (test.code == "") != (len(in.Problems) == 0) || test.code != "" && in.Problems[0].Code != test.code {
				t.Fatalf("got %v, want %q", in.Problems, test.code)
			}
			if test.code == "" {
				store := sample.Store(t)
				take(t, store, sample.Tenant(t, store), in)
			}
		})
	}
}

func rows(codes ...string) []skill.ImportedSkill {
	var all []skill.ImportedSkill
	for i, word := range codes {
		code, parent, _ := strings.Cut(word, "<")
		all = append(all, skill.ImportedSkill{Code: &code, Name: "Skill " + code, Parent: &parent, Position: i})
	}
	return all
}

func TestImportByCode(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	in := skill.ImportedFramework{FrameworkInput: skill.FrameworkInput{Title: "Driving"}, Publish: true, Skills: rows("A", "B<A", "C<B", "D")}
	sample.Write(t, store, scope, func(tx *db.Tx) error {
		in.Identifier = skill.NamedFramework(tx, in.Title)
		return nil
	})
	first := take(t, store, scope, in)
	if len(first.Problems) > 0 || first.Published != 4 {
		t.Fatalf("%+v", first)
	}
	if again := take(t, store, scope, in); again.FrameworkID != first.FrameworkID || count(again.Changes)["unchanged"] != 4 || again.Published != 0 {
		t.Fatalf("again: %+v", again)
	}
	// B and D swap their names and the skills below them; C and A are not in the file.
	in.Skills = rows("B", "D<A")
	in.Skills[0].Name = "Another name"
	some := take(t, store, scope, in)
	if len(some.Problems) > 0 || some.Others != 2 || some.Published != 1 || count(some.Changes)["changed"] != 2 {
		t.Fatalf("some: %+v", some)
	}
	// A circle may go through a skill that the file does not name; codes and identifiers are distinguished.
	in.Skills = append(rows("B<C", "E<nowhere", "F", "F"), skill.ImportedSkill{Name: "No code"}, skill.ImportedSkill{Identifier: ids.New(), Code: new("A"), Name: "A"})
	want := []string{"0 parent cycle", "1 parent unknown_parent", "3 identifier duplicate", "4 code required", "5 code duplicate"}
	if diff := cmp.Diff(want, problemsOf(take(t, store, scope, in))); diff != "" {
		t.Error(diff)
	}
	deep := make([]string, skill.MaxDepth+3)
	for i := range deep {
		deep[i] = fmt.Sprintf("L%02d", i)
		if i > 0 {
			deep[i] += "<" + fmt.Sprintf("L%02d", i-1)
		}
	}
	in.Skills = rows(deep...)
	if diff := cmp.Diff([]string{fmt.Sprintf("%d parent too_deep", skill.MaxDepth)}, problemsOf(take(t, store, scope, in))); diff != "" {
		t.Error(diff)
	}
}

func TestImportSwapsCodes(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	in := skill.ImportedFramework{Identifier: ids.New(), FrameworkInput: skill.FrameworkInput{Title: "Two"}, Skills: rows("A", "B")}
	in.Skills[0].Identifier, in.Skills[1].Identifier = ids.New(), ids.New()
	take(t, store, scope, in)
	in.Skills[0].Code, in.Skills[1].Code = in.Skills[1].Code, in.Skills[0].Code
	if done := take(t, store, scope, in); len(done.Problems) > 0 || count(done.Changes)["changed"] != 2 {
		t.Fatalf("%+v", done)
	}
	// Another framework may not take the identifiers.
	in.Identifier, in.Title = ids.New(), "Other"
	if diff := cmp.Diff([]string{"0 identifier taken", "1 identifier taken"}, problemsOf(take(t, store, scope, in))); diff != "" {
		t.Error(diff)
	}
}
