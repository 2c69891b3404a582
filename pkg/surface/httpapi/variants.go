package httpapi

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"assess/pkg/author/authoring"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/scoring"
)

// describeContent describes the parts of a content document: a block of each kind with the fields of that
// kind (content.BlockKinds), and links with an address.
func describeContent(d *huma.OpenAPI) error {
	r := d.Components.Schemas
	whole := refer(r, reflect.TypeFor[content.Document]())
	payload := schemaOf(r, reflect.TypeFor[content.Payload]())
	payload.Properties["schemaVersion"] = words([]string{content.SchemaVersion})
	payload.Properties["type"] = words([]string{content.PayloadType})
	for _, t := range []reflect.Type{reflect.TypeFor[content.Payload](), reflect.TypeFor[content.ListItem](), reflect.TypeFor[content.Row](),
		reflect.TypeFor[content.Cell](), reflect.TypeFor[content.Text]()} {
		for _, p := range schemaOf(r, t).Properties {
			p.Nullable = false // Go has nil slices; a document has a list or none
		}
	}

	block, one, levels := schemaOf(r, reflect.TypeFor[content.Block]()), 1, [2]float64{1, 6}
	block.Properties["level"].Minimum, block.Properties["level"].Maximum = &levels[0], &levels[1]
	block.Properties["headerRows"].Minimum = new(float64)
	block.Properties["items"].MinItems, block.Properties["rows"].MinItems = &one, &one
	block.Properties["assetId"].Format = "uuid"
	block.Properties["caption"].MaxLength, block.Properties["alt"].MaxLength = most(content.MaxLocaleBytes), most(content.MaxLocaleBytes)
	schemaOf(r, reflect.TypeFor[content.Text]()).Properties["text"].MaxLength = most(content.MaxLocaleBytes)
	r.SchemaFromRef(whole.Ref).Properties["defaultLocale"].MaxLength = most(35)
	schemaOf(r, reflect.TypeFor[content.Row]()).Properties["cells"].MinItems = &one
	kinds := variants(r, "Content", "type", func(yield func(string, *huma.Schema)) {
		for _, k := range content.BlockKinds {
			yield(string(k.Type), pick(block, append([]string{"type"}, k.Needs...), k.May))
		}
	})
	*block = *kinds

	mark := schemaOf(r, reflect.TypeFor[content.Mark]())
	mark.Properties["href"].MaxLength = most(content.MaxHref)
	mark.Properties["ref"].MaxLength = most(32)
	plain, link, gap := pick(mark, []string{"type"}, nil), pick(mark, []string{"type", "href"}, nil), pick(mark, []string{"type", "ref"}, nil)
	link.Properties["type"], gap.Properties["type"] = words([]string{string(content.Link)}), words([]string{string(content.Gap)})
	plain.Properties["type"] = words(slices.DeleteFunc(markNames(), func(m string) bool { return m == string(content.Link) || m == string(content.Gap) }))
	*mark = huma.Schema{OneOf: []*huma.Schema{named(r, "ContentPlainMark", plain), named(r, "ContentLink", link), named(r, "ContentGap", gap)}}

	shown := schemaOf(r, reflect.TypeFor[content.Shown]())
	resolved := pick(shown, []string{"locale", "schemaVersion", "type"}, []string{"blocks"})
	maps.Copy(resolved.Properties, map[string]*huma.Schema{"schemaVersion": payload.Properties["schemaVersion"],
		"type": payload.Properties["type"], "blocks": payload.Properties["blocks"]})
	resolved.Description = "With lang: the content in one language, which locale names"
	*shown = huma.Schema{OneOf: []*huma.Schema{whole, named(r, "ContentResolved", resolved)}}
	return nil
}

func markNames() []string {
	var all []string
	for _, m := range content.MarkTypes {
		all = append(all, string(m))
	}
	return all
}

// describeTypes splits questions by their type: each has the parts that its type has (scoring.Types).
func describeTypes(d *huma.OpenAPI) error {
	r := d.Components.Schemas
	for _, t := range []reflect.Type{reflect.TypeFor[authoring.QuestionInput](), reflect.TypeFor[authoring.QuestionVersion](),
		reflect.TypeFor[authoring.QuestionVersionDetail](), reflect.TypeFor[authoring.ShownQuestionVersion](), reflect.TypeFor[session.Item]()} {
		flat := schemaOf(r, t)
		split := variants(r, schemaName(t, ""), "qtype", func(yield func(string, *huma.Schema)) {
			for i := range scoring.Types {
				yield(string(scoring.Types[i].Name), ofType(r, flat, &scoring.Types[i]))
			}
		})
		*flat = *split
	}
	return nil
}

// ofType describes a question of a type: without the parts that it does not have. A part that is
// always shown is empty there.
func ofType(r huma.Registry, flat *huma.Schema, t *scoring.Type) *huma.Schema {
	s := *flat
	s.Properties = maps.Clone(flat.Properties)
	for _, part := range scoring.Parts {
		at, name := &s, part.Path
		outer, inner, nested := strings.Cut(part.Path, ".")
		if nested {
			name = inner
		}
		if nested && s.Properties[outer] != nil {
			at = inlined(r, &s, outer)
		}
		p := at.Properties[name]
		if p == nil {
			continue
		}
		switch {
		case !t.Has(part) && slices.Contains(at.Required, name):
			none, empty := 0, *p
			empty.MaxItems = &none
			at.Properties[name] = &empty
		case !t.Has(part):
			delete(at.Properties, name)
		case part == scoring.PartMethod:
			method := *p
			method.Enum = anyOf(t.Methods)
			at.Properties[name] = &method
		}
	}
	return &s
}

// inlined replaces a reference to a schema by a copy, so that it can be changed only here.
func inlined(r huma.Registry, s *huma.Schema, property string) *huma.Schema {
	was := s.Properties[property]
	found := *resolved(r, was)
	if was.Ref == "" && len(was.AnyOf) == 0 {
		return was
	}
	found.Properties = maps.Clone(found.Properties)
	found.Description = was.Description
	s.Properties[property] = &found
	return &found
}

// variants makes a schema of alternatives that one property tells apart. Each is named after its value.
func variants(r huma.Registry, prefix, property string, each func(yield func(string, *huma.Schema))) *huma.Schema {
	one := &huma.Schema{Discriminator: &huma.Discriminator{PropertyName: property, Mapping: map[string]string{}}}
	each(func(value string, s *huma.Schema) {
		s.Properties[property] = words([]string{value})
		ref := named(r, prefix+camel(value), s)
		one.OneOf = append(one.OneOf, ref)
		one.Discriminator.Mapping[value] = ref.Ref
	})
	return one
}

// pick gives a schema with some of the properties; needs are required.
func pick(flat *huma.Schema, needs, may []string) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeObject, AdditionalProperties: false, Properties: map[string]*huma.Schema{}, Required: needs}
	for _, name := range slices.Concat(needs, may) {
		p := *flat.Properties[name]
		p.Nullable = false
		s.Properties[name] = &p
	}
	return s
}

func schemaOf(r huma.Registry, t reflect.Type) *huma.Schema {
	return r.SchemaFromRef(refer(r, t).Ref)
}

// camel makes ShortText of short_text.
func camel(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		b.WriteString(title(part))
	}
	return b.String()
}
