package cli

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestUnicodeFollowsTheLocale(t *testing.T) {
	for _, tt := range []struct {
		all, ctype, lang string
		want             bool
	}{
		{"", "", "", false},
		{"", "", "en_GB.UTF-8", true},
		{"", "", "de_DE.utf8@euro", true},
		{"C", "", "en_GB.UTF-8", false},
		{"", "C.UTF-8", "C", true},
		{"", "", "en_GB.ISO-8859-1", false},
	} {
		t.Run(tt.all+","+tt.ctype+","+tt.lang, func(t *testing.T) {
			t.Setenv("LC_ALL", tt.all)
			t.Setenv("LC_CTYPE", tt.ctype)
			t.Setenv("LANG", tt.lang)
			if got := unicodeLocale(); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestConfirm(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name        string
		interactive bool
		yes         bool
		answer      string
		want        int
	}{
		{name: "--yes", yes: true, want: exitDone},
		{name: "piped", answer: "y\n", want: exitUsage},
		{name: "y", interactive: true, answer: "y\n", want: exitDone},
		{name: "Yes", interactive: true, answer: " Yes \n", want: exitDone},
		{name: "enter", interactive: true, answer: "\n", want: exitFailed},
		{name: "no", interactive: true, answer: "no\n", want: exitFailed},
		{name: "end of input", interactive: true, want: exitFailed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, c := piped(FormatTable)
			s.Input, s.Interactive, s.Yes = strings.NewReader(tt.answer), tt.interactive, tt.yes
			got := exitDone
			err := s.Confirm(t.Context(), "Delete it?")
			if err != nil {
				got = exitCode(err, false)
			}
			if got != tt.want || c.out.Len() > 0 {
				t.Errorf("got exit %d (%v), stdout %q; want %d", got, err, &c.out, tt.want)
			}
			if asked := strings.Contains(c.err.String(), "Delete it? [y/N]"); asked != tt.interactive {
				t.Errorf("asked %v, want %v", asked, tt.interactive)
			}
		})
	}
}

func TestConfirmEndsWithTheContext(t *testing.T) {
	t.Parallel()
	s, _ := piped(FormatTable)
	silent, end := io.Pipe()
	defer end.Close()
	s.Input, s.Interactive = silent, true
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := s.Confirm(ctx, "Delete it?")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name            string
		terminal, quiet bool
		total           int64
		want            string
	}{
		{name: "terminal", terminal: true, total: 10, want: "Importing"},
		{name: "unknown total", terminal: true, want: "Importing"},
		{name: "piped", total: 10},
		{name: "quiet", terminal: true, quiet: true, total: 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, c := piped(FormatTable)
			s.Notes.Terminal, s.Notes.Width, s.Quiet = tt.terminal, 80, tt.quiet
			p := s.Progress("Importing")
			p.Report(0, tt.total)
			p.Report(5, tt.total)
			p.Done()
			if got := c.err.String(); !strings.Contains(got, tt.want) || (tt.want == "" && got != "") {
				t.Errorf("stderr %q, want %q in it", got, tt.want)
			}
			if c.out.Len() > 0 {
				t.Errorf("stdout has %q", &c.out)
			}
		})
	}
}
