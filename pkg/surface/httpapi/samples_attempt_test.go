package httpapi_test

import (
	"maps"

	"assess/pkg/kernel/ids"
)

func init() {
	of := func(p place) map[string]ids.ID { return map[string]ids.ID{"submissionId": p.Submission} }
	maps.Copy(noun, map[string]func(place) map[string]ids.ID{"sessionAttempt": of, "exportSessionAttempt": of})
}
