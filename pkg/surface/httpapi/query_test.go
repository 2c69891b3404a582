package httpapi_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"assess/pkg/kernel/ids"
	"assess/pkg/surface/httpapi"
)

// Every query parameter that the description declares is sent once, by itself: the server
// understands all of them.
func TestEveryQueryParameterIsUnderstood(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	document := described(t)
	n := 0
	guarded(t, w, func(l httpapi.Line) bool { return l.Method == http.MethodGet }, func(t *testing.T, l httpapi.Line, r request) {
		for _, p := range document.Paths.Value("/api/v1" + l.Path).GetOperation(l.Method).Parameters {
			if p.Value.In != openapi3.ParameterInQuery || p.Value.Required {
				continue
			}
			n++
			one := r
			one.path += separator(r.path) + p.Value.Name + "=" + url.QueryEscape(fitting(p.Value.Schema.Value))
			if got := w.send(t, one); got.status >= 500 {
				t.Errorf("%s: got %d %s", one.path, got.status, got.body)
			}
		}
	})
	if n == 0 {
		t.Error("there are no query parameters")
	}
}

func separator(path string) string {
	if strings.Contains(path, "?") {
		return "&"
	}
	return "?"
}

// fitting gives a value that a schema allows.
func fitting(s *openapi3.Schema) string {
	switch {
	case s.Type.Includes(openapi3.TypeArray):
		return fitting(s.Items.Value)
	case len(s.Enum) > 0:
		return s.Enum[0].(string)
	case s.Format == "uuid":
		return ids.New().String()
	case s.Format == "bcp47":
		return "en"
	case s.Format == "date-time":
		return "2031-04-01T09:30:00Z"
	case s.Type.Includes(openapi3.TypeBoolean):
		return "true"
	case s.Type.Includes(openapi3.TypeInteger), s.Type.Includes(openapi3.TypeNumber):
		return "1"
	}
	return "word"
}
