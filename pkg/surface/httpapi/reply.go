package httpapi

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/wire"
)

// reply is an answer whose body is encoded already: the bytes that are stored for a
// replay are the bytes that are sent.
type reply struct {
	Status   int
	Location string `header:"Location" doc:"Where the new record or job is"`
	Language string `header:"Content-Language" doc:"Language of the content (BCP-47)"`
	ETag     string `header:"ETag" doc:"Stands for the bytes of the answer; If-None-Match with it gets 304 as long as they are the same"`
	Replayed string `header:"Idempotency-Replayed" doc:"true when the answer is that of an earlier call with the same key"`
	Body     payload
}

// payload carries encoded JSON. The route's description says what it encodes, not its type: huma
// makes a copy of its code for each type of answer, which would be a tenth of the program.
type payload struct {
	encoded []byte
	// page says that it is not JSON but a page, which must keep to the policy.
	page   bool
	policy string
}

// Schema allows anything; describeReply says what it is.
func (payload) Schema(huma.Registry) *huma.Schema { return &huma.Schema{} }

func encode(status int, out any) (*reply, error) {
	answer, err := answerOf(status, out)
	if err != nil {
		return nil, err
	}
	return replyOf(answer), nil
}

// tagged gives the ETag of an answer to a GET, and leaves out the body if the client already has it.
func (c call) tagged(a *db.Answer) string {
	if !c.reads || a.Status != http.StatusOK {
		return ""
	}
	tag := fmt.Sprintf(`"%x"`, sha256.Sum256(a.Body))
	if strings.Contains(c.has, tag) { // a list of them, perhaps marked as weak
		a.Status, a.Body = http.StatusNotModified, nil
	}
	return tag
}

func replyOf(a *db.Answer) *reply {
	r := &reply{Status: a.Status, Location: a.Location, Language: a.Language, Body: payload{encoded: a.Body}}
	if a.Replayed {
		r.Replayed = "true"
	}
	return r
}

// jsonFormat writes payloads as they are and encodes everything else.
var jsonFormat = huma.Format{
	Marshal: func(w io.Writer, v any) error {
		if p, ok := v.(payload); ok {
			if p.page {
				statePage(w, p.policy)
			}
			stateLength(w, len(p.encoded))
			_, err := w.Write(p.encoded)
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
