package op

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

type input struct {
	ID   ids.ID   `path:"id" json:"-" noun:"exam"`
	Name *string  `json:"name,omitempty"`
	At   string   `json:"at"`
	Of   []ids.ID `query:"of" json:"-"`
	db.Page
	inner int
}

func TestFieldsSayWhereTheyComeFrom(t *testing.T) {
	t.Parallel()
	type said struct {
		Name, From, Noun string
		Needed           bool
	}
	var got []said
	for _, f := range Fields(reflect.TypeFor[input]()) {
		got = append(got, said{f.Name, string(f.From), f.Noun, f.Needed()})
	}
	want := []said{{"id", "path", "exam", true}, {"name", "json", "", false}, {"at", "json", "", true}, {"of", "query", "", false},
		{"page", "query", "", false}, {"limit", "query", "", false}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	_ = input{}.inner
}

func TestSetReadsTexts(t *testing.T) {
	t.Parallel()
	id := "0190b3c4-0000-7000-8000-000000000006"
	parsed, err := ids.Parse("", id)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		to      any
		text    string
		want    any
		refused bool
	}{
		{new(string), "a", "a", false},
		{new(int), "7", 7, false},
		{new(int), "7.5", 0, true},
		{new(bool), "true", true, false},
		{new(bool), "perhaps", false, true},
		{new(ids.ID), id, parsed, false},
		{new(ids.ID), "x", ids.None, true},
		{new(time.Time), "2031-03-01T10:00:00+01:00", time.Date(2031, 3, 1, 9, 0, 0, 0, time.UTC), false},
		{new(time.Time), "2031-03-01", time.Time{}, true},
		{new([]string), "a", []string{"a"}, false},
		{new(map[string]int), `{"a":1}`, map[string]int{"a": 1}, false},
		{new(map[string]int), `{`, map[string]int(nil), true},
	} {
		to := reflect.ValueOf(test.to).Elem()
		err := Set(to, test.text)
		if diff := cmp.Diff(test.want, to.Interface()); diff != "" || (err != nil) != test.refused {
			t.Errorf("%q into %s: %v (-want +got):\n%s", test.text, to.Type(), err, diff)
		}
	}
}

// A field that no tag places would be filled by a body, though the description does not name it.
func TestEveryFieldOfTheTableHasAPlace(t *testing.T) {
	t.Parallel()
	for _, l := range All() {
		filled := reflect.TypeOf(l.Body(reflect.New(l.Input).Interface())).Elem()
		placed, body := map[string]bool{}, false
		for _, f := range Fields(filled) {
			placed[f.StructField.Name] = true
			body = body || f.From == InBody
		}
		for _, f := range reflect.VisibleFields(filled) {
			if body && !f.Anonymous && f.IsExported() && f.Tag.Get("json") != "-" && !placed[f.Name] {
				t.Errorf("%s: no tag of %s.%s says where it comes from", l.ID, filled, f.Name)
			}
		}
	}
}
