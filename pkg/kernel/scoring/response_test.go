package scoring

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/kernel/errs"
)

// pathsAndCodes leaves the sentences out, so that they can be reworded freely.
func pathsAndCodes(fields []errs.Field) string {
	var list []string
	for _, f := range fields {
		list = append(list, f.Path+" "+f.Code)
	}
	return strings.Join(list, "; ")
}

func TestParseResponse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, raw string
		want      *Response
		problems  string
	}{
		{"options", `{"optionIds":["A","C"]}`, options("A", "C"), ""},
		{"no options", `{"optionIds":[]}`, &Response{OptionIDs: []string{}}, ""},
		{"text", ` {"text":"null"} `, text("null"), ""},
		{"number", `{"number":-1.5e3}`, number(-1500), ""},
		{"null clears", `null`, nil, ""},
		{"nothing", ``, nil, "response required"},
		{"broken", `{"text":`, nil, "response malformed_json"},
		{"invalid UTF-8", "{\"text\":\"\xff\"}", nil, "response invalid_text"},
		{"not an object", `["A"]`, nil, "response wrong_type"},
		{"empty object", `{}`, nil, "response wrong_response_kind"},
		{"two kinds", `{"text":"x","number":1}`, nil, "response wrong_response_kind"},
		{"unknown field", `{"text":"x","score":1}`, nil, "response.score unknown_field"},
		{"another spelling", `{"Text":"x"}`, nil, "response.Text unknown_field; response wrong_response_kind"},
		{"null inside", `{"text":null}`, nil, "response.text wrong_type"},
		{"null among options", `{"optionIds":["A",null]}`, nil, "response.optionIds wrong_type"},
		{"wrong types", `{"optionIds":"A"}`, nil, "response.optionIds wrong_type"},
		{"number as text", `{"number":"1"}`, nil, "response.number wrong_type"},
		{"number past the doubles", `{"number":1e999}`, nil, "response.number wrong_type"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, problems := ParseResponse("response", json.RawMessage(test.raw))
			if pathsAndCodes(problems) != test.problems {
				t.Errorf("problems: got %q, want %q", pathsAndCodes(problems), test.problems)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("response (-want +got):\n%s", diff)
			}
		})
	}
}

func TestResponseReadsWhatItWrites(t *testing.T) {
	t.Parallel()
	for _, want := range []*Response{nil, options("A"), {OptionIDs: []string{}}, text(""), number(0)} {
		raw, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		got, problems := ParseResponse("", raw)
		if len(problems) > 0 {
			t.Fatalf("%s: %v", raw, problems)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", raw, diff)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		key      Key
		response *Response
		want     string
	}{
		{"cleared", mcq, nil, ""},
		{"mcq", mcq, options("A"), ""},
		{"mcq without option", mcq, &Response{OptionIDs: []string{}}, ""},
		{"mcq with two options", mcq, options("A", "B"), "r.optionIds too_many_selections"},
		{"unknown options", mrq, options("A", "Y", "Z"), "r.optionIds[1] unknown_option; r.optionIds[2] unknown_option"},
		{"an option twice", mrq, options("A", "B", "A"), "r.optionIds[2] duplicate_option"},
		{"more ids than options", mrq, options("A", "B", "C", "D", "E", "F"), "r.optionIds out_of_range"},
		{"too few selections are saved", bounded, options("A"), ""},
		{"too many selections are saved", bounded, options("A", "B", "C", "D"), ""},
		{"text for options", mrq, text("A"), "r wrong_response_kind"},
		{"options for text", essay, options("A"), "r wrong_response_kind"},
		{"number for text", capital, number(1), "r wrong_response_kind"},
		{"text for a number", tenth, text("1"), "r wrong_response_kind"},
		{"nothing in it", tenth, &Response{}, "r wrong_response_kind"},
		{"100,000 characters", essay, text(strings.Repeat("é", MaxTextLength)), ""},
		{"100,001 characters", essay, text(strings.Repeat("é", MaxTextLength+1)), "r.text text_too_long"},
		{"NUL", capital, text("a\x00"), "r.text invalid_text"},
		{"invalid UTF-8", capital, text("a\xff"), "r.text invalid_text"},
		{"NaN", tenth, number(math.NaN()), "r.number invalid_number"},
		{"infinity", tenth, number(math.Inf(-1)), "r.number invalid_number"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := pathsAndCodes(test.key.Check("r", test.response)); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestConfigValidate(t *testing.T) {
	t.Parallel()
	seven, six := 7, 6
	tests := []struct {
		name   string
		config Config
		want   string
	}{
		{"zero", Config{}, ""},
		{"edges", Config{Rounding: &six, NegativeMarking: 1, DefaultOutcome: Pass}, ""},
		{"past them", Config{Rounding: &seven, NegativeMarking: 1.1, DefaultOutcome: "won"},
			"s.rounding out_of_range; s.negativeMarking out_of_range; s.defaultOutcome out_of_range"},
		{"NaN", Config{NegativeMarking: math.NaN()}, "s.negativeMarking out_of_range"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := pathsAndCodes(test.config.Validate("s")); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestKeySurvivesItsSnapshot(t *testing.T) {
	t.Parallel()
	for _, want := range []Key{mcq, partial, bounded, capital, tenth, essay} {
		raw, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Key
		err = json.Unmarshal(raw, &got)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", raw, diff)
		}
	}
}
