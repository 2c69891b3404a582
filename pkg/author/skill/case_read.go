package skill

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// maxAssociations is the most associations of a package.
const maxAssociations = 4 * MaxSkills

// casePackage is a package that is being read.
type casePackage struct {
	ImportedFramework
	document ids.ID
	row      map[ids.ID]int
	// children are the rows below an item, or below none; parent is the parent of a row.
	parent   map[int]ids.ID
	sequence map[int]float64
}

// source has the part of its package that a framework keeps: all except the items, and their order.
type source struct {
	Package object   `json:"package"`
	Items   []ids.ID `json:"items"`
}

// ReadCASE reads a CASE 1.1 package (CFPackage) in JSON. The result includes every problem of the
// package: the import refuses it.
func ReadCASE(data []byte) ImportedFramework {
	p := &casePackage{row: map[ids.ID]int{}, parent: map[int]ids.ID{}, sequence: map[int]float64{}}
	var whole object
	if !utf8.Valid(data) {
		p.bad(-1, "", "invalid_utf8", "the file is not UTF-8")
		return p.ImportedFramework
	}
	if err := json.Unmarshal(data, &whole); err != nil {
		p.bad(-1, "", "malformed_json", "the file is no JSON object")
		return p.ImportedFramework
	}
	if why := unstorable(data); why != "" {
		p.bad(-1, "", "invalid_text", "the file cannot be kept: "+why)
		return p.ImportedFramework
	}
	p.readDocument(whole["CFDocument"])
	p.readItems(whole["CFItems"])
	p.readAssociations(whole["CFAssociations"])
	p.settle()
	delete(whole, "CFItems")
	items := make([]ids.ID, len(p.Skills))
	for i, s := range p.Skills {
		items[i] = s.Identifier
	}
	kept, err := marshal(source{whole, items})
	if err != nil {
		p.bad(-1, "", "malformed_json", "the file is no JSON object")
	}
	p.Source = kept
	return p.ImportedFramework
}

func (p *casePackage) bad(row int, path, code, message string) {
	p.Problems = append(p.Problems, ImportProblem{row, errs.Field{Path: path, Code: code, Message: message}})
}

func (p *casePackage) readDocument(raw json.RawMessage) {
	document := readObject(raw)
	if document == nil {
		p.bad(-1, "CFDocument", "required", "a package has a document")
		return
	}
	p.document = document.id("identifier")
	p.Identifier = p.document
	if p.document == ids.None {
		p.bad(-1, "CFDocument.identifier", "invalid_id", "expected a UUID")
	}
	p.FrameworkInput = documentOf(document)
}

// documentOf gives the fields of a framework that come from a document.
func documentOf(document object) FrameworkInput {
	return FrameworkInput{Title: brief(document.str("title"), maxTitle), Description: document.str("description")}
}

// readItems reads the items; each is a row.
func (p *casePackage) readItems(raw json.RawMessage) {
	var items []json.RawMessage
	if raw != nil && json.Unmarshal(raw, &items) != nil {
		p.bad(-1, "CFItems", "malformed_json", "expected a list of items")
		return
	}
	if len(items) > MaxSkills {
		p.bad(-1, "CFItems", "too_many", fmt.Sprintf("at most %d items; the package has %d", MaxSkills, len(items)))
		return
	}
	p.Skills = make([]ImportedSkill, len(items))
	for i, raw := range items {
		item, at := readObject(raw), fmt.Sprintf("CFItems[%d]", i)
		if item == nil {
			p.bad(i, at, "malformed_json", "expected an item")
			continue
		}
		id := item.id("identifier")
		first, again := p.row[id]
		switch {
		case id == ids.None:
			p.bad(i, at+".identifier", "invalid_id", "expected a UUID")
			continue
		case again:
			p.bad(i, at+".identifier", "duplicate", fmt.Sprintf("CFItems[%d] has this identifier", first))
			continue
		}
		p.row[id] = i
		name, description := nameOf(item)
		code := brief(item.str("humanCodingScheme"), maxCode)
		p.Skills[i] = ImportedSkill{Identifier: id, Code: &code, Name: name, Description: &description, Source: raw, sharedCode: true}
	}
}

// readAssociations finds the parents of items. If a package names a parent twice, the first one counts; associations
// with items in other documents are only kept.
func (p *casePackage) readAssociations(raw json.RawMessage) {
	var all []json.RawMessage
	if raw != nil && json.Unmarshal(raw, &all) != nil {
		p.bad(-1, "CFAssociations", "malformed_json", "expected a list of associations")
		return
	}
	if len(all) > maxAssociations {
		p.bad(-1, "CFAssociations", "too_many", fmt.Sprintf("at most %d associations; the package has %d", maxAssociations, len(all)))
		return
	}
	for i, raw := range all {
		e, at := readEdge(raw), fmt.Sprintf("CFAssociations[%d]", i)
		if !e.isChild {
			continue
		}
		row, known := p.row[e.child]
		if !known {
			p.bad(-1, at+".originNodeURI", "unknown_child", "the package has no such item")
			continue
		}
		if _, known = p.row[e.parent]; !known && e.parent != p.document {
			p.bad(row, at+".destinationNodeURI", "unknown_parent", "the package has no such item")
			continue
		}
		if _, placed := p.parent[row]; !placed {
			p.parent[row], p.sequence[row] = e.parent, e.sequence
		}
	}
}

// edge is an association of the type isChildOf.
type edge struct {
	isChild       bool
	child, parent ids.ID
	sequence      float64
}

func readEdge(raw json.RawMessage) edge {
	o := readObject(raw)
	if o.str("associationType") != "isChildOf" {
		return edge{}
	}
	e := edge{isChild: true, child: readObject(o["originNodeURI"]).id("identifier"), parent: readObject(o["destinationNodeURI"]).id("identifier")}
	if json.Unmarshal(o["sequenceNumber"], &e.sequence) != nil {
		e.sequence = 0
	}
	return e
}

// settle gives each skill its parent and its position: the position in a walk through the tree, by sequence numbers
// and then in the order of the items. Items that a walk from the top does not reach come last; they are in a circle.
func (p *casePackage) settle() {
	below := map[ids.ID][]int{}
	for i := range p.Skills {
		s, parent := &p.Skills[i], p.parent[i]
		if parent == p.document {
			parent = ids.None
		}
		word := ""
		if parent != ids.None {
			word = parent.String()
		}
		s.Parent = &word
		below[parent] = append(below[parent], i)
	}
	for _, rows := range below {
		slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(p.sequence[a], p.sequence[b]) })
	}
	next, waiting := 0, slices.Clone(below[ids.None])
	slices.Reverse(waiting)
	for len(waiting) > 0 {
		row := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		p.Skills[row].Position, next = next, next+1
		if id := p.Skills[row].Identifier; id != ids.None {
			for _, child := range slices.Backward(below[id]) {
				waiting = append(waiting, child)
			}
		}
	}
}
