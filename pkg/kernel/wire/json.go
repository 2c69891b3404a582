package wire

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	v1 "github.com/go-json-experiment/json/v1"
)

// Layout is the form of times.
const Layout = "2006-01-02T15:04:05.000Z"

// Instant writes a time as Marshal does.
func Instant(t time.Time) string { return t.UTC().Format(Layout) }

var options = json.JoinOptions(v1.DefaultOptionsV1(), jsontext.EscapeForHTML(false), // a message says ">= 1" to people
	json.WithMarshalers(json.MarshalToFunc(func(e *jsontext.Encoder, t time.Time) error {
		return e.WriteToken(jsontext.String(Instant(t)))
	})))

// Marshal encodes a value.
func Marshal(v any) ([]byte, error) { return json.Marshal(v, options) }
