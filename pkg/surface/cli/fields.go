package cli

import (
	"fmt"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// writeFields draws one thing, a line a field.
func writeFields[T any](screen *Screen, value T, columns []Column[T]) error {
	g, err := gridOf([]T{value}, columns)
	if err != nil {
		return fmt.Errorf("write the fields: %w", err)
	}
	width := 0
	for _, name := range g.header {
		width = max(width, displaywidth.String(name.text))
	}
	for i, name := range g.header {
		label := screen.Paint(Faint, pad(name.text, width)) + gap
		lines := []string{g.lines[0][i].text}
		if screen.Width > 0 {
			lines = wrap(lines[0], max(screen.Width-width-len(gap), narrowest))
		}
		for _, line := range lines {
			_, err = fmt.Fprintln(screen, strings.TrimRight(label+screen.Paint(g.lines[0][i].colour, line), " "))
			if err != nil {
				return err
			}
			label = pad("", width) + gap
		}
	}
	return nil
}
