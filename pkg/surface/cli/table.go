package cli

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"
	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Align is the alignment of the cells of a column.
type Align int

// Text is aligned left, numbers right.
const (
	Left Align = iota
	Right
)

// Column is one column of a table for people.
type Column[T any] struct {
	Header string
	Cell   func(T) string
	Align  Align
	// Colour gives the meaning of a cell; nil is Plain.
	Colour func(T) Colour
	// Spare columns are left out where the screen has no room for all of them: an id cut
	// into pieces is of no use, and the other formats have it.
	Spare bool
}

// gap separates two columns.
const gap = "  "

// Table draws a list as part of a report.
func Table[T any](screen *Screen, rows []T, columns ...Column[T]) error {
	return writeTable(screen, rows, columns)
}

func writeTable[T any](screen *Screen, rows []T, columns []Column[T]) error {
	g, err := gridOf(rows, columns)
	if err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	if tight(g.widths(), screen.Width) && slices.ContainsFunc(columns, spare[T]) {
		return writeTable(screen, rows, slices.DeleteFunc(slices.Clone(columns), spare[T]))
	}
	widths := fit(g.widths(), g.floors(), screen.Width)
	var out bytes.Buffer
	t := tablewriter.NewTable(&out,
		tablewriter.WithRenderer(renderer.NewBlueprint(look(screen))),
		tablewriter.WithConfig(layout(g.align)))
	t.Header(screen.line(g.header, widths))
	for _, line := range g.lines {
		err = t.Append(screen.line(line, widths))
		if err != nil {
			return fmt.Errorf("write the table: %w", err)
		}
	}
	err = t.Render()
	if err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	return writeTrimmed(screen, out.String())
}

func spare[T any](c Column[T]) bool { return c.Spare }

// cell is a text and its meaning.
type cell struct {
	text   string
	colour Colour
}

// grid is a table before it is laid out.
type grid struct {
	header []cell
	align  []tw.Align
	lines  [][]cell
}

// gridOf makes the cells of a table; without columns, the table has the columns of the CSV.
func gridOf[T any](rows []T, columns []Column[T]) (grid, error) {
	if len(columns) == 0 {
		header, lines, err := flatten(rows)
		g := grid{header: cells(header), align: slices.Repeat([]tw.Align{tw.AlignLeft}, len(header))}
		for _, line := range lines {
			g.lines = append(g.lines, cells(line))
		}
		return g, err
	}
	g := grid{lines: make([][]cell, len(rows))}
	for _, c := range columns {
		g.header = append(g.header, cell{text: c.Header})
		g.align = append(g.align, []tw.Align{Left: tw.AlignLeft, Right: tw.AlignRight}[c.Align])
	}
	for i, row := range rows {
		for _, c := range columns {
			g.lines[i] = append(g.lines[i], c.of(row))
		}
	}
	return g, nil
}

func cells(texts []string) []cell {
	var out []cell
	for _, text := range texts {
		out = append(out, cell{text: clean(text)})
	}
	return out
}

func (c Column[T]) of(row T) cell {
	if c.Colour == nil {
		return cell{text: clean(c.Cell(row))}
	}
	return cell{clean(c.Cell(row)), c.Colour(row)}
}

// widths gives the widths that the columns would like to have.
func (g grid) widths() []int {
	widths := make([]int, len(g.header))
	for _, line := range append([][]cell{g.header}, g.lines...) {
		for i, c := range line {
			widths[i] = max(widths[i], displaywidth.String(c.text))
		}
	}
	return widths
}

// floors gives the widths that the columns need at least.
func (g grid) floors() []int {
	floors := make([]int, len(g.header))
	for _, line := range append([][]cell{g.header}, g.lines...) {
		for i, c := range line {
			floors[i] = max(floors[i], floor(c.text))
		}
	}
	return floors
}

// line wraps and paints the cells of one row.
func (s *Screen) line(cells []cell, widths []int) []string {
	var out []string
	for i, c := range cells {
		lines := wrap(c.text, widths[i])
		for j := range lines {
			lines[j] = s.Paint(c.colour, lines[j])
		}
		out = append(out, strings.Join(lines, "\n"))
	}
	return out
}

// look is a table without frame: a line below the header and nothing else.
func look(screen *Screen) tw.Rendition {
	symbols := tw.NewSymbols(tw.StyleASCII)
	if screen.Unicode {
		symbols = tw.NewSymbols(tw.StyleLight)
	}
	return tw.Rendition{
		Borders: tw.BorderNone,
		Symbols: symbols,
		Settings: tw.Settings{
			Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off},
			Lines:      tw.Lines{ShowHeaderLine: tw.On},
		},
	}
}

// layout leaves the cells as they are: they are wrapped already.
func layout(align []tw.Align) tablewriter.Config {
	cell := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: tw.Off},
		Padding:    tw.CellPadding{Global: tw.Padding{Right: gap, Overwrite: true}},
		Alignment:  tw.CellAlignment{PerColumn: align},
	}
	return tablewriter.Config{Header: cell, Row: cell, Behavior: tw.Behavior{TrimSpace: tw.Off, TrimTab: tw.Off}}
}

// writeTrimmed leaves out the blanks at the ends of lines.
func writeTrimmed(screen *Screen, table string) error {
	for line := range strings.Lines(table) {
		_, err := fmt.Fprintln(screen, strings.TrimRight(line, " \n"))
		if err != nil {
			return err
		}
	}
	return nil
}
