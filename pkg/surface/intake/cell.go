package intake

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/width"

	"assess/pkg/kernel/sheet"
	"assess/pkg/kernel/spelling"
	"assess/pkg/kernel/wire"
)

// text gives a cell without the space around it, and as names are spelt unless people read the column as
// prose; empty when the file has no such column.
func (r row) text(name string) string {
	i, there := r.file.header.at[name]
	if !there || i >= len(r.cells) {
		return ""
	}
	cell := strings.TrimSpace(spelling.Compose(r.cells[i]))
	var of column
	if at := slices.IndexFunc(r.file.columns, func(c column) bool { return c.name == name }); at >= 0 {
		of = r.file.columns[at]
	}
	if of.raw {
		return cell
	}
	cell = sheet.Untame(cell)
	if of.prose {
		return cell
	}
	if strings.ContainsAny(cell, "\r\n") {
		cell = lineBreak.ReplaceAllString(cell, " ")
	}
	spelt := strings.TrimSpace(spelling.Name(cell))
	if spelt == "" && cell != "" {
		r.problem(name, "invalid_characters", "the cell holds nothing that can be seen")
	}
	return spelt
}

// lineBreak is one within a name, with the space around it.
var lineBreak = regexp.MustCompile(`[ \t]*[\r\n]+[ \t]*`)

// required is text, with a problem when it is empty.
func (r row) required(name string) string {
	s := r.text(name)
	if s == "" {
		r.problem(name, "required", "the cell must not be empty")
	}
	return s
}

// list splits a cell at semicolons.
func (r row) list(name string) []string {
	var parts []string
	for part := range strings.SplitSeq(r.text(name), ";") {
		part = strings.TrimSpace(part)
		if part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// number reads a decimal number; nil when the cell is empty.
func (r row) number(name string) *float64 { return r.readNumber(name, r.text(name)) }

// plainNumber is a number with at most one decimal sign. Digits are not grouped in any way.
var plainNumber = regexp.MustCompile(`^[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?$`)

// grouped is a number that some write for thousands and others for a decimal with three places.
var grouped = regexp.MustCompile(`^[+-]?[0-9]+,[0-9]{3}$`)

// readNumber is number for a part of a cell. It never guesses: only the caller knows the meaning of a comma
// before exactly three digits.
func (r row) readNumber(name, s string) *float64 {
	if s == "" {
		return nil
	}
	s = width.Fold.String(strings.Replace(s, "\u2212", "-", 1))
	decimal := r.file.decimal
	switch {
	case decimal == "" && grouped.MatchString(s):
		r.problem(name, "ambiguous_number", "a comma before three digits may part thousands or decimals: write it with a point, or say decimal=comma")
		return nil
	case decimal == DecimalComma && strings.Contains(s, "."), decimal == DecimalPoint && strings.Contains(s, ","):
		r.problem(name, "invalid_number", "expected a number with a decimal "+decimal)
		return nil
	}
	x, err := strconv.ParseFloat(strings.Replace(s, ",", ".", 1), 64)
	if err != nil || !plainNumber.MatchString(s) || x-x != 0 { // infinite or not a number
		r.problem(name, "invalid_number", "expected a number such as 1250.5, its digits without signs between them")
		return nil
	}
	r.echo(name, x)
	return &x
}

// echo keeps how a number was read, for the rows that a preview shows.
func (r row) echo(name string, x float64) {
	if r.file.numbers == nil || r.file.rowCount > maxPreviewRows && len(r.file.numbers) >= maxPreviewRows && r.file.numbers[r.line] == nil {
		return
	}
	one := ReadNumber{r.file.header.spelling(name), x}
	if !slices.Contains(r.file.numbers[r.line], one) {
		r.file.numbers[r.line] = append(r.file.numbers[r.line], one)
	}
}

// numbersOf gives the numbers of a line by their columns.
func (f *file) numbersOf(line int) []ReadNumber {
	all := f.numbers[line]
	slices.SortStableFunc(all, func(a, b ReadNumber) int { return strings.Compare(a.Column, b.Column) })
	return all
}

// whole reads a whole number from 0; nil when the cell is empty.
func (r row) whole(name string) *int {
	s := r.text(name)
	if s == "" {
		return nil
	}
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < 0 {
		r.problem(name, "invalid_number", "expected a whole number from 0 to 2147483647")
		return nil
	}
	whole := int(n)
	r.echo(name, float64(n))
	return &whole
}

// yes reads yes or no; nil when the cell is empty.
func (r row) yes(name string) *bool {
	var answer bool
	switch strings.ToLower(r.text(name)) {
	case "":
		return nil
	case "yes", "y", "true", "1":
		answer = true
	case "no", "n", "false", "0":
	default:
		r.problem(name, "invalid_choice", "expected yes or no")
		return nil
	}
	return &answer
}

// moment reads a day, which begins at midnight UTC, or a moment; nil when the cell is empty.
func (r row) moment(name string, of wire.OfDay, zone *time.Location) *time.Time {
	s := r.text(name)
	if s == "" {
		return nil
	}
	at, err := wire.ReadDayOrMoment(s, of, zone)
	if err == nil {
		return &at
	}
	if errors.Is(err, wire.ErrOutOfRange) {
		r.problem(name, "out_of_range", err.Error())
		return nil
	}
	r.problem(name, "invalid_time", "expected a day such as 2031-03-01 or a moment such as 2031-03-01T09:00:00Z")
	return nil
}

// zone reads a zone of the IANA database, in which the days of a row are meant; UTC when the cell is empty.
func (r row) zone(name string) *time.Location {
	s := r.text(name)
	if s == "" {
		return time.UTC
	}
	zone, err := time.LoadLocation(s)
	if err != nil || s == "Local" {
		r.problem(name, "unknown_time_zone", "expected a name of the IANA database, such as Europe/Berlin")
		return time.UTC
	}
	return zone
}

// oneOf reads a choice, ignoring case and hyphens; choices maps canonical spellings.
func oneOf[T any](r row, name string, choices map[string]T, message string) T {
	choice, known := choices[canonical(r.text(name))]
	if !known {
		r.problem(name, "invalid_choice", message)
	}
	return choice
}

// family gives the filled cells of a family of columns ("meta.") by the rest of the name after
// the prefix.
func (r row) family(prefix string) map[string]any {
	found := map[string]any{}
	for name := range r.file.header.at {
		key, is := strings.CutPrefix(name, prefix)
		if value := r.text(name); is && value != "" {
			found[key] = value
		}
	}
	return found
}

// problem records that a cell cannot be read; name is the column, in the import's own
// spelling.
func (r row) problem(name, code, message string) {
	r.tell(name, code, message)
	r.file.told[told{line: r.line, column: name}] = true
}

// found records a problem of a rule, unless the cell cannot be read anyway.
func (r row) found(name, code, message string) {
	if !r.unreadable(name) && (r.item == nil || r.item.Usable()) && (r.test == nil || r.test.Usable()) {
		r.tell(name, code, message)
	}
}

func (r row) unreadable(name string) bool { return r.file.told[told{line: r.line, column: name}] }

// warn is tell for findings that keep nothing from being written.
func (r row) warn(name, code, message string) {
	r.file.warn(r.line, r.file.header.spelling(name), code, message)
}

// tell says each thing once, and nothing of a column that the file lacks, which is said of the
// file.
func (r row) tell(name, code, message string) {
	one := told{r.line, name, code, message}
	if r.file.told[one] || r.file.header.lacks(name, r.file.columns) {
		return
	}
	r.file.told[one] = true
	r.file.add(r.line, r.file.header.spelling(name), code, message)
}
