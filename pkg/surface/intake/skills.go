package intake

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"assess/pkg/author/skill"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/plural"
	"assess/pkg/kernel/sheet"
	"assess/pkg/kernel/spelling"
	"assess/pkg/kernel/wire"
)

var skillColumns = []column{
	{name: "code"},
	{name: "identifier"},
	{name: "name", required: true},
	{name: "description", prose: true},
	{name: "parent"},
	{name: "levels"},
}

// SkillCommit is what an import of skills did.
type SkillCommit struct {
	Commit
	FrameworkID ids.ID `json:"frameworkId"`
}

// skillFile is a file of skills that is being read.
type skillFile struct {
	*file
	in skill.ImportedFramework
	// lines has the line of each skill; items of a package count from 1.
	lines []int
}

// PreviewSkills shows what CommitSkills would do. It does it all, so the transaction has to be a dry run.
func PreviewSkills(ctx context.Context, tx *db.Tx, in Input) (Preview, error) {
	f, _, err := importSkills(ctx, tx, in)
	if err != nil {
		return Preview{}, err
	}
	p := Preview{ImportID: in.importID(), Valid: []ValidRow{}, Rows: []PreviewRow{}}
	for i, s := range f.in.Skills {
		key := s.Identifier.String()
		if s.Identifier == ids.None {
			key = db.OrZero(s.Code)
		}
		p.add(f.file, key, nil, nil, []row{{file: f.file, line: f.lines[i]}}, f.bad(f.lines[i]))
	}
	p.tell(f.file, len(f.lines))
	return p, nil
}

// CommitSkills takes skills from a CASE 1.1 package or from CSV into a framework, all or none;
// skill.Import has the rules. It needs skills.manage. Errors: import_invalid, not_found, validation_failed when
// nothing says which framework is meant.
func CommitSkills(ctx context.Context, tx *db.Tx, in Input) (SkillCommit, error) {
	f, done, err := importSkills(ctx, tx, in)
	if err != nil {
		return SkillCommit{}, err
	}
	if len(f.first) > 0 {
		return SkillCommit{}, f.refusal()
	}
	c := SkillCommit{Commit{ImportID: in.importID(), Total: len(f.lines), Written: len(f.lines), Published: done.Published, Errors: f.errors, Warnings: f.warnings}, done.FrameworkID}
	for _, change := range done.Changes {
		c.count(change)
	}
	return c, nil
}

// importSkills reads a file and imports its skills, unless something is wrong with it.
func importSkills(ctx context.Context, tx *db.Tx, in Input) (skillFile, skill.ImportResult, error) {
	err := in.check()
	if err != nil {
		return skillFile{}, skill.ImportResult{}, err
	}
	f := readPackage(in)
	if !f.items {
		f, err = readSkills(tx, in)
	}
	if err != nil {
		return f, skill.ImportResult{}, err
	}
	f.in.ID, f.in.Publish = in.FrameworkID, in.Publish
	done, err := skill.Import(ctx, tx, f.in)
	if err != nil {
		return f, done, err
	}
	for _, p := range done.Problems {
		f.tellProblem(p)
	}
	for _, w := range done.Warnings {
		line, column := f.placeOf(w)
		f.warn(line, column, w.Code, w.Message)
	}
	if done.Others > 0 && len(done.Problems) == 0 {
		f.warn(0, "", "not_in_file", fmt.Sprintf("the framework has %s that the file does not name; nothing was done there", plural.Of(done.Others, "skill")))
	}
	f.sort()
	in.progress(len(f.lines), len(f.lines))
	return f, done, nil
}

// readPackage takes a file for a CASE package if it begins like a JSON object.
func readPackage(in Input) skillFile {
	f := skillFile{file: &file{findings: newFindings()}}
	f.items = bytes.HasPrefix(bytes.TrimSpace(bytes.TrimPrefix(in.Data, []byte("\ufeff"))), []byte("{"))
	if !f.items {
		return f
	}
	f.in = skill.ReadCASE(wire.Compose(bytes.TrimPrefix(in.Data, []byte("\ufeff"))))
	for i := range f.in.Skills {
		f.lines = append(f.lines, i+1)
	}
	return f
}

// readSkills reads a CSV file. Columns that it lacks change nothing.
func readSkills(tx *db.Tx, in Input) (skillFile, error) {
	f := skillFile{file: open(in, skillColumns), in: skill.ImportedFramework{FrameworkInput: skill.FrameworkInput{Title: spelling.Name(in.Title)}}}
	switch {
	case in.FrameworkID == ids.None && strings.TrimSpace(spelling.Name(in.Title)) == "":
		return f, errs.Invalid(errs.Field{Path: "title", Code: "required", Message: "a CSV file does not say which framework it is: give its id, or the title of a new one"})
	case in.FrameworkID == ids.None:
		f.in.Identifier = skill.NamedFramework(tx, spelling.Name(in.Title))
	}
	for r := range f.scan() {
		f.lines = append(f.lines, r.line)
		f.in.Skills = append(f.in.Skills, r.skill(len(f.in.Skills)))
	}
	// A part that cannot be read gets no second complaint.
	if f.header.at == nil || f.unusable {
		f.in.Skills, f.lines = nil, nil
		f.in.Problems = append(f.in.Problems, skill.ImportProblem{Row: -1})
	}
	for line := range f.first {
		i, is := slices.BinarySearch(f.lines, line)
		if !is {
			i = -1
		}
		f.in.Problems = append(f.in.Problems, skill.ImportProblem{Row: i})
	}
	return f, nil
}

func (r row) skill(position int) skill.ImportedSkill {
	s := skill.ImportedSkill{Name: r.text("name"), Code: r.given("code"), Description: r.given("description"), Parent: r.given("parent"), Position: position}
	if word := r.text("identifier"); word != "" {
		id, err := ids.Parse("identifier", word)
		if err != nil {
			r.problem("identifier", "invalid_id", "expected a UUID")
		}
		s.Identifier = id
	}
	if r.given("levels") != nil {
		levels := r.levels()
		s.Levels = &levels
	}
	return s
}

// given is text, nil when the file has no such column.
func (r row) given(name string) *string {
	if _, there := r.file.header.at[name]; !there {
		return nil
	}
	s := r.text(name)
	return &s
}

// levels reads "novice:0; proficient:0.7", or JSON, where a name has a semicolon.
func (r row) levels() []skill.Level {
	levels := []skill.Level{}
	if text := r.text("levels"); strings.HasPrefix(text, "[") {
		if json.Unmarshal([]byte(text), &levels) != nil {
			r.problem("levels", "invalid_level", badLevel)
		}
		return levels
	}
	for _, part := range r.list("levels") {
		at := strings.LastIndexByte(part, ':')
		if at < 0 || strings.TrimSpace(part[at+1:]) == "" {
			r.problem("levels", "invalid_level", badLevel)
			return nil
		}
		threshold := r.readNumber("levels", strings.TrimSpace(part[at+1:]))
		levels = append(levels, skill.Level{Name: strings.TrimSpace(part[:at]), Threshold: db.OrZero(threshold)})
	}
	return levels
}

const badLevel = "expected names with thresholds, such as novice:0; proficient:0.7"

// levelsCell writes the form that levels reads.
func levelsCell(levels []skill.Level) (string, error) {
	var parts []string
	for _, l := range levels {
		if strings.Contains(l.Name, ";") || strings.TrimSpace(l.Name) != l.Name || strings.HasPrefix(l.Name, "[") {
			whole, err := json.Marshal(levels)
			return string(whole), err
		}
		parts = append(parts, l.Name+":"+strconv.FormatFloat(l.Threshold, 'g', -1, 64))
	}
	return strings.Join(parts, "; "), nil
}

// itemFields are the fields of skills as items of a CASE package have them.
var itemFields = map[string]string{"code": "humanCodingScheme", "name": "fullStatement", "description": "fullStatement", "parent": "isChildOf"}

// placeOf says where a problem is: in a line and a column, or in an item.
func (f skillFile) placeOf(p skill.ImportProblem) (line int, column string) {
	path, _, _ := strings.Cut(p.Path, "[")
	if !f.items {
		if p.Row < 0 {
			return 1, f.header.spelling(path)
		}
		return f.lines[p.Row], f.header.spelling(path)
	}
	switch field, known := itemFields[p.Path]; {
	case strings.HasPrefix(p.Path, "CF") || p.Path == "":
		return p.Row + 1, p.Path
	case p.Row < 0:
		return 0, "CFDocument." + p.Path
	case known:
		return p.Row + 1, fmt.Sprintf("CFItems[%d].%s", p.Row, field)
	}
	return p.Row + 1, fmt.Sprintf("CFItems[%d].%s", p.Row, p.Path)
}

// tellProblem adds a problem, unless it only says that reading the file found some.
func (f skillFile) tellProblem(p skill.ImportProblem) {
	if p.Code == "" {
		return
	}
	line, column := f.placeOf(p)
	f.add(line, column, p.Code, p.Message)
}

// ExportSkills writes the skills of a framework as CSV that CommitSkills takes, with their newest versions, and gives
// their number. It needs skills.read. Errors: not_found.
func ExportSkills(ctx context.Context, tx *db.Tx, framework ids.ID, to io.Writer) (int, error) {
	_, err := skill.GetFramework(ctx, tx, framework)
	if err != nil {
		return 0, err
	}
	all, err := skill.ExportedSkills(ctx, tx, framework)
	if err != nil {
		return 0, err
	}
	w := sheet.NewWriter(to)
	err = w.Write([]string{"code", "identifier", "name", "description", "parent", "levels"})
	for _, s := range all {
		if err != nil {
			break
		}
		var levels, parent string
		if s.Parent != nil {
			parent = s.Parent.Identifier.String()
		}
		levels, err = levelsCell(s.Levels)
		if err == nil {
			err = w.Write([]string{s.Code, s.Identifier.String(), s.Name, s.Description, parent, levels})
		}
	}
	w.Flush()
	if err == nil {
		err = w.Error()
	}
	if err != nil {
		return 0, fmt.Errorf("write export: %w", err)
	}
	return len(all), nil
}
