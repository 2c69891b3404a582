package intake

import (
	"slices"
	"strings"

	"assess/pkg/kernel/spelling"
)

// column is a column that an import knows.
type column struct {
	name     string
	required bool
	// alias is another name for it, such as "id" for "externalId".
	alias string
	// prefix makes it a family of columns: "meta." takes "meta.team" and "meta.site".
	prefix bool
	// prose is text for people, with the characters that control its direction; other cells are names.
	prose bool
	// raw cells mean exactly what they say, including an apostrophe before a formula: exports fill them with texts
	// that no spreadsheet takes for a formula. They are prose, too.
	raw bool
}

// matches compares a header cell with the column; rest is the text after a prefix, in the
// spelling of the file.
func (c column) matches(cell string) (string, bool) {
	if c.prefix {
		head, rest, found := strings.Cut(cell, ".")
		rest = strings.TrimSpace(spelling.Name(rest))
		return rest, found && rest != "" && canonical(head)+"." == c.name
	}
	name := canonical(cell)
	return "", name == canonical(c.name) || (c.alias != "" && name == canonical(c.alias))
}

// canonical takes case, spaces, hyphens and underscores out of a name: "Option A",
// "option_a" and "optionA" are one.
func canonical(name string) string { return separators.Replace(strings.ToLower(spelling.Name(name))) }

var separators = strings.NewReplacer(" ", "", "\t", "", "\r", "", "\n", "", "-", "", "_", "", "\u00a0", "")

// header says where the columns of a file are.
type header struct {
	cells []string
	// names are the columns that the cells mean; for an unknown column, the cell itself.
	names []string
	// at gives the place of a column by its own name, families as "meta.<key>".
	at       map[string]int
	unknown  []string
	repeated []string
}

func readHeader(cells []string, columns []column) header {
	h := header{cells: cells, at: map[string]int{}}
	for i, cell := range cells {
		name, known := find(cell, columns)
		h.names = append(h.names, name)
		_, again := h.at[name]
		switch {
		case strings.TrimSpace(cell) == "":
		case !known:
			h.unknown = append(h.unknown, cell)
		case again:
			h.repeated = append(h.repeated, cell)
		default:
			h.at[name] = i
		}
	}
	return h
}

func find(cell string, columns []column) (string, bool) {
	for _, c := range columns {
		rest, ok := c.matches(cell)
		if ok {
			return c.name + rest, true
		}
	}
	return strings.TrimSpace(cell), false
}

// lacks says that the file has to have a column and has not.
func (h header) lacks(name string, columns []column) bool {
	_, there := h.at[name]
	return !there && slices.ContainsFunc(columns, func(c column) bool { return c.required && c.name == name })
}

// missing lists the required columns that the file lacks.
func (h header) missing(columns []column) []string {
	var names []string
	for _, c := range columns {
		if _, there := h.at[c.name]; c.required && !there {
			names = append(names, c.name)
		}
	}
	return names
}

// spelling gives the name of a column as the file has it.
func (h header) spelling(name string) string {
	i, there := h.at[name]
	if !there {
		return name
	}
	return strings.TrimSpace(h.cells[i])
}
