package httpapi

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/danielgtaylor/huma/v2"
)

// bodyExamples are bodies of requests by operation, for the OpenAPI description. A test
// holds each of them against the schema of its operation.
//
//go:embed examples.json
var bodyExamples []byte

// showExamples puts the examples into the description once all routes are registered.
func (s *Server) showExamples() error {
	var examples map[string]any
	err := json.Unmarshal(bodyExamples, &examples)
	if err != nil {
		return fmt.Errorf("read examples.json: %w", err)
	}
	for _, item := range s.api.OpenAPI().Paths {
		for _, op := range []*huma.Operation{item.Post, item.Put, item.Patch} {
			if op == nil || op.RequestBody == nil || op.RequestBody.Content["application/json"] == nil {
				continue
			}
			example, given := examples[op.OperationID]
			if given {
				op.RequestBody.Content["application/json"].Example = example
				delete(examples, op.OperationID)
			}
		}
	}
	for id := range examples {
		return fmt.Errorf("examples.json: no operation with a JSON body is called %s", id)
	}
	return nil
}
