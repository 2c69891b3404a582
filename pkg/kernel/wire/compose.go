package wire

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"assess/pkg/kernel/spelling"
)

// Compose gives JSON with each of its texts in NFC, including the names of fields. JSON that cannot be
// read stays, so that the code that refuses it can say why.
func Compose(body []byte) []byte {
	escapes := bytes.Contains(body, []byte(`\u`))
	if plain := spelling.Compose(string(body)); plain == string(body) && !escapes {
		return body
	}
	from := jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true))
	var composed bytes.Buffer
	to := jsontext.NewEncoder(&composed, jsontext.AllowDuplicateNames(true), jsontext.EscapeForHTML(false))
	for {
		token, err := from.ReadToken()
		if errors.Is(err, io.EOF) && from.StackDepth() == 0 {
			return bytes.TrimSuffix(composed.Bytes(), []byte("\n"))
		}
		if err != nil {
			return body
		}
		if token.Kind() == '"' {
			token = jsontext.String(spelling.Compose(token.String()))
		}
		if err = to.WriteToken(token); err != nil {
			return body
		}
	}
}
