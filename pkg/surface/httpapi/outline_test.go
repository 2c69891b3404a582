package httpapi_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// outline tells the description in short, for the reviewer of a change: a line for each operation with its
// input, its output and the status, then a line for each named shape with its fields. A * marks required
// fields.
func outline(d *openapi3.T) string {
	var b strings.Builder
	for _, path := range slices.Sorted(maps.Keys(d.Paths.Map())) {
		operations := d.Paths.Value(path).Operations()
		for _, method := range slices.Sorted(maps.Keys(operations)) {
			fmt.Fprintf(&b, "%s %s%s\n", method, path, operationOutline(operations[method]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		fmt.Fprintf(&b, "%s = %s\n", name, shapeOutline(d.Components.Schemas[name].Value))
	}
	return b.String()
}

func operationOutline(op *openapi3.Operation) string {
	var b strings.Builder
	for _, p := range op.Parameters {
		fmt.Fprintf(&b, " %s:%s%s %s", p.Value.In, p.Value.Name, star(p.Value.Required), refOutline(p.Value.Schema))
	}
	if op.RequestBody != nil {
		b.WriteString(" <- " + contentOutline(op.RequestBody.Value.Content))
	}
	answers := op.Responses.Map()
	for _, status := range slices.Sorted(maps.Keys(answers)) {
		fmt.Fprintf(&b, " -> %s", status)
		if status < "4" {
			b.WriteString(" " + contentOutline(answers[status].Value.Content))
		}
	}
	return b.String()
}

func contentOutline(content openapi3.Content) string {
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(content)) {
		if kind == "application/json" {
			kinds = append(kinds, refOutline(content[kind].Schema))
			continue
		}
		kinds = append(kinds, kind)
	}
	return strings.Join(kinds, " or ")
}

// refOutline names a shape that has a name, and spells out one that has none.
func refOutline(r *openapi3.SchemaRef) string {
	if r == nil {
		return "any"
	}
	if r.Ref != "" {
		return r.Ref[strings.LastIndex(r.Ref, "/")+1:]
	}
	return shapeOutline(r.Value)
}

func shapeOutline(s *openapi3.Schema) string {
	switch {
	case len(s.OneOf)+len(s.AnyOf)+len(s.AllOf) > 0:
		var parts []string
		for _, part := range slices.Concat(s.OneOf, s.AnyOf, s.AllOf) {
			parts = append(parts, refOutline(part))
		}
		return "(" + strings.Join(parts, " | ") + ")"
	case len(s.Enum) > 0:
		return strings.ReplaceAll(fmt.Sprint(s.Enum), " ", "|")
	case s.Items != nil:
		return "[]" + refOutline(s.Items)
	case len(s.Properties) > 0:
		var fields []string
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			fields = append(fields, name+star(slices.Contains(s.Required, name))+" "+refOutline(s.Properties[name]))
		}
		return "{" + strings.Join(fields, ", ") + "}"
	case s.Format != "":
		return s.Format
	case s.Type == nil:
		return "any"
	}
	return strings.Join(*s.Type, "|")
}

func star(required bool) string {
	if required {
		return "*"
	}
	return ""
}
