package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/surface/httpapi"
)

// impossible are moments that RFC 3339 can write and the database, or an answer in UTC, cannot.
var impossible = []string{"0000-01-01T00:00:00Z", "0001-01-01T00:00:00+23:00", "9999-12-31T23:59:59-23:00"}

// Every moment of every query and body has bounds, and a problem names the one that is out of them.
func TestEveryMomentHasBounds(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	document := described(t)
	inQuery, inBodies := 0, []string{}
	guarded(t, w, func(httpapi.Line) bool { return true }, func(t *testing.T, l httpapi.Line, r request) {
		operation := document.Paths.Value("/api/v1" + l.Path).GetOperation(l.Method)
		for _, p := range operation.Parameters {
			if p.Value.In != openapi3.ParameterInQuery || p.Value.Schema.Value.Format != "date-time" {
				continue
			}
			inQuery++
			for _, text := range impossible {
				one := r
				one.key = ids.New().String()
				base, query, _ := strings.Cut(r.path, "?")
				given, err := url.ParseQuery(query)
				if err != nil {
					t.Fatal(err)
				}
				given.Set(p.Value.Name, text)
				one.path = base + "?" + given.Encode()
				got := w.send(t, one)
				if l.ID == "listRetentionIncidents" && got.status == http.StatusTooManyRequests {
					continue // three calls in two seconds are enough there
				}
				outOfRange(t, got, p.Value.Name+" = "+text, p.Value.Name)
			}
		}
		if !posted(l) || operation.RequestBody == nil || operation.RequestBody.Value.Content["application/json"] == nil {
			return
		}
		var tree any
		err := json.Unmarshal(encoded(t, r.body), &tree)
		if err != nil {
			t.Fatal(err)
		}
		for _, place := range moments(operation.RequestBody.Value.Content["application/json"].Schema.Value, nil, 0) {
			inBodies = append(inBodies, l.ID+" "+strings.Join(place, "."))
			for _, text := range impossible {
				one := r
				one.body, one.key = placed(tree, place, text), ids.New().String()
				outOfRange(t, w.send(t, one), strings.Join(place, ".")+" = "+text, strings.ReplaceAll(strings.Join(place, "."), ".[0]", "[0]"))
			}
		}
	})
	if inQuery < 10 || len(inBodies) < 10 || !slices.ContainsFunc(inBodies, func(s string) bool { return strings.HasSuffix(s, "feedbackPolicy.availableAfter") }) {
		t.Errorf("%d moments in queries, in bodies %q", inQuery, inBodies)
	}
}

func outOfRange(t *testing.T, got response, what, path string) {
	t.Helper()
	if got.status != http.StatusUnprocessableEntity || !slices.ContainsFunc(fieldsOf(got), func(f errs.Field) bool { return f.Path == path && f.Code == "out_of_range" }) {
		t.Errorf("%s: got %d %s", what, got.status, got.body)
	}
}

// moments lists the paths to the moments of a schema, those below lists as their first element.
func moments(s *openapi3.Schema, at []string, depth int) [][]string {
	if depth > 8 || s.ReadOnly {
		return nil
	}
	if s.Format == "date-time" {
		return [][]string{at}
	}
	var all [][]string
	for _, of := range slices.Concat(s.AnyOf, s.OneOf) {
		all = append(all, moments(of.Value, at, depth+1)...)
	}
	for name, field := range s.Properties {
		all = append(all, moments(field.Value, append(slices.Clone(at), name), depth+1)...)
	}
	if s.Items != nil {
		all = append(all, moments(s.Items.Value, append(slices.Clone(at), "[0]"), depth+1)...)
	}
	return all
}

// placed gives a copy of a body with a value at a place, which need not be there.
func placed(tree any, place []string, value any) any {
	if len(place) == 0 {
		return value
	}
	if place[0] == "[0]" {
		list, _ := tree.([]any)
		if len(list) == 0 {
			list = []any{nil}
		}
		list = slices.Clone(list)
		list[0] = placed(list[0], place[1:], value)
		return list
	}
	copied := map[string]any{}
	if fields, ok := tree.(map[string]any); ok {
		for k, v := range fields {
			copied[k] = v
		}
	}
	copied[place[0]] = placed(copied[place[0]], place[1:], value)
	return copied
}
