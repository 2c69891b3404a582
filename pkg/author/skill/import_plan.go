package skill

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// importPlan is a framework as it will be after the import.
type importPlan struct {
	in        ImportedFramework
	framework Framework
	// made says that the import made the framework.
	made   bool
	result ImportResult
	// spoiled are the skills of the file with problems.
	spoiled map[int]bool
	// blamed are the problems of the tree that were reported.
	blamed map[ImportProblem]bool
	// fileID is the row of the file that has an identifier.
	fileID map[ids.ID]int
	// skills are the skills of the framework, with the skills of the file; rows are the skills of
	// the file, nil if it does not say which skill it means.
	skills       []*importedSkill
	rows         []*importedSkill
	byIdentifier map[ids.ID]*importedSkill
	byCode       map[string]*importedSkill
}

// importedSkill is a skill as it will be, and as it was.
type importedSkill struct {
	row        int
	id         ids.ID
	identifier ids.ID
	parent     *importedSkill
	code       string
	position   int
	content    Content
	source     json.RawMessage
	was        *storedSkill
}

// storedSkill is a stored skill, with its newest version.
type storedSkill struct {
	ID, Identifier ids.ID
	ParentID       *ids.ID
	Code           string
	Position       int
	Retired        bool
	UpdatedAt      time.Time
	Number         int
	Draft          bool
	Name           string
	Description    string
	Levels         []Level
}

func (p *importPlan) bad(row int, path, code, message string) {
	p.spoiled[row] = true
	p.result.Problems = append(p.result.Problems, ImportProblem{row, errs.Field{Path: path, Code: code, Message: message}})
}

// newestSQL gives the skills of a framework with their newest versions, drafts included.
const newestSQL = `
	select s.id, s.identifier, s.parent_id, coalesce(s.code, ''), s.position, s.retired_at is not null, s.updated_at,
		v.number, v.status = 'draft', v.name, v.description, v.levels
	from skills s
	cross join lateral (
		select * from skill_versions where tenant_id = $1 and skill_id = s.id order by number desc limit 1
	) v
	where s.tenant_id = $1 and s.framework_id = $2 order by s.position, s.id`

// load reads the skills of the framework.
func (p *importPlan) load(ctx context.Context, tx *db.Tx) error {
	rows, err := tx.Query(ctx, newestSQL, tx.Tenant(), p.framework.ID)
	if err != nil {
		return fmt.Errorf("read skills: %w", err)
	}
	stored, err := pgx.CollectRows(rows, pgx.RowToAddrOfStructByPos[storedSkill])
	if err != nil {
		return fmt.Errorf("read skills: %w", err)
	}
	byID := make(map[ids.ID]*importedSkill, len(stored))
	for _, was := range stored {
		s := &importedSkill{row: -1, id: was.ID, identifier: was.Identifier, code: was.Code, position: was.Position,
			content: Content{was.Name, was.Description, was.Levels}, was: was}
		p.skills = append(p.skills, s)
		p.byIdentifier[s.identifier], byID[s.id] = s, s
		if s.code != "" {
			p.byCode[s.code] = s
		}
	}
	for _, s := range p.skills {
		if s.was.ParentID != nil {
			s.parent = byID[*s.was.ParentID]
		}
	}
	return nil
}

func (p *importPlan) plan(ctx context.Context, tx *db.Tx) error {
	if len(p.in.Skills) > MaxSkills {
		p.bad(-1, "", "too_many", fmt.Sprintf("at most %d skills; the file has %d", MaxSkills, len(p.in.Skills)))
		return nil
	}
	p.result.Changes, p.rows = make([]string, len(p.in.Skills)), make([]*importedSkill, len(p.in.Skills))
	for i, in := range p.in.Skills {
		p.match(i, in)
	}
	p.takeCodes()
	for i, in := range p.in.Skills {
		p.placeBelow(i, in)
	}
	p.checkShape()
	err := p.checkIdentifiers(ctx, tx)
	if err != nil {
		return err
	}
	for _, s := range p.skills {
		if s.row < 0 {
			p.result.Others++
		}
	}
	return p.compare(ctx, tx)
}

// match finds the skill that a line of the file means, or starts it, and gives it the values of the line.
func (p *importPlan) match(i int, in ImportedSkill) {
	content, code := Content{Name: in.Name}, ""
	if in.Code != nil {
		code = *in.Code
	}
	s := p.byIdentifier[in.Identifier]
	if in.Identifier == ids.None && code != "" {
		s = p.byCode[code]
	}
	switch {
	case in.Identifier == ids.None && code == "":
		if !p.spoiled[i] {
			p.bad(i, "code", "required", "a skill needs a code or an identifier")
		}
		return
	case s == nil:
		s = &importedSkill{row: -1, id: ids.New(), identifier: in.Identifier}
		if in.Identifier == ids.None {
			s.identifier = s.id
		}
		p.skills = append(p.skills, s)
		p.byIdentifier[s.identifier] = s
		if in.Identifier == ids.None {
			p.byCode[code] = s
		}
	case s.row >= 0:
		p.bad(i, "identifier", "duplicate", "another line of the file names this skill")
		return
	}
	s.row, p.rows[i], p.fileID[s.identifier] = i, s, i
	s.position, s.source = in.Position, in.Source
	content.Description, content.Levels = s.content.Description, s.content.Levels
	set(&content.Description, in.Description)
	set(&content.Levels, in.Levels)
	var bad []errs.Field
	s.content, bad = content.check("")
	for _, f := range slices.Concat(bad, errs.Line("code", code, maxCode, false)) {
		p.bad(i, f.Path, f.Code, f.Message)
	}
}

// takeCodes gives the codes of the file to its skills, first come first served. Skills that the file
// does not name keep theirs.
func (p *importPlan) takeCodes() {
	taken := map[string]*importedSkill{}
	for _, s := range p.skills {
		if s.row < 0 || p.in.Skills[s.row].Code == nil {
			taken[s.code] = s
		}
	}
	for i, s := range p.rows {
		if s == nil || p.in.Skills[i].Code == nil {
			continue
		}
		code := *p.in.Skills[i].Code
		other, is := taken[code]
		switch {
		case !is || code == "":
			s.code, taken[code] = code, s
		case p.in.Skills[i].sharedCode:
			s.code = ""
			p.result.Warnings = append(p.result.Warnings, ImportProblem{i, errs.Field{Path: "code", Code: "shared_code",
				Message: "another item has this code, which is unique here: the skill goes without one, and the package keeps it"}})
		case other != s:
			p.bad(i, "code", "duplicate", "another skill of the framework has this code")
		}
	}
	for code, s := range taken {
		p.byCode[code] = s
	}
	delete(p.byCode, "")
}

// placeBelow puts a skill below the one that its line names.
func (p *importPlan) placeBelow(i int, in ImportedSkill) {
	s := p.rows[i]
	if s == nil || in.Parent == nil {
		return
	}
	if *in.Parent == "" {
		s.parent = nil
		return
	}
	above, known := p.byCode[*in.Parent]
	if id, err := ids.Parse("", *in.Parent); !known && err == nil {
		above, known = p.byIdentifier[id]
	}
	if !known {
		p.bad(i, "parent", "unknown_parent", "neither the file nor the framework has this skill")
		return
	}
	s.parent = above
}

// checkShape walks up from each skill, over each of them once. Skills that a walk meets again form
// a circle; skills below a circle are not reported, since they are not to blame.
func (p *importPlan) checkShape() {
	depth, onPath := make(map[*importedSkill]int, len(p.skills)), map[*importedSkill]int{}
	const lost = -1
	for _, from := range p.skills {
		var path []*importedSkill
		at := from
		for ; at != nil && depth[at] == 0; at = at.parent {
			if start, again := onPath[at]; again {
				for _, s := range path[start:] {
					depth[s] = lost
					p.blame(s, "cycle", "the skill stands below itself")
				}
				path = path[:start]
				break
			}
			onPath[at] = len(path)
			path = append(path, at)
		}
		clear(onPath)
		for _, s := range slices.Backward(path) {
			above := s.parent
			switch {
			case above == nil:
				depth[s] = 1
			case depth[above] == lost:
				depth[s] = lost
			default:
				depth[s] = depth[above] + 1
			}
			if depth[s] == MaxDepth+1 {
				p.blame(s, "too_deep", fmt.Sprintf("a framework has at most %d levels", MaxDepth))
			}
		}
	}
}

// blame reports a problem at the line of a skill, or of the nearest skill above it that the file names; each line once.
func (p *importPlan) blame(s *importedSkill, code, message string) {
	row := -1
	for above := s; above != nil && row < 0; above = above.parent {
		row = above.row
	}
	if f := (ImportProblem{row, errs.Field{Path: "parent", Code: code, Message: message}}); !p.blamed[f] {
		p.blamed[f] = true
		p.bad(row, f.Path, code, message)
	}
}

// checkIdentifiers refuses identifiers that skills elsewhere have.
func (p *importPlan) checkIdentifiers(ctx context.Context, tx *db.Tx) error {
	var newOnes []ids.ID
	for _, s := range p.skills {
		if s.was == nil {
			newOnes = append(newOnes, s.identifier)
		}
	}
	taken, err := existing(ctx, tx, "select identifier from skills where tenant_id = $1 and identifier = any($2)", newOnes)
	if err != nil {
		return err
	}
	for identifier, row := range p.fileID {
		if taken[identifier] {
			p.bad(row, "identifier", "taken", "a skill outside of the framework has this identifier")
		}
	}
	slices.SortStableFunc(p.result.Problems, func(a, b ImportProblem) int { return a.Row - b.Row })
	return nil
}

// compare says for each line what it changes. The database compares sources, since it does not keep
// the spelling of JSON.
func (p *importPlan) compare(ctx context.Context, tx *db.Tx) error {
	if len(p.result.Problems) > 0 {
		return nil
	}
	var list []ids.ID
	var sources []string
	for _, s := range p.rows {
		if s.was != nil && s.source != nil {
			list, sources = append(list, s.id), append(sources, string(s.source))
		}
	}
	rows, err := tx.Query(ctx, `
		select n.id from (select * from unnest($2::uuid[], $3::text[]) u (id, source) offset 0) n
		cross join lateral (select source from skills where tenant_id = $1 and id = n.id offset 0) s
		where s.source <> n.source::jsonb`, tx.Tenant(), list, sources)
	if err != nil {
		return fmt.Errorf("compare skills: %w", err)
	}
	differ, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil {
		return fmt.Errorf("compare skills: %w", err)
	}
	is := make(map[ids.ID]bool, len(differ))
	for _, id := range differ {
		is[id] = true
	}
	for i, s := range p.rows {
		switch {
		case s.was == nil:
			p.result.Changes[i] = ImportCreated
		case is[s.id] || s.placed() || s.redrafted():
			p.result.Changes[i] = ImportChanged
		default:
			p.result.Changes[i] = ImportUnchanged
		}
	}
	return nil
}

// placed says that the skill has another place than before.
func (s *importedSkill) placed() bool {
	return s.code != s.was.Code || s.position != s.was.Position || (s.parent == nil) != (s.was.ParentID == nil) ||
		s.parent != nil && s.parent.id != *s.was.ParentID
}

// redrafted says that the content of its version changes.
func (s *importedSkill) redrafted() bool {
	return s.was == nil || s.content.Name != s.was.Name || s.content.Description != s.was.Description || !slices.Equal(s.content.Levels, s.was.Levels)
}
