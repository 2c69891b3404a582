package content

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestParseChecksMarks(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, marks, want string }{
		{"all plain marks", `{"type":"bold"},{"type":"italic"},{"type":"underline"},{"type":"strike"},
			{"type":"code"},{"type":"subscript"},{"type":"superscript"}`, ""},
		{"https", `{"type":"link","href":"https://example.org/a?b#c"}`, ""},
		{"mailto", `{"type":"link","href":"mailto:a@example.org"}`, ""},
		{"javascript", `{"type":"link","href":"JavaScript:alert(1)"}`, "[0].href unsafe_link"},
		{"data", `{"type":"link","href":"data:text/html,x"}`, "[0].href unsafe_link"},
		{"relative", `{"type":"link","href":"/etc"}`, "[0].href unsafe_link"},
		{"too long", `{"type":"link","href":"https://example.org/` + strings.Repeat("a", MaxHref) + `"}`, "[0].href unsafe_link"},
		{"no host", `{"type":"link","href":"https:///x"}`, "[0].href unsafe_link"},
		{"no address", `{"type":"link"}`, "[0].href unsafe_link"},
		{"control character", `{"type":"link","href":"https://a\u0001"}`, "[0].href unsafe_link"},
		{"address of a bold", `{"type":"bold","href":"https://example.org"}`, "[0].href unknown_field"},
		{"formula", `{"type":"math"}`, ""},
		{"gap without its id", `{"type":"gap"}`, "[0].ref required"},
		{"gap that shows a text", `{"type":"gap","ref":"g1"}`, "[0] invalid_text"},
		{"reference of a bold", `{"type":"bold","ref":"g1"}`, "[0].ref unknown_field"},
		{"unknown mark", `{"type":"blink"}`, "[0].type unknown_mark"},
		{"a mark twice", `{"type":"bold"},{"type":"bold"}`, "[1] duplicate_mark"},
		{"a mark as a string", `"bold"`, "[0] wrong_type"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, problems := Parse("", json.RawMessage(documentOf(
				`{"type":"paragraph","children":[{"text":"x","marks":[`+test.marks+`]}]}`)))
			got := strings.Join(pathsAndCodes(problems), "; ")
			want := test.want
			if want != "" {
				want = "locales.en.blocks[0].children[0].marks" + want
			}
			if got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
