package gift

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/exchange/markup"
)

const samples = "../../../../../shared/data/bank/raw/gift"

func TestParsesAsTheReferenceDoes(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob(filepath.Join(samples, "*.gift"))
	if len(files) == 0 {
		t.Skip("no samples at " + samples)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		expected, err := os.ReadFile(strings.TrimSuffix(file, "gift") + "json")
		if err != nil {
			t.Fatal(err)
		}
		var want []any
		if err := json.Unmarshal(expected, &want); err != nil {
			t.Fatal(err)
		}
		var got []any
		err = parse(markup.Decode(source), func(q question) error {
			if q.err != nil {
				t.Errorf("%s, line %d: %v", filepath.Base(file), q.line, q.err)
			}
			got = append(got, q.asJSON())
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", filepath.Base(file), diff)
		}
	}
}

type object = map[string]any

func (t text) asJSON() any { return object{"format": t.format, "text": t.text} }

func orNull(t *text) any {
	if t == nil {
		return nil
	}
	return t.asJSON()
}

func (q question) asJSON() any {
	all := object{"type": q.kind, "title": nil, "stem": q.stem.asJSON(), "hasEmbeddedAnswers": q.embedded, "globalFeedback": orNull(q.feedback), "id": nil, "tags": nil}
	if q.title != "" {
		all["title"] = q.title
	}
	for _, n := range q.notes {
		switch n.key {
		case "id":
			all["id"] = n.value
		case "tag":
			tags, _ := all["tags"].([]any)
			all["tags"] = append(tags, n.value)
		}
	}
	switch q.kind {
	case category:
		return object{"type": q.kind, "title": q.title}
	case description:
		delete(all, "globalFeedback")
	case trueFalse:
		all["isTrue"], all["trueFeedback"], all["falseFeedback"] = q.isTrue, orNull(q.onTrue), orNull(q.onFalse)
	case matching:
		var pairs []any
		for _, a := range q.answers {
			pairs = append(pairs, object{"subquestion": a.text.asJSON(), "subanswer": a.pair})
		}
		all["matchPairs"] = pairs
	case numerical:
		all["choices"] = q.answersAsJSON()
		if !q.listed {
			all["choices"] = q.answers[0].number.asJSON()
		}
	case choices, short:
		all["choices"] = q.answersAsJSON()
	}
	return all
}

func (q question) answersAsJSON() []any {
	var all []any
	for _, a := range q.answers {
		one := object{"isCorrect": a.correct, "weight": nil, "text": a.text.asJSON(), "feedback": orNull(a.feedback)}
		if a.weight != nil {
			one["weight"] = *a.weight
		}
		if a.number != nil {
			one["text"] = a.number.asJSON()
		}
		all = append(all, one)
	}
	return all
}

func (n *number) asJSON() any {
	switch n.kind {
	case "range":
		return object{"type": n.kind, "number": n.value, "range": n.within}
	case "high-low":
		return object{"type": n.kind, "numberLow": n.lowest, "numberHigh": n.higher}
	}
	return object{"type": n.kind, "number": n.value}
}
