package cli

import (
	"cmp"
	"io"
	"os"
	"strings"

	"github.com/fatih/color"
	"golang.org/x/term"
)

// Screen is a place to write to, and its abilities.
type Screen struct {
	io.Writer
	// Terminal says that a person reads it.
	Terminal bool
	// Width is the number of columns; 0 where lines may have any length.
	Width   int
	Colour  bool
	Unicode bool
}

func newScreen(w io.Writer) *Screen {
	s := &Screen{Writer: w, Terminal: isTerminal(w), Unicode: unicodeLocale()}
	if !s.Terminal {
		return s
	}
	width, _, err := term.GetSize(int(w.(*os.File).Fd()))
	if err != nil || width <= 0 {
		width = 80
	}
	s.Width = width
	s.Colour = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return s
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// unicodeLocale looks at the variables in the order of POSIX.
func unicodeLocale() bool {
	locale := cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_CTYPE"), os.Getenv("LANG"))
	_, charset, _ := strings.Cut(strings.ToLower(locale), ".")
	return strings.HasPrefix(charset, "utf-8") || strings.HasPrefix(charset, "utf8")
}

// Colour is the meaning of a text; Paint finds the colour for it.
type Colour int

// The meanings.
const (
	Plain Colour = iota
	Good
	Warning
	Bad
	Faint
	Strong
)

var attributes = map[Colour]color.Attribute{
	Good:    color.FgGreen,
	Warning: color.FgYellow,
	Bad:     color.FgRed,
	Faint:   color.Faint,
	Strong:  color.Bold,
}

// Paint colours a text where the screen has colours.
func (s *Screen) Paint(c Colour, text string) string {
	attribute, ok := attributes[c]
	if !s.Colour || !ok || text == "" {
		return text
	}
	paint := color.New(attribute)
	paint.EnableColor() // the package would ask standard output, not this screen
	return paint.Sprint(text)
}
