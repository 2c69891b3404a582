package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"assess/pkg/author/skill"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/wire"
	"assess/pkg/report/projection"
	"assess/pkg/surface/intake"
)

// mappingRecords are the commands that read and change mapping sets.
func mappingRecords(s *Shell) []*cobra.Command {
	var page, versions db.Page
	return []*cobra.Command{
		newList(s, "list", "List mapping sets, newest first", &page, with(&page, skill.ListSets), mappingSetColumns),
		newShow(s, "show SET-ID", "Show a mapping set with the rules of its draft, or else of the version that is active", byID("mapping set", showMapping), drawn(drawMapping)),
		newList(s, "versions SET-ID", "List the versions of a mapping set, newest first", &versions,
			byID("mapping set", func(ctx context.Context, tx *db.Tx, id ids.ID) (db.List[skill.MappingVersion], error) {
				return skill.ListMappings(ctx, tx, id, versions)
			}), mappingVersionColumns),
		newMappingCreate(s), newMappingUpdate(s), newMappingRules(s),
		newRemove(s, "drop SET-ID", "Remove the draft of a mapping set", "Remove the draft of the mapping set %[1]s?", byID("mapping set", dropMapping)),
		newShow(s, "validate SET-ID", "List all that is wrong with the draft of a mapping set", byID("mapping set", validateMapping), printValidation),
		newMappingPublish(s),
	}
}

// shownMapping is a mapping set with the version that is worked on.
type shownMapping struct {
	skill.MappingSet
	Version *skill.MappingVersionDetail `json:"version,omitempty"`
}

func showMapping(ctx context.Context, tx *db.Tx, id ids.ID) (shownMapping, error) {
	set, err := skill.GetSet(ctx, tx, id)
	shown := shownMapping{MappingSet: set}
	version := set.DraftID
	if version == nil {
		version = set.ActiveVersionID
	}
	if err != nil || version == nil {
		return shown, err
	}
	v, err := skill.GetMapping(ctx, tx, id, *version)
	shown.Version = &v
	return shown, err
}

func drawMapping(screen *Screen, m shownMapping) error {
	err := writeFields(screen, m.MappingSet, mappingSetColumns)
	if err != nil || m.Version == nil {
		return err
	}
	fmt.Fprintln(screen)
	return drawVersion(screen, *m.Version)
}

func drawVersion(screen *Screen, v skill.MappingVersionDetail) error {
	fmt.Fprintln(screen, screen.Paint(Strong, fmt.Sprintf("Version %d, %s", v.Number, v.Status)), v.ID)
	return Table(screen, v.Rules, ruleColumns(v.Names)...)
}

func newMappingCreate(s *Shell) *cobra.Command {
	var in skill.MappingSetInput
	cmd := newAct(s, "create TITLE", "Create a mapping set", with(&in, skill.CreateSet, &in.Title), fields(mappingSetColumns))
	cmd.Flags().StringVar(&in.Description, "description", "", "what it is for")
	return cmd
}

func newMappingUpdate(s *Shell) *cobra.Command {
	var p skill.MappingSetPatch
	cmd := newAct(s, "update SET-ID", "Change a mapping set, or retire it", change("mapping set", &p, skill.UpdateSet), fields(mappingSetColumns))
	newText(cmd, &p.Title, "title")
	newText(cmd, &p.Description, "description")
	optional(cmd, &p.Retired, "retired", "take it out of use; --retired=false takes it into use again", cmd.Flags().Bool)
	return cmd
}

func newMappingRules(s *Shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rules SET-ID FILE",
		Short: "Replace the rules of the draft of a mapping set, which begins where there is none",
		Long: `Replace the rules of the draft of a mapping set, which begins where there is none. FILE is JSON in
the form of the interface; - reads standard input:

  {"rules": [{"ruleType": "tag_predicate", "selector": {"any": ["topic:fire"]},
              "targetSkillId": "0199...", "strategy": "mean", "weight": 1}]}`,
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := recordID("mapping set", args[0])
			if err != nil {
				return err
			}
			var file intake.Input
			err = s.readImport(imported{}, args[1], &file)
			if err != nil {
				return err
			}
			var in skill.RulesInput
			d := json.NewDecoder(bytes.NewReader(wire.Compose(file.Data)))
			d.DisallowUnknownFields()
			if err := d.Decode(&in); err != nil {
				return errs.New(errs.MalformedRequest, "The file cannot be read: %s", err)
			}
			done, err := write(s, cmd, in, func(tx *db.Tx) (skill.MappingVersionDetail, error) { return setRules(cmd.Context(), tx, set, in) })
			if err != nil {
				return err
			}
			return s.Show(done, func(screen *Screen) error { return drawVersion(screen, done) })
		},
	}
	return s.changes(cmd)
}

func setRules(ctx context.Context, tx *db.Tx, id ids.ID, in skill.RulesInput) (skill.MappingVersionDetail, error) {
	set, err := skill.GetSet(ctx, tx, id)
	if err != nil {
		return skill.MappingVersionDetail{}, err
	}
	if in.Rules == nil {
		in.Rules = []skill.RuleInput{} // none, and not the rules of the active version
	}
	if set.DraftID == nil {
		return skill.Draft(ctx, tx, id, in)
	}
	return skill.SetRules(ctx, tx, id, *set.DraftID, in)
}

// draftOf finds the draft of a mapping set.
func draftOf(ctx context.Context, tx *db.Tx, id ids.ID) (ids.ID, error) {
	set, err := skill.GetSet(ctx, tx, id)
	if err == nil && set.DraftID == nil {
		err = errs.New(errs.NothingToPublish, "The mapping set has no draft.")
	}
	return db.OrZero(set.DraftID), err
}

func dropMapping(ctx context.Context, tx *db.Tx, id ids.ID) (removed, error) {
	draft, err := draftOf(ctx, tx, id)
	if err != nil {
		return removed{}, err
	}
	return removed{draft, true}, skill.DropDraft(ctx, tx, id, draft)
}

func validateMapping(ctx context.Context, tx *db.Tx, id ids.ID) (skill.Validation, error) {
	draft, err := draftOf(ctx, tx, id)
	if err != nil {
		return skill.Validation{}, err
	}
	return skill.Validate(ctx, tx, id, draft, projection.CountSkillMatches)
}

// printValidation fails when the draft cannot be published, so that a script can ask first.
func printValidation(s *Shell, v skill.Validation) error {
	err := s.Show(v, func(screen *Screen) error {
		if len(v.Problems) == 0 {
			fmt.Fprintln(screen, "Nothing is wrong with it.")
			return nil
		}
		return Table(screen, v.Problems, mappingProblemColumns...)
	})
	if err == nil && !v.Valid {
		return errs.New(errs.PublishBlocked, "The rules cannot be published yet.")
	}
	return err
}

func newMappingPublish(s *Shell) *cobra.Command {
	var recalculate bool
	publish := func(ctx context.Context, tx *db.Tx, id ids.ID) (projection.PublishedMapping, error) {
		draft, err := draftOf(ctx, tx, id)
		if err != nil {
			return projection.PublishedMapping{}, err
		}
		return projection.PublishMapping(ctx, tx, id, draft, recalculate)
	}
	cmd := newAct(s, "publish SET-ID", "Publish the draft of a mapping set; figures follow it from the next recalculation on",
		byID("mapping set", publish), drawn(drawPublished))
	cmd.Flags().BoolVar(&recalculate, "recalculate", false, "queue the recalculation at once")
	return cmd
}

func drawPublished(screen *Screen, p projection.PublishedMapping) error {
	err := drawVersion(screen, p.MappingVersionDetail)
	if err != nil {
		return err
	}
	if p.Recalculation != nil {
		fmt.Fprintf(screen, "Figures follow it when the recalculation %s is done.\n", p.Recalculation.ID)
		return nil
	}
	fmt.Fprintln(screen, "Figures follow it after: assessctl skill-map recalculate")
	return nil
}

var (
	mappingSetColumns     = columns[skill.MappingSet]("Title, ActiveNumber = Active version, DraftID = Draft, RetiredAt, ID")
	mappingVersionColumns = columns[skill.MappingVersion]("Number = Version, Status, RulesN = Rules, PublishedAt, ContentHash*, ID")
	mappingProblemColumns = columns[skill.Problem]("Severity, Field.Path = Where, Field.Message = What")
)

// ruleColumns shows rules with the names of the records that they refer to.
func ruleColumns(names map[string]string) []Column[skill.Rule] {
	return columns("RuleType = Type, Selects, Skill, Strategy, Weight, HalfLifeDays = Half-life (days), ID*",
		Column[skill.Rule]{Header: "Selects", Cell: func(r skill.Rule) string { return selectorWords(r.Selector, names) }},
		Column[skill.Rule]{Header: "Skill", Cell: func(r skill.Rule) string { return nameOr(names, r.TargetSkillID.String()) }},
		Column[skill.Rule]{Header: "Weight", Cell: func(r skill.Rule) string { return plainNumber(&r.Weight) }, Align: Right},
		Column[skill.Rule]{Header: "Half-life (days)", Cell: func(r skill.Rule) string { return plainNumber(r.HalfLifeDays) }, Align: Right})
}

// nameOr is the name of an id; the id itself where there is none.
func nameOr(names map[string]string, id string) string {
	if name, known := names[id]; known {
		return name
	}
	return id
}

// selectorWords says in words what a rule chooses.
func selectorWords(s skill.Selector, names map[string]string) string {
	var parts []string
	for _, part := range []struct {
		word  string
		terms []string
	}{{"all of", s.All}, {"one of", s.Any}, {"none of", s.None}} {
		if len(part.terms) > 0 {
			var called []string
			for _, term := range part.terms {
				called = append(called, nameOr(names, term))
			}
			parts = append(parts, part.word+" "+strings.Join(called, ", "))
		}
	}
	if s.IncludeDescendants {
		parts = append(parts, "with what stands below")
	}
	for _, id := range []*ids.ID{s.EvaluationID, s.EvaluationVersion, s.QuestionVersion, s.FrameworkID} {
		if id != nil {
			parts = append(parts, nameOr(names, id.String()))
		}
	}
	if s.CodePrefix != "" {
		parts = append(parts, "from "+s.CodePrefix)
	}
	return strings.Join(parts, ", ")
}

func plainNumber(x *float64) string {
	if x == nil {
		return none
	}
	return strconv.FormatFloat(*x, 'f', -1, 64)
}
