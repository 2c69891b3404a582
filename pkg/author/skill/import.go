package skill

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// MaxSkills is the most skills of a file.
const MaxSkills = 50_000

// ImportedFramework is a framework in a file.
type ImportedFramework struct {
	// ID names an existing framework. Without it the framework is found by Identifier,
	// and made if there is none.
	ID         ids.ID
	Identifier ids.ID
	FrameworkInput
	// Source is the part of a CASE package outside its items, empty for a CSV file: then source,
	// title and description of a framework do not change.
	Source json.RawMessage
	Skills []ImportedSkill
	// Publish publishes the drafts that the skills of the file have in the end.
	Publish bool
	// Problems are the problems that were found in reading the file.
	Problems []ImportProblem
}

// ImportedSkill is a skill in a file. It is matched by its identifier or, without one, by its code in
// the framework. Nil fields change nothing.
type ImportedSkill struct {
	Identifier  ids.ID
	Code        *string
	Name        string
	Description *string
	Levels      *[]Level
	// Parent is the identifier or the code of a skill of the file or of the framework; empty is the top.
	Parent   *string
	Position int
	// Source is the item of a CASE package; empty in a CSV file.
	Source json.RawMessage
	// sharedCode says what happens to a code that another skill has: CASE lets items share one, so
	// the skill then goes without.
	sharedCode bool
}

// ImportProblem is a problem with a skill of a file, or with the whole file if Row is -1. Paths name
// fields (code, name, description, levels, parent, identifier); the paths of a CASE package begin with CF.
type ImportProblem struct {
	Row int
	errs.Field
}

// The changes of an import.
const (
	ImportCreated   = "created"
	ImportChanged   = "changed"
	ImportUnchanged = "unchanged"
)

// ImportResult is the result of an import. With problems nothing was written.
type ImportResult struct {
	FrameworkID ids.ID
	// Changes has the result for each skill of the file.
	Changes   []string
	Published int
	// Others counts the skills of the framework that the file does not name. They do not change.
	Others   int
	Problems []ImportProblem
	Warnings []ImportProblem
}

// NamedFramework gives the identifier of the framework that CSV files of this title make, so that
// importing a file again finds it.
func NamedFramework(tx *db.Tx, title string) ids.ID {
	return uuid.NewSHA1(tx.Tenant(), []byte("skill framework "+title))
}

// Import creates the skills of a file with their framework, and changes the ones that differ, in a
// handful of statements. It removes no skill. The content of versions goes to drafts, which Publish
// publishes. Capability: skills.manage. Errors: not_found for a framework named by its id.
func Import(ctx context.Context, tx *db.Tx, in ImportedFramework) (ImportResult, error) {
	if err := tx.Require(capability.SkillsManage); err != nil {
		return ImportResult{}, err
	}
	p := &importPlan{in: in, spoiled: map[int]bool{}, blamed: map[ImportProblem]bool{}, fileID: map[ids.ID]int{}, byIdentifier: map[ids.ID]*importedSkill{}, byCode: map[string]*importedSkill{}}
	for _, bad := range in.Problems {
		p.bad(bad.Row, bad.Path, bad.Code, bad.Message)
	}
	err := p.openFramework(ctx, tx)
	if err == nil {
		err = p.load(ctx, tx)
	}
	if err == nil {
		err = p.plan(ctx, tx)
	}
	if err != nil {
		return ImportResult{}, err
	}
	if len(p.result.Problems) > 0 {
		return p.result, nil
	}
	return p.result, p.store(ctx, tx)
}

// openFramework finds the framework, or makes it, and locks it.
func (p *importPlan) openFramework(ctx context.Context, tx *db.Tx) error {
	if p.in.ID == ids.None {
		err := p.makeFramework(ctx, tx)
		if err != nil || p.in.ID == ids.None {
			return err
		}
	}
	f, err := lockFramework(ctx, tx, p.in.ID)
	if err != nil {
		return err
	}
	err = tx.QueryRow(ctx, "select identifier from skill_frameworks where tenant_id = $1 and id = $2", tx.Tenant(), p.in.ID).Scan(&f.Identifier)
	if err != nil {
		return found("framework", err)
	}
	if f.RetiredAt != nil {
		p.bad(-1, "framework", "retired_framework", "the framework is retired")
	}
	if p.in.Identifier != ids.None && p.in.Identifier != f.Identifier {
		p.bad(-1, "CFDocument.identifier", "another_framework", "the file is of another framework than the one that is named")
	}
	p.framework, p.result.FrameworkID = f, f.ID
	return nil
}

// makeFramework makes the framework of the file if there is none. For a file with problems nothing is written, so it makes none.
func (p *importPlan) makeFramework(ctx context.Context, tx *db.Tx) error {
	for _, f := range p.in.FrameworkInput.problems() {
		p.bad(-1, f.Path, f.Code, f.Message)
	}
	if len(p.result.Problems) == 0 {
		tag, err := tx.Exec(ctx, `
			insert into skill_frameworks (tenant_id, id, identifier, title, description, source, created_at, updated_at)
			values ($1, $2, $3, $4, $5, coalesce($6::text::jsonb, '{}'), $7, $7) on conflict on constraint skill_frameworks_identifier do nothing`,
			tx.Tenant(), ids.New(), p.in.Identifier, p.in.Title, p.in.Description, text(p.in.Source), tx.Now())
		if err != nil {
			return fmt.Errorf("make framework: %w", err)
		}
		p.made = tag == 1
	}
	err := tx.QueryRow(ctx, "select id from skill_frameworks where tenant_id = $1 and identifier = $2", tx.Tenant(), p.in.Identifier).Scan(&p.in.ID)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("find framework: %w", err)
	}
	return nil
}

// store writes the changes of the plan.
func (p *importPlan) store(ctx context.Context, tx *db.Tx) error {
	changed, err := p.storeFramework(ctx, tx)
	if err == nil {
		err = p.storeSkills(ctx, tx)
	}
	if err == nil {
		err = p.storeVersions(ctx, tx)
	}
	if err != nil {
		return fmt.Errorf("import framework: %w", err)
	}
	count := map[string]int{}
	for _, change := range p.result.Changes {
		count[change]++
	}
	if !p.made && !changed && count[ImportCreated]+count[ImportChanged]+p.result.Published == 0 {
		return nil
	}
	return ledger.Append(ctx, tx, ledger.Event{Type: "skill_framework.imported", SubjectType: "skill_framework", SubjectID: p.framework.ID,
		Payload: map[string]any{"created": count[ImportCreated], "changed": count[ImportChanged], "unchanged": count[ImportUnchanged],
			"published": p.result.Published}})
}

// text is a JSON text as a parameter, nil if there is none.
func text(raw json.RawMessage) *string {
	if raw == nil {
		return nil
	}
	s := string(raw)
	return &s
}
