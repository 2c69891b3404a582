package spelling_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/kernel/spelling"
)

type page struct {
	Query string `query:"q"`
}

type inner struct {
	Labels []string `json:"labels"`
	Note   string   `json:"note"`
}

type call struct {
	page
	Body struct {
		Name     *string        `json:"name,omitempty"`
		Part     inner          `json:"part"`
		Metadata map[string]any `json:"metadata"`
		At       time.Time      `json:"at"`
		Raw      json.RawMessage
		Bytes    []byte
		Value    any `json:"value"`
	}
	parsed string
}

func TestFieldsReachesEveryName(t *testing.T) {
	t.Parallel()
	name := "e\u0301\u200b"
	c := call{page: page{"\ufeff"}, parsed: "\u200b"}
	c.Body.Name, c.Body.Part = &name, inner{[]string{"a\u00ad", "\u200b"}, "a\u200bb"}
	c.Body.Metadata = map[string]any{"k\u200b": []any{"v\u200b", 1}, "k": "w", "m": map[string]any{"\u200b": "x"}}
	c.Body.Raw, c.Body.Bytes, c.Body.Value = json.RawMessage("\"\u200b\""), []byte("\u200b"), "v\u200b"
	emptied, repeated := spelling.Fields(&c, func(field string) bool { return field == "note" })
	if diff := cmp.Diff([]string{"q", "part.labels[1]", "metadata.m.\u200b"}, emptied); diff != "" {
		t.Errorf("emptied (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"metadata.k"}, repeated); diff != "" {
		t.Errorf("repeated (-want +got):\n%s", diff)
	}
	if *c.Body.Name != "é" || c.Body.Part.Labels[0] != "a" || c.Body.Part.Note != "a\u200bb" || c.Body.Value != "v" || c.Query != "" {
		t.Errorf("got %+v", c)
	}
	if string(c.Body.Raw) != "\"\u200b\"" || string(c.Body.Bytes) != "\u200b" || c.parsed != "\u200b" || len(c.Body.Metadata) != 2 {
		t.Errorf("got %+v", c)
	}
}
