package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/surface/op"
)

// lines makes routes of the table of operations.
func lines(all []op.Line) []route {
	var routes []route
	for _, l := range all {
		r := route{Method: l.Method, Path: l.Path, ID: l.ID, Summary: l.Summary, Needs: l.Needs, Status: l.Status,
			Once: l.Kind == op.Writes, Rehearsed: l.Rehearsed, Tried: l.Tried, StepUp: l.Proven, Secret: l.Secret, Limit: l.Limit,
			Pictured: linePages[l.ID], register: func(s *Server, r route) { s.operate(r, l) }}
		if r.Pictured != nil {
			r.Summary += asPage
		}
		routes = append(routes, r)
	}
	return routes
}

// operate serves one operation of the table.
func (s *Server) operate(r route, l op.Line) {
	in := map[op.Kind]transaction{op.Reads: s.reading(s.store.Read), op.Reports: s.reading(s.store.Report), op.Writes: s.writingOnce}[l.Kind]
	o := s.operation(r)
	s.describeInput(&o, l)
	s.describeAnswer(&o)
	s.api.OpenAPI().AddOperation(&o)
	s.describeReply(r, l.Result)
	if r.Pictured != nil {
		s.describePage(r)
	}
	s.api.Adapter().Handle(&o, o.Middlewares.Handler(func(hc huma.Context) {
		ctx, cancel := context.WithTimeout(hc.Context(), s.config.RequestTimeout)
		defer cancel()
		c := callOf(ctx)
		input, err := decode(hc, o.RequestBody, l, c)
		if err != nil {
			s.refuse(hc, err)
			return
		}
		var page *reply
		answer, err := in(ctx, c, r.Status, func(tx *db.Tx) (result any, err error) {
			result, err = l.Run(ctx, tx, input)
			if err == nil {
				result, page, err = r.picture(ctx, tx, input, result)
			}
			return result, err
		})
		if err != nil {
			s.refuse(hc, err)
			return
		}
		if page != nil {
			hc.SetStatus(page.Status)
			_ = jsonFormat.Marshal(hc.BodyWriter(), page.Body) // a client that is gone sees nothing
			return
		}
		if tag := c.tagged(answer); tag != "" {
			hc.SetHeader("ETag", tag)
		}
		send(hc, answer)
	}))
}

// describeInput describes the fields of an input, and where they are sent.
func (s *Server) describeInput(o *huma.Operation, l op.Line) {
	schemas := s.api.OpenAPI().Components.Schemas
	body := false
	for _, f := range l.Fields() {
		if f.From == op.InBody {
			body = true
			continue
		}
		p := &huma.Param{Name: f.Name, In: string(f.From), Required: f.From == op.InPath, Schema: huma.SchemaFromField(schemas, f.StructField, "")}
		p.Description, p.Schema.Nullable = p.Schema.Description, false
		if f.From == op.InQuery {
			p.Explode = new(f.Exploded) // otherwise commas join the values of a list
		}
		o.Parameters = append(o.Parameters, p)
	}
	if body {
		o.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: schemas.Schema(reflect.TypeOf(l.Body(reflect.New(l.Input).Interface())).Elem(), true, "")}}}
	}
}

// describeAnswer describes the part that every answer of an operation has; describeReply adds the rest.
func (s *Server) describeAnswer(o *huma.Operation) {
	answer := &huma.Response{Description: http.StatusText(o.DefaultStatus), Headers: map[string]*huma.Param{},
		Content: map[string]*huma.MediaType{"application/json": {}}}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[reply]()) {
		if name := f.Tag.Get("header"); name != "" {
			answer.Headers[name] = &huma.Header{Schema: huma.SchemaFromField(s.api.OpenAPI().Components.Schemas, f, "")}
		}
	}
	o.Responses[strconv.Itoa(o.DefaultStatus)] = answer
}

// decode makes a pointer to an input of a call that vet has found nothing against. Whether it is a dry run the guard says,
// which has opened the fitting transaction.
func decode(hc huma.Context, body *huma.RequestBody, l op.Line, c call) (any, error) {
	input := reflect.New(l.Input)
	if body != nil && body.Required && len(c.body) == 0 {
		return nil, errs.New(errs.MalformedRequest, "The body cannot be parsed: request body is required.")
	}
	if len(c.body) > 0 {
		err := json.Unmarshal(c.body, l.Body(input.Interface()))
		if err != nil {
			return nil, errs.Wrap(errs.MalformedRequest, err, "The body cannot be parsed: a value is not of the type that its field has.")
		}
	}
	query := humagin.Unwrap(hc).Request.URL.Query()
	for _, f := range l.Fields() {
		for _, text := range sent(hc.Param, query, f) {
			err := op.Set(input.Elem().FieldByIndex(f.Index), text)
			if err != nil {
				return nil, errs.Invalid(errs.Field{Path: f.Name, Code: "wrong_type", Message: err.Error()})
			}
		}
	}
	if dry := l.DryRun(input.Interface()); dry != nil {
		*dry = c.dryRun
	}
	return input.Interface(), errs.Invalid(op.Spell(input.Interface())...)
}

// sent gives the values of a parameter: one, but of a list all.
func sent(path func(name string) string, query url.Values, f op.Field) []string {
	var text string
	switch {
	case f.From == op.InPath:
		text = path(f.Name)
	case f.Exploded:
		return query[f.Name]
	case f.From == op.InQuery && f.Type.Kind() == reflect.Pointer && query.Has(f.Name):
		return query[f.Name] // an empty value differs from none
	case f.From == op.InQuery:
		text = cmp.Or(query.Get(f.Name), f.Tag.Get("default"))
	}
	switch {
	case text == "":
		return nil
	case f.Type.Kind() == reflect.Slice:
		return strings.Split(text, ",")
	}
	return []string{text}
}

func send(hc huma.Context, a *db.Answer) {
	if a.Location != "" {
		hc.SetHeader("Location", a.Location)
	}
	if a.Language != "" {
		hc.SetHeader("Content-Language", a.Language)
	}
	if a.Replayed {
		hc.SetHeader("Idempotency-Replayed", "true")
	}
	if a.Status == http.StatusNoContent || a.Status == http.StatusNotModified {
		hc.SetStatus(a.Status)
		return
	}
	hc.SetHeader("Content-Type", "application/json")
	hc.SetHeader("Content-Length", strconv.Itoa(len(a.Body)))
	hc.SetStatus(a.Status)
	_, _ = hc.BodyWriter().Write(a.Body) // a client that is gone reads nothing
}
