package authoring

import (
	"encoding/json"
	"testing"

	"assess/pkg/kernel/content"
)

// Content that was published before a field was added keeps its bytes, and so its hash: questions, packs, which have the
// same bodies, and snapshots.
func TestWhatWasPublishedKeepsItsHash(t *testing.T) {
	t.Parallel()
	const text = `{"defaultLocale":"en","locales":{"en":{"blocks":[{"children":[{"marks":[{"type":"bold"}],"text":"Which?"}],"type":"paragraph"}],"schemaVersion":"passage-rich-content/v1","type":"doc"}}}`
	const option = `{"content":` + text + `,"id":"A","isCorrect":true}`
	for name, c := range map[string]struct {
		into      any
		was, hash string
	}{
		"a choice": {&QuestionBody{}, `{"contributesToScore":true,"options":[` + option + `],"scoring":{"maxSelections":2,"method":"partial","minSelections":1},"stem":` + text + `,"weight":2}`,
			"fbf6a0b56e937231b182454341018a6a166d3a7950ddd6761fd190720cb47a31"},
		"a number": {&QuestionBody{}, `{"contributesToScore":false,"explanation":` + text + `,"options":[],"scoring":{"tolerance":0.5,"value":9.81},"stem":` + text + `,"weight":1}`,
			"e020588b6ad3ae698addb48ea9b2e6d6bab63b2958a543e732864c97c0680d51"},
		"a text": {&QuestionBody{}, `{"contributesToScore":true,"options":[],"scoring":{"acceptedAnswers":["a"]},"stem":` + text + `,"weight":1}`, "5ff56f78ee74cca71c5f6f24588520f44ddc817e26410f89c9854a46defe5d3f"},
		"a question of a snapshot": {&SnapshotQuestion{}, `{"contentHash":"x","number":1,"options":[` + option + `],"qtype":"mcq","questionId":"0190b3c4-0000-7000-8000-000000000001","stem":` + text +
			`,"structuredTags":{},"taxonomyTermIds":[]}`, "e6142abcfe78c51e613b1942774e36b24f4eb80ea21c938b0b21e79257d2b0eb"},
		"an item of a snapshot": {&SnapshotItem{}, `{"itemId":"0190b3c4-0000-7000-8000-000000000001","key":{"contributesToScore":true,"options":[{"correct":true,"id":"A"}],"qtype":"mcq","weight":1},"position":0,` +
			`"questionId":"0190b3c4-0000-7000-8000-000000000001","questionVersionId":"0190b3c4-0000-7000-8000-000000000001"}`, "538478376b7306d0f95d86363c079212d0daa83b70cabccc83dabb8e51ae86d4"},
	} {
		if err := json.Unmarshal([]byte(c.was), c.into); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := content.Canonical(c.into)
		if err != nil || string(got) != c.was || content.Hash(got) != c.hash {
			t.Errorf("%s is written as\n%s\n(%s), and was\n%s\n(%v)", name, got, content.Hash(got), c.was, err)
		}
	}
}
