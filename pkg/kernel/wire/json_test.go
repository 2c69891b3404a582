package wire

import (
	"encoding/json"
	"testing"
	"time"
)

type part struct {
	At *time.Time `json:"at"`
}

// A time has the one form wherever it is in a value, and however it was made; texts that look
// like times, and JSON that is encoded already, stay as somebody wrote them.
func TestTimesHaveThreeDigitsOfMilliseconds(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 4, 4, 5, 440_999_999, time.FixedZone("CET", 3600))
	whole := at.Truncate(time.Second)
	got, err := Marshal(struct {
		part
		List  []part          `json:"list"`
		Any   map[string]any  `json:"any"`
		Plain time.Time       `json:"plain"`
		None  *time.Time      `json:"none"`
		Gone  time.Time       `json:"gone,omitzero"`
		Text  string          `json:"text"`
		Raw   json.RawMessage `json:"raw"`
	}{part{&at}, []part{{&whole}}, map[string]any{"at": at}, whole, nil, time.Time{}, "2026-01-02T03:04:05Z <&>", json.RawMessage(`{"b":1.0,"a":"2026-01-02T03:04:05Z"}`)})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"at":"2026-01-02T03:04:05.440Z","list":[{"at":"2026-01-02T03:04:05.000Z"}],"any":{"at":"2026-01-02T03:04:05.440Z"},` +
		`"plain":"2026-01-02T03:04:05.000Z","none":null,"text":"2026-01-02T03:04:05Z <&>","raw":{"b":1.0,"a":"2026-01-02T03:04:05Z"}}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
