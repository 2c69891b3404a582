package httpapi

import (
	"net/http"
	"path"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/scoring"
)

// schemaPrefix precedes the name of a schema in references to it.
const schemaPrefix = "#/components/schemas/"

// uuidSchema describes an id in OpenAPI, so that a bad one is refused by validation.
type uuidSchema struct{}

// Schema describes a UUID.
func (uuidSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "uuid"}
}

// nullableUUIDSchema describes an id that may be taken away.
type nullableUUIDSchema struct{}

// Schema describes a UUID or null.
func (nullableUUIDSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "uuid", Nullable: true}
}

// qtypeSchema describes a question type: every place that has one lists all that exist.
type qtypeSchema struct{}

// Schema lists the question types.
func (qtypeSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Enum: anyOf(scoring.QTypes())}
}

// pairSchema describes a pair of a prompt and an option.
type pairSchema struct{}

// Schema describes two ids.
func (pairSchema) Schema(huma.Registry) *huma.Schema {
	two := 2
	return &huma.Schema{Type: huma.TypeArray, MinItems: &two, MaxItems: &two, Items: &huma.Schema{Type: huma.TypeString, MaxLength: most(32)}}
}

// describeParts says of each part of a question which types have it, as their rows say
// (scoring.Types), and lists the methods that there are.
func describeParts(r huma.Registry) {
	described := map[*huma.Schema]bool{}
	for _, question := range []reflect.Type{reflect.TypeFor[authoring.QuestionInput](), reflect.TypeFor[authoring.QuestionPatch](),
		reflect.TypeFor[authoring.QuestionVersion]()} {
		for _, part := range scoring.Parts {
			s := r.Schema(question, true, "")
			for _, name := range strings.Split(part.Path, ".") {
				s = resolved(r, s).Properties[name]
			}
			if described[s] {
				continue
			}
			described[s] = true
			s.Description = strings.TrimPrefix(s.Description+". For "+scoring.InWords(scoring.QTypesWith(part))+" alone", ". ")
			if part == scoring.PartMethod {
				s.Enum = anyOf(scoring.Methods())
				s.PrecomputeMessages()
			}
		}
	}
}

// resolved gives the schema itself where another one refers to it.
func resolved(r huma.Registry, s *huma.Schema) *huma.Schema {
	for _, one := range s.AnyOf {
		if one.Ref != "" {
			s = one
		}
	}
	if s.Ref != "" {
		return r.SchemaFromRef(s.Ref)
	}
	return s
}

func anyOf(names []string) []any {
	all := make([]any, len(names))
	for i, name := range names {
		all[i] = name
	}
	return all
}

// allowNull lets fields with a pointer be null, except fields that are left out instead.
// Ids give their own schemas and structs are referred to, and for both huma forgets that
// there was a pointer.
func allowNull(r huma.Registry) {
	for name, s := range r.Map() {
		t := r.TypeFromRef(schemaPrefix + name)
		if t == nil || t.Kind() != reflect.Struct {
			continue
		}
		for _, f := range reflect.VisibleFields(t) {
			property, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			p := s.Properties[property]
			if p == nil || f.Type.Kind() != reflect.Pointer || strings.Contains(options, "omit") {
				continue
			}
			if p.Ref != "" {
				s.Properties[property] = &huma.Schema{AnyOf: []*huma.Schema{{Ref: p.Ref}, {Type: "null"}}, Description: p.Description}
				continue
			}
			p.Nullable = true
		}
	}
}

// describeReply describes an answer, and leaves out of the description what it never has: a body with
// 204, a Location where nothing was made, a language where there is no content, the mark of a replay where there is no key.
func (s *Server) describeReply(r route, answer reflect.Type) {
	op := operationAt(s.api.OpenAPI().Paths[prefix+r.Path], r.Method)
	reply := op.Responses[strconv.Itoa(r.Status)]
	for _, content := range reply.Content {
		content.Schema = s.api.OpenAPI().Components.Schemas.Schema(answer, true, "")
	}
	if r.Status == http.StatusNoContent {
		reply.Content = nil
	}
	if !answer.Implements(reflect.TypeFor[interface{ Location() string }]()) || r.Status != http.StatusCreated && r.Status != http.StatusAccepted {
		delete(reply.Headers, "Location")
	}
	if !answer.Implements(reflect.TypeFor[inLanguage]()) {
		delete(reply.Headers, "Content-Language")
	}
	if r.Method == http.MethodGet && !r.Public {
		op.Responses["304"] = &huma.Response{Description: notModified}
	} else {
		delete(reply.Headers, "ETag")
	}
	if !r.Once {
		delete(reply.Headers, "Idempotency-Replayed")
	}
}

func operationAt(item *huma.PathItem, method string) *huma.Operation {
	return map[string]*huma.Operation{http.MethodGet: item.Get, http.MethodPost: item.Post, http.MethodPut: item.Put,
		http.MethodPatch: item.Patch, http.MethodDelete: item.Delete}[method]
}

// allowNoBody lets a POST come without a body where nothing in it is required: {} and
// nothing say the same.
func allowNoBody(d *huma.OpenAPI) {
	for _, item := range d.Paths {
		if item.Post == nil || item.Post.RequestBody == nil || item.Post.RequestBody.Content["application/json"] == nil {
			continue
		}
		s := item.Post.RequestBody.Content["application/json"].Schema
		if s.Ref != "" {
			s = d.Components.Schemas.SchemaFromRef(s.Ref)
		}
		if s.Type == huma.TypeObject && len(s.Required) == 0 {
			item.Post.RequestBody.Required = false
		}
	}
}

// typeArgument finds the arguments in the name of a generic type: "List[assess/pkg/people/people.User]".
var typeArgument = regexp.MustCompile(`[\w./-]*/(\w+)\.(\w+)`)

// schemaName names a type in OpenAPI by package and type, since several packages have a
// Filter or a Summary: SessionSummary, ListPeopleUser. Our own wire types and lists go
// without the package.
func schemaName(t reflect.Type, hint string) string {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	name := typeArgument.ReplaceAllStringFunc(t.Name(), func(m string) string {
		parts := typeArgument.FindStringSubmatch(m)
		return qualified(parts[1], parts[2])
	})
	name = strings.NewReplacer("[", "", "]", "", ",", "").Replace(name)
	switch pkg := path.Base(t.PkgPath()); {
	case name == "":
		return huma.DefaultSchemaNamer(t, hint)
	case pkg == "httpapi", pkg == "db", pkg == ".":
		return title(name)
	default:
		return qualified(pkg, name)
	}
}

func qualified(pkg, name string) string {
	if strings.HasPrefix(strings.ToLower(name), pkg) {
		return title(name)
	}
	return title(pkg) + title(name)
}

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
