package skill

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// WriteCASE writes a framework as a CASE 1.1 package. Parts that came from a package and were not
// changed since go out as they came in. Capability: skills.read. Errors: not_found.
func WriteCASE(ctx context.Context, tx *db.Tx, id ids.ID, to io.Writer) error {
	f, err := GetFramework(ctx, tx, id)
	if err != nil {
		return err
	}
	kept, err := sourceOf(ctx, tx, id)
	if err != nil {
		return err
	}
	all, err := ExportedSkills(ctx, tx, id)
	if err != nil {
		return err
	}
	w := &caseWriter{f: f, to: to, whole: kept.Package, skills: all, byID: map[ids.ID]*ExportedSkill{}, held: map[string]bool{}}
	for i := range all {
		w.byID[all[i].ID] = &all[i]
		if all[i].Code != "" {
			w.held[all[i].Code] = true
		}
	}
	return w.write(ctx, tx, kept.Items)
}

func sourceOf(ctx context.Context, tx *db.Tx, id ids.ID) (source, error) {
	var raw json.RawMessage
	err := tx.QueryRow(ctx, "select source from skill_frameworks where tenant_id = $1 and id = $2", tx.Tenant(), id).Scan(&raw)
	if err != nil {
		return source{}, found("framework", err)
	}
	var s source
	err = json.Unmarshal(raw, &s)
	if err != nil {
		return source{}, fmt.Errorf("read the package of the framework: %w", err)
	}
	if s.Package == nil {
		s.Package = object{}
	}
	return s, nil
}

// ExportedSkill is a skill in the form of files, with its newest version, including drafts.
type ExportedSkill struct {
	storedSkill
	// Parent is the skill above it, nil at the top.
	Parent *ExportedSkill
}

// ExportedSkills gives all skills of a framework, in their order. Capability: skills.read.
func ExportedSkills(ctx context.Context, tx *db.Tx, framework ids.ID) ([]ExportedSkill, error) {
	if err := requireReader(tx); err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, newestSQL, tx.Tenant(), framework)
	if err != nil {
		return nil, fmt.Errorf("read skills: %w", err)
	}
	stored, err := pgx.CollectRows(rows, pgx.RowToStructByPos[storedSkill])
	if err != nil {
		return nil, fmt.Errorf("read skills: %w", err)
	}
	all, byID := make([]ExportedSkill, len(stored)), map[ids.ID]*ExportedSkill{}
	for i, s := range stored {
		all[i] = ExportedSkill{storedSkill: s}
		byID[s.ID] = &all[i]
	}
	for i := range all {
		if above := all[i].ParentID; above != nil {
			all[i].Parent = byID[*above]
		}
	}
	return all, nil
}

// caseWriter writes a package part by part, so that memory holds none of its items.
type caseWriter struct {
	f      Framework
	to     io.Writer
	whole  object
	skills []ExportedSkill
	byID   map[ids.ID]*ExportedSkill
	// held are the codes that skills have.
	held map[string]bool
	err  error
}

func (w *caseWriter) print(parts ...string) {
	for _, part := range parts {
		if w.err == nil {
			_, w.err = io.WriteString(w.to, part)
		}
	}
}

func (w *caseWriter) write(ctx context.Context, tx *db.Tx, order []ids.ID) error {
	document, err := w.document(ctx, tx)
	if err != nil {
		return err
	}
	body, err := marshal(document)
	if err != nil {
		return err
	}
	w.print(`{"CFDocument":`, string(body), `,"CFItems":[`)
	err = w.items(ctx, tx, order)
	if err != nil {
		return err
	}
	w.print("]")
	w.associations(document, order)
	delete(w.whole, "CFDocument")
	delete(w.whole, "CFAssociations")
	for _, key := range slices.Sorted(mapKeys(w.whole)) {
		name, err := marshal(key)
		if err != nil {
			return err
		}
		w.print(",", string(name), ":", string(w.whole[key]))
	}
	w.print("}\n")
	return w.err
}

func mapKeys(o object) func(func(string) bool) {
	return func(yield func(string) bool) {
		for key := range o {
			if !yield(key) {
				return
			}
		}
	}
}

// document gives the document of the package, with the changes that were made here.
func (w *caseWriter) document(ctx context.Context, tx *db.Tx) (object, error) {
	document := readObject(w.whole["CFDocument"])
	if document == nil {
		creator := ""
		err := tx.QueryRow(ctx, "select name from tenants where id = $1", tx.Tenant()).Scan(&creator)
		if err != nil {
			return nil, fmt.Errorf("find tenant: %w", err)
		}
		document = object{}
		document.put("identifier", w.f.Identifier)
		document.put("uri", urn(w.f.Identifier))
		document.put("creator", creator)
		document.put("caseVersion", "1.1")
	}
	// The schema of CASE has it only in documents that come by themselves.
	delete(document, "CFPackageURI")
	if now := (FrameworkInput{w.f.Title, w.f.Description}); now != documentOf(document) {
		document.put("title", now.Title)
		document.put("description", now.Description)
		if now.Description == "" {
			delete(document, "description")
		}
		document.put("lastChangeDateTime", when(w.f.UpdatedAt))
	}
	return document, nil
}

// itemsEach is the number of items in memory at a time.
const itemsEach = 500

// items writes the items in the order of the package, and after them the items that were added since.
func (w *caseWriter) items(ctx context.Context, tx *db.Tx, order []ids.ID) error {
	place := make(map[ids.ID]int, len(order))
	for i, identifier := range order {
		place[identifier] = i
	}
	placeOf := func(s *ExportedSkill) int {
		if i, is := place[s.Identifier]; is {
			return i
		}
		return len(order)
	}
	inOrder := make([]*ExportedSkill, len(w.skills))
	for i := range w.skills {
		inOrder[i] = &w.skills[i]
	}
	slices.SortStableFunc(inOrder, func(a, b *ExportedSkill) int { return placeOf(a) - placeOf(b) })
	separator := ""
	for some := range slices.Chunk(inOrder, itemsEach) {
		sources, err := sourcesOf(ctx, tx, some)
		if err != nil {
			return err
		}
		for _, s := range some {
			body, err := marshal(w.item(s, readObject(sources[s.ID])))
			if err != nil {
				return fmt.Errorf("write items: %w", err)
			}
			w.print(separator, string(body))
			separator = ","
		}
	}
	return nil
}

func sourcesOf(ctx context.Context, tx *db.Tx, skills []*ExportedSkill) (map[ids.ID]json.RawMessage, error) {
	list := make([]ids.ID, len(skills))
	for i, s := range skills {
		list[i] = s.ID
	}
	rows, err := tx.Query(ctx, `
		select n.id, s.source from (select id from unnest($2::uuid[]) u (id) offset 0) n
		cross join lateral (select source from skills where tenant_id = $1 and id = n.id offset 0) s`, tx.Tenant(), list)
	if err != nil {
		return nil, fmt.Errorf("read items: %w", err)
	}
	sources := make(map[ids.ID]json.RawMessage, len(skills))
	var id ids.ID
	var raw json.RawMessage
	_, err = pgx.ForEachRow(rows, []any{&id, &raw}, func() error {
		sources[id] = slices.Clone(raw)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read items: %w", err)
	}
	return sources, nil
}

// item gives an item with the changes that were made here.
func (w *caseWriter) item(s *ExportedSkill, item object) object {
	changed := setName(item, s.Name, s.Description)
	if code := brief(item.str("humanCodingScheme"), maxCode); code != s.Code && (s.Code != "" || !w.held[code]) {
		changed = true
		item.put("humanCodingScheme", s.Code)
		if s.Code == "" {
			delete(item, "humanCodingScheme")
		}
	}
	if _, is := item["statusEndDate"]; s.Retired && !is {
		changed = true
		item.put("statusEndDate", s.UpdatedAt.UTC().Format(time.DateOnly))
	}
	if _, is := item["identifier"]; !is {
		item.put("identifier", s.Identifier)
		item.put("uri", urn(s.Identifier))
	}
	if changed {
		item.put("lastChangeDateTime", when(s.UpdatedAt))
	}
	return item
}

// associations writes the associations of the package, except the places of items that have moved, and then their new places.
func (w *caseWriter) associations(document object, order []ids.ID) {
	above := map[ids.ID]ids.ID{}
	for i := range w.skills {
		above[w.skills[i].Identifier] = w.f.Identifier
		if parent := w.skills[i].Parent; parent != nil {
			above[w.skills[i].Identifier] = parent.Identifier
		}
	}
	var all []json.RawMessage
	if json.Unmarshal(w.whole["CFAssociations"], &all) != nil {
		all = nil
	}
	was := map[ids.ID]ids.ID{}
	for _, id := range order {
		was[id] = w.f.Identifier
	}
	placed := map[ids.ID]bool{}
	for _, raw := range all {
		if e := readEdge(raw); e.isChild && !placed[e.child] {
			was[e.child], placed[e.child] = e.parent, true
		}
	}
	const begin = `,"CFAssociations":[`
	separator := begin
	if w.whole["CFAssociations"] != nil {
		w.print(begin)
		separator = ""
	}
	for _, raw := range all {
		if e := readEdge(raw); e.isChild && was[e.child] != above[e.child] {
			continue
		}
		w.print(separator, string(raw))
		separator = ","
	}
	for i := range w.skills {
		s := &w.skills[i]
		if parent := above[s.Identifier]; was[s.Identifier] != parent {
			body, err := marshal(w.place(s, document))
			if err != nil && w.err == nil {
				w.err = err
			}
			w.print(separator, string(body))
			separator = ","
		}
	}
	if separator != begin {
		w.print("]")
	}
}

// place gives the association of a skill with its parent. The identifier is made from both, so that it
// is the same in every export.
func (w *caseWriter) place(s *ExportedSkill, document object) object {
	parent, title := w.f.Identifier, document.str("title")
	if s.Parent != nil {
		parent, title = s.Parent.Identifier, s.Parent.Name
	}
	id := uuid.NewSHA1(parent, []byte("isChildOf "+s.Identifier.String()))
	o := object{}
	o.put("identifier", id)
	o.put("uri", urn(id))
	o.put("associationType", "isChildOf")
	o.put("sequenceNumber", s.Position)
	o.put("originNodeURI", link(s.Name, s.Identifier))
	o.put("destinationNodeURI", link(title, parent))
	o.put("lastChangeDateTime", when(s.UpdatedAt))
	return o
}

func link(title string, id ids.ID) map[string]any {
	return map[string]any{"title": title, "identifier": id, "uri": urn(id)}
}

func urn(id ids.ID) string { return "urn:uuid:" + id.String() }

// when writes a time as every answer does.
func when(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }
