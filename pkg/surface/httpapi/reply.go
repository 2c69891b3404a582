package httpapi

import (
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/wire"
)

// reply is an answer whose body is encoded already: the bytes that are stored for a
// replay are the bytes that are sent.
type reply[O any] struct {
	Status   int
	Location string `header:"Location" doc:"Where the new record or job is"`
	Replayed string `header:"Idempotency-Replayed" doc:"true when the answer is that of an earlier call with the same key"`
	Body     payload[O]
}

// payload carries encoded JSON and is described in OpenAPI as the type O.
type payload[O any] struct{ encoded []byte }

// Schema describes the payload as O.
func (payload[O]) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[O](), true, "")
}

func (p payload[O]) bytes() []byte { return p.encoded }

func encode[O any](status int, out O) (*reply[O], error) {
	answer, err := answerOf(status, out)
	if err != nil {
		return nil, err
	}
	return replyOf[O](answer), nil
}

func replyOf[O any](a *db.Answer) *reply[O] {
	r := &reply[O]{Status: a.Status, Location: a.Location, Body: payload[O]{a.Body}}
	if a.Replayed {
		r.Replayed = "true"
	}
	return r
}

// jsonFormat writes payloads as they are and encodes everything else.
var jsonFormat = huma.Format{
	Marshal: func(w io.Writer, v any) error {
		if p, ok := v.(interface{ bytes() []byte }); ok {
			stateLength(w, len(p.bytes()))
			_, err := w.Write(p.bytes())
			return err
		}
		body, err := wire.Marshal(v)
		if err != nil {
			return err
		}
		stateLength(w, len(body))
		_, err = w.Write(body)
		return err
	},
	Unmarshal: json.Unmarshal,
}

// stateLength tells the client how long the answer is: net/http finds out for itself only
// where all of it fits into its buffer, and sends longer ones in chunks.
func stateLength(w io.Writer, n int) {
	if rw, ok := w.(http.ResponseWriter); ok {
		rw.Header().Set("Content-Length", strconv.Itoa(n))
	}
}
