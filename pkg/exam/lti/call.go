package lti

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"assess/pkg/kernel/outgoing"
)

// answer is the answer of a platform.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a answer) good() bool { return a.status/100 == 2 }

// call asks a platform for something, while no transaction is open.
func (d *Desk) call(ctx context.Context, method, address string, header map[string]string, body []byte) (answer, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return answer{}, errors.New("its address cannot be called")
	}
	for name, value := range header {
		request.Header.Set(name, value)
	}
	said, err := d.client.Do(request)
	if err != nil {
		return answer{}, outgoing.Reason(err)
	}
	defer said.Body.Close() //nolint:errcheck // it was only read
	text, err := io.ReadAll(said.Body)
	if err != nil {
		return answer{}, outgoing.Reason(err)
	}
	return answer{said.StatusCode, said.Header, text}, nil
}

// ask calls a platform and reads its JSON. Errors: lti_platform_unavailable.
func (d *Desk) ask(ctx context.Context, method, address string, header map[string]string, body []byte, to any) error {
	said, err := d.call(ctx, method, address, header, body)
	return said.read(err, to)
}

// read reads the JSON of an answer, or says why there is none. Errors: lti_platform_unavailable.
func (a answer) read(err error, to any) error {
	switch {
	case errors.Is(err, outgoing.ErrAddress):
		return away(err, "the service does not call its address; whoever runs the service can allow it (outgoing.allow_private)")
	case err != nil:
		return away(err, "it cannot be reached")
	case !a.good():
		return unavailable(fmt.Sprintf("it answers with the status %d", a.status))
	case json.Unmarshal(a.body, to) != nil:
		return unavailable("its answer is no JSON of the form that it should have")
	}
	return nil
}
