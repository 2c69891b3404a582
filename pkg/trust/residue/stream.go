package residue

import (
	"context"
	"fmt"
	"io"
)

// Met says which kind of identifier a stream holds, and in which form.
type Met struct {
	Kind Kind
	Form Form
}

// InStream searches something that is no table and no file of the store: a dump of the database, a
// log. It also searches everything packed in it. Memory: as for a file.
func InStream(ctx context.Context, from io.Reader, identifiers []Identifier) ([]Met, error) {
	var all []Met
	seen := map[Met]bool{}
	hit := func(m match) {
		met := Met{identifiers[m.identifier].Kind, m.form}
		if !seen[met] {
			seen[met] = true
			all = append(all, met)
		}
	}
	u := &unpacker{ctx: ctx, matcher: newMatcher(identifiers), hit: hit, gap: func(string, Reason) {}, limit: maxUnpacked}
	err := u.stream("", from, 0)
	if err != nil {
		return nil, fmt.Errorf("search a stream: %w", err)
	}
	return all, nil
}
