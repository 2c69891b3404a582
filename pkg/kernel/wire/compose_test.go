package wire

import "testing"

func TestComposeMeetsEveryText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{`{"a":"plain","n":1.0}`, `{"a":"plain","n":1.0}`},
		{`{"a": "e` + "\u0301" + `"}`, `{"a":"é"}`},
		{`{"e\u0301":["e\u0301",{"x":1e400,"y":-0.10,"e\u0301":null}]}`, `{"é":["é",{"x":1e400,"y":-0.10,"é":null}]}`},
		{`{"a":1,"a":"e\u0301"}`, `{"a":1,"a":"é"}`}, // to be refused by the reader
		{`{"a":"<\u0338b"}`, `{"a":"≮b"}`},
		{`{"a":"\ud800"}`, `{"a":"\ud800"}`}, {`{"a":"e` + "\u0301" + `"`, `{"a":"e` + "\u0301" + `"`}, {"\xff", "\xff"}, {"", ""},
		{`"e\u0301" "x"`, "\"é\"\n\"x\""},
	} {
		if got := string(Compose([]byte(tt.in))); got != tt.want {
			t.Errorf("%q is %q, want %q", tt.in, got, tt.want)
		}
	}
}
