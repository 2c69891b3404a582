package httpapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"assess/pkg/author/authoring"
	"assess/pkg/exam/inventory"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/scoring"
	"assess/pkg/report/projection"
)

// shapes describe fields whose Go type says too little: raw JSON, which the domain reads by
// itself, and texts out of a list. The tag shape of a field names one of them. They are only in the
// published description: bodies are not checked against them, so that a mistake in a document is
// reported once, by the code that understands it.
var shapes = map[string]func(r huma.Registry) *huma.Schema{
	"document":         func(r huma.Registry) *huma.Schema { return refer(r, reflect.TypeFor[content.Document]()) },
	"document or null": func(r huma.Registry) *huma.Schema { return orNull(refer(r, reflect.TypeFor[content.Document]())) },
	"passage":          passageShape,
	"answer":           func(r huma.Registry) *huma.Schema { return orNull(answerShape(r)) },
	"filter":           func(r huma.Registry) *huma.Schema { return refer(r, reflect.TypeFor[inventory.Filter]()) },
	"object":           func(huma.Registry) *huma.Schema { return anyObject() },
	"object or null":   func(huma.Registry) *huma.Schema { s := anyObject(); s.Nullable = true; return s },
	"scalar": func(huma.Registry) *huma.Schema {
		return &huma.Schema{OneOf: []*huma.Schema{{Type: huma.TypeString, MaxLength: most(200)}, {Type: huma.TypeNumber}, {Type: huma.TypeBoolean}}}
	},
	"details":    detailsShape,
	"error code": func(r huma.Registry) *huma.Schema { return oneOfCodes(r, "ErrorCode", errorCodeNames()) },
	"outcome of one": func(huma.Registry) *huma.Schema {
		return words(append([]string{"changed", "no_change"}, errorCodeNames()...))
	},
	"invalid code":  func(r huma.Registry) *huma.Schema { return oneOfCodes(r, "InvalidCode", scoring.InvalidCodes) },
	"flag":          func(r huma.Registry) *huma.Schema { return oneOfCodes(r, "HealthFlagCode", projection.FlagCodes()) },
	"question type": func(huma.Registry) *huma.Schema { return words(scoring.QTypes()) },
	"sort":          func(huma.Registry) *huma.Schema { return words(authoring.Sorts) },
}

var rawJSON = reflect.TypeFor[json.RawMessage]()

// describeShapes puts the shapes into the schemas of the types whose fields name them. A field of raw
// JSON without one is an error: nobody could write a client for it.
func describeShapes(d *huma.OpenAPI) error {
	r := d.Components.Schemas
	for _, name := range slices.Sorted(maps.Keys(r.Map())) {
		t := r.TypeFromRef(schemaPrefix + name)
		if t == nil || t.Kind() != reflect.Struct {
			continue
		}
		for _, f := range reflect.VisibleFields(t) {
			property, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			p, shape := r.Map()[name].Properties[property], f.Tag.Get("shape")
			if p == nil || shape == "" && f.Type != rawJSON {
				continue
			}
			if shapes[shape] == nil {
				return fmt.Errorf("%s.%s: there is no shape %q", name, property, shape)
			}
			r.Map()[name].Properties[property] = shaped(p, f.Type, shapes[shape](r))
		}
	}
	return nil
}

// shaped gives the schema of a field that has the shape, or whose elements have.
func shaped(p *huma.Schema, t reflect.Type, shape *huma.Schema) *huma.Schema {
	if t != rawJSON && t.Kind() == reflect.Slice {
		p.Items = shape
		return p
	}
	if t.Kind() == reflect.Pointer && p.Nullable {
		shape = orNull(shape)
	}
	shape.Description = strings.TrimSpace(p.Description + " " + shape.Description)
	shape.Examples = p.Examples
	return shape
}

// named adds a schema to the shared ones, and refers to it.
func named(r huma.Registry, name string, s *huma.Schema) *huma.Schema {
	r.Map()[name] = s
	return &huma.Schema{Ref: schemaPrefix + name}
}

func refer(r huma.Registry, t reflect.Type) *huma.Schema { return r.Schema(t, true, "") }

// orNull lets a schema be null.
func orNull(s *huma.Schema) *huma.Schema {
	if s.Ref == "" && s.Type != "" && s.Enum == nil {
		s.Nullable = true
		return s
	}
	return &huma.Schema{AnyOf: []*huma.Schema{s, {Type: "null"}}}
}

func words(all []string) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Enum: anyOf(all)}
}

func oneOfCodes(r huma.Registry, name string, all []string) *huma.Schema {
	return named(r, name, words(all))
}

func errorCodeNames() []string {
	var all []string
	for _, e := range errs.Catalogue {
		all = append(all, string(e.Code))
	}
	return all
}

// most bounds a length.
func most(n int) *int { return &n }

func anyObject() *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

// detailsShape knows the facts that many codes have.
func detailsShape(r huma.Registry) *huma.Schema {
	s := anyObject()
	s.Properties = map[string]*huma.Schema{
		"fields":     {Type: huma.TypeArray, Items: refer(r, reflect.TypeFor[errs.Field]())},
		"moreErrors": {Type: huma.TypeInteger},
	}
	return s
}

// passageShape describes the forms of passages (content.ParsePassage). The objects have a name of their own: generators of clients
// tell objects from texts, or objects from one another, and not both at once.
func passageShape(r huma.Registry) *huma.Schema {
	objects := named(r, "ContentPassage", &huma.Schema{OneOf: []*huma.Schema{refer(r, reflect.TypeFor[content.Document]()), refer(r, reflect.TypeFor[content.Payload]())}})
	return &huma.Schema{OneOf: []*huma.Schema{objects, {Type: huma.TypeString, MaxLength: most(content.MaxLocaleBytes)}}}
}

// answerShape has an alternative for each member of an answer; an answer has exactly one.
func answerShape(r huma.Registry) *huma.Schema {
	if _, known := r.Map()["Answer"]; known {
		return &huma.Schema{Ref: schemaPrefix + "Answer"}
	}
	flat := huma.SchemaFromType(r, reflect.TypeFor[scoring.Response]())
	flat.Properties["text"].MaxLength = most(scoring.MaxTextLength)
	flat.Properties["optionIds"].Items.MaxLength = most(32)
	one := &huma.Schema{}
	for _, member := range slices.Sorted(maps.Keys(flat.Properties)) {
		p := *flat.Properties[member]
		p.Nullable = false
		one.OneOf = append(one.OneOf, named(r, "AnswerOf"+title(member), &huma.Schema{Type: huma.TypeObject, AdditionalProperties: false,
			Properties: map[string]*huma.Schema{member: &p}, Required: []string{member}}))
	}
	return named(r, "Answer", one)
}
