package intake

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

var exportedPassages = exported[authoring.ExportedPassage]{
	columns: []string{"externalId", "title", "text", "lang", "format", "questions", "content"},
	page:    authoring.ExportPassages,
	id:      func(p authoring.ExportedPassage) ids.ID { return p.ID },
	rows:    passageRows,
}

// ExportPassages writes the passages of the home org unit as a file that CommitPassages
// takes, each as its newest version says it, with its questions: importing the file again
// changes nothing. It needs questions.read, and gives the number of passages.
func ExportPassages(ctx context.Context, tx *db.Tx, in Export, to io.Writer) (int, error) {
	return exportedPassages.write(ctx, tx, in, to)
}

func passageRows(_ context.Context, _ *db.Tx, _ authoring.ExportFilter, page []authoring.ExportedPassage) ([]cells, error) {
	var rows []cells
	for _, p := range page {
		written, err := passageCells(p)
		if err != nil {
			return nil, err
		}
		written[0]["questions"] = linkCell(p)
		rows = append(rows, written...)
	}
	return rows, nil
}

// linkCell names questions by their external ids, or by their ids where they have none that
// a list can hold.
func linkCell(p authoring.ExportedPassage) string {
	names := make([]string, 0, len(p.Questions))
	for _, id := range p.Questions {
		name := keyCell(p.ExternalIDs[id], id)
		if strings.Contains(name, ";") {
			name = id.String()
		}
		names = append(names, name)
	}
	return strings.Join(names, ";")
}

func passageCells(p authoring.ExportedPassage) ([]cells, error) {
	key := keyCell(p.ExternalID, p.ID)
	rows := languageCells(p, key)
	if rows != nil && passageReadsAs(rows, p) {
		return rows, nil
	}
	document, err := written(p.Content)
	if err != nil {
		return nil, err
	}
	raw, err := jsonCell(authoring.PassageInput{Title: p.Title, Content: document})
	if err != nil {
		return nil, fmt.Errorf("write passage: %w", err)
	}
	return []cells{{"externalId": key, "content": raw}}, nil
}

// languageCells writes a row for each language, the default one first; nil where one has no
// text form.
func languageCells(p authoring.ExportedPassage, key string) []cells {
	var rows []cells
	locales := slices.DeleteFunc(slices.Sorted(maps.Keys(p.Content.Locales)), func(l string) bool { return l == p.Content.DefaultLocale })
	for _, locale := range slices.Concat([]string{p.Content.DefaultLocale}, locales) {
		c := cells{"externalId": key, "lang": locale}
		if !c.say(map[string]content.Payload{"text": p.Content.Locales[locale]}) {
			return nil
		}
		rows = append(rows, c)
	}
	rows[0]["title"] = p.Title
	return rows
}

func passageReadsAs(rows []cells, p authoring.ExportedPassage) bool {
	back := readBack(passages.columns, rows)
	if back == nil {
		return false
	}
	got := parsePassage(back[0], Input{})
	for _, r := range back[1:] {
		got.merge(r, parsePassage(r, Input{}))
	}
	return len(back[0].file.first) == 0 && got.input.Title == p.Title && sameJSON(got.text, p.Content)
}
