package cli

import (
	"time"

	"github.com/schollz/progressbar/v3"
)

// Progress shows how far long work is. It is silent when standard error is not a
// terminal or --quiet is given.
type Progress struct {
	label  string
	screen *Screen
	bar    *progressbar.ProgressBar
}

// Progress begins long work; end it with Done.
func (s *Shell) Progress(label string) *Progress {
	p := &Progress{label: label}
	if s.Notes.Terminal && !s.Quiet {
		p.screen = s.Notes
	}
	return p
}

// Report says how much of the total is done, counted from the beginning. A total of 0
// means that nobody knows it; it may change on the way.
func (p *Progress) Report(done, total int64) {
	if p.screen == nil {
		return
	}
	if total <= 0 {
		total = -1
	}
	if p.bar == nil {
		p.bar = p.newBar(total)
	}
	if total > 0 {
		p.bar.ChangeMax64(max(total, done))
	}
	// A terminal that cannot be written to must not stop the work.
	_ = p.bar.Set64(done)
}

// Done clears the line.
func (p *Progress) Done() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

func (p *Progress) newBar(total int64) *progressbar.ProgressBar {
	theme := progressbar.ThemeASCII
	if p.screen.Unicode {
		theme = progressbar.ThemeUnicode
	}
	return progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(p.screen),
		progressbar.OptionSetDescription(p.label),
		progressbar.OptionSetTheme(theme),
		progressbar.OptionSetWidth(min(30, max(p.screen.Width/3, 10))),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		// No drawing in the background: it would go on while Done clears the line.
		progressbar.OptionSetSpinnerChangeInterval(0),
		progressbar.OptionSetRenderBlankState(true),
		progressbar.OptionUseANSICodes(p.screen.Colour),
	)
}
