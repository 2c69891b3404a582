package httpapi

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// bodyExamples are bodies of requests by operation, answerExamples bodies of answers. Tests send the first,
// record the second, and hold each of them against the schema of its operation.
var (
	//go:embed examples.json
	bodyExamples []byte
	//go:embed answers.json
	answerExamples []byte
)

// showExamples puts the examples into the description.
func showExamples(d *huma.OpenAPI) error {
	bodies, err := examplesIn("examples.json", bodyExamples)
	if err != nil {
		return err
	}
	answers, err := examplesIn("answers.json", answerExamples)
	if err != nil {
		return err
	}
	_ = eachOperation(d, func(_ string, op *huma.Operation) error {
		if op.RequestBody != nil && op.RequestBody.Content["application/json"] != nil {
			bodies.show(op.OperationID, op.RequestBody.Content["application/json"])
		}
		if reply, _ := okOf(op); reply != nil {
			answers.show(op.OperationID, inWords(reply))
		}
		return nil
	})
	for id := range maps.Keys(bodies) {
		return fmt.Errorf("examples.json: no operation with a JSON body is called %s", id)
	}
	for id := range maps.Keys(answers) {
		return fmt.Errorf("answers.json: no operation that answers in words is called %s", id)
	}
	return nil
}

type examples map[string]any

func examplesIn(file string, text []byte) (examples, error) {
	var all examples
	err := json.Unmarshal(text, &all)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	return all, nil
}

// show takes the example of an operation out and puts it where it belongs.
func (e examples) show(id string, at *huma.MediaType) {
	example, given := e[id]
	if given && at != nil {
		at.Example = example
		delete(e, id)
	}
}

// inWords gives the form of an answer that can be shown: JSON, or else a text; nil for files of bytes.
func inWords(r *huma.Response) *huma.MediaType {
	if as := r.Content["application/json"]; as != nil {
		return as
	}
	for _, kind := range slices.Sorted(maps.Keys(r.Content)) {
		if strings.HasPrefix(kind, "text/") {
			return r.Content[kind]
		}
	}
	return nil
}
