package errs_test

import (
	"strings"
	"testing"

	"assess/pkg/kernel/errs"
)

func TestTexts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text  string
		needed      bool
		line, prose string
	}{
		{"nothing", "", false, "", ""},
		{"nothing where something is needed", " \n", true, "required", "required"},
		{"as long as may be", strings.Repeat("ü", 5), true, "", ""},
		{"longer", strings.Repeat("ü", 6), true, "too_long", "too_long"},
		{"two lines", "a\nb", true, "invalid_characters", ""},
		{"NUL", "a\x00b", true, "invalid_characters", "invalid_text"},
		{"no UTF-8", "a\xff", false, "invalid_characters", "invalid_text"},
	} {
		for kind, c := range map[string]struct {
			check func(path, text string, most int, needed bool) []errs.Field
			want  string
		}{"line": {errs.Line, tt.line}, "prose": {errs.Prose, tt.prose}} {
			got := ""
			for _, f := range c.check("name", tt.text, 5, tt.needed) {
				got += f.Code
				if f.Path != "name" || strings.Contains(f.Message, "ü") {
					t.Errorf("%s as %s: got %+v", tt.name, kind, f)
				}
			}
			if got != c.want {
				t.Errorf("%s as %s: got %q, want %q", tt.name, kind, got, c.want)
			}
		}
	}
}
