package httpapi

import (
	"context"

	"assess/pkg/author/skill"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

func listSkillFrameworks(ctx context.Context, tx *db.Tx, in *PageQuery) (db.List[skill.Framework], error) {
	return skill.ListFrameworks(ctx, tx, in.page())
}

type createSkillFrameworkInput struct{ Body skill.FrameworkInput }

func createSkillFramework(ctx context.Context, tx *db.Tx, in *createSkillFrameworkInput) (skill.Framework, error) {
	return skill.CreateFramework(ctx, tx, in.Body)
}

func getSkillFramework(ctx context.Context, tx *db.Tx, in *ByID) (skill.Framework, error) {
	return skill.GetFramework(ctx, tx, in.ID)
}

type updateSkillFrameworkInput struct {
	ByID
	Body skill.FrameworkPatch
}

func updateSkillFramework(ctx context.Context, tx *db.Tx, in *updateSkillFrameworkInput) (skill.Framework, error) {
	return skill.UpdateFramework(ctx, tx, in.ID, in.Body)
}

type listSkillsInput struct {
	FrameworkID ids.ID `query:"frameworkId"`
	ParentID    ids.ID `query:"parentId" doc:"Skills directly below this one"`
	TermID      ids.ID `query:"termId" doc:"Skills with this competency tag"`
	Top         bool   `query:"top" doc:"Skills at the top of their frameworks, or in none"`
	Retired     string `query:"retired" enum:"true,false" doc:"Retired skills alone, or active ones alone. Default: both"`
	Prefix      string `query:"q" maxLength:"200" doc:"How the code begins" example:"N1"`
	PageQuery
}

func listSkills(ctx context.Context, tx *db.Tx, in *listSkillsInput) (db.List[skill.Skill], error) {
	f := skill.Filter{FrameworkID: ids.Ref(in.FrameworkID), ParentID: ids.Ref(in.ParentID), TermID: ids.Ref(in.TermID), Top: in.Top, Prefix: in.Prefix, Page: in.page()}
	if in.Retired != "" {
		retired := in.Retired == "true"
		f.Retired = &retired
	}
	return skill.List(ctx, tx, f)
}

type createSkillInput struct{ Body skill.Input }

func createSkill(ctx context.Context, tx *db.Tx, in *createSkillInput) (skill.Detail, error) {
	return skill.Create(ctx, tx, in.Body)
}

func getSkill(ctx context.Context, tx *db.Tx, in *ByID) (skill.Detail, error) {
	return skill.Get(ctx, tx, in.ID)
}

type updateSkillInput struct {
	ByID
	Body skill.Patch
}

func updateSkill(ctx context.Context, tx *db.Tx, in *updateSkillInput) (skill.Detail, error) {
	return skill.Update(ctx, tx, in.ID, in.Body)
}

func publishSkill(ctx context.Context, tx *db.Tx, in *ByID) (skill.Detail, error) {
	return skill.Publish(ctx, tx, in.ID)
}

func listSkillVersions(ctx context.Context, tx *db.Tx, in *pageByIDInput) (db.List[skill.Version], error) {
	return skill.ListVersions(ctx, tx, in.ID, in.page())
}

func listMappingSets(ctx context.Context, tx *db.Tx, in *PageQuery) (db.List[skill.MappingSet], error) {
	return skill.ListSets(ctx, tx, in.page())
}

type createMappingSetInput struct{ Body skill.MappingSetInput }

func createMappingSet(ctx context.Context, tx *db.Tx, in *createMappingSetInput) (skill.MappingSet, error) {
	return skill.CreateSet(ctx, tx, in.Body)
}

func getMappingSet(ctx context.Context, tx *db.Tx, in *ByID) (skill.MappingSet, error) {
	return skill.GetSet(ctx, tx, in.ID)
}

type updateMappingSetInput struct {
	ByID
	Body skill.MappingSetPatch
}

func updateMappingSet(ctx context.Context, tx *db.Tx, in *updateMappingSetInput) (skill.MappingSet, error) {
	return skill.UpdateSet(ctx, tx, in.ID, in.Body)
}

func listMappingVersions(ctx context.Context, tx *db.Tx, in *pageByIDInput) (db.List[skill.MappingVersion], error) {
	return skill.ListMappings(ctx, tx, in.ID, in.page())
}

type draftMappingInput struct {
	ByID
	Body skill.RulesInput
}

func draftMapping(ctx context.Context, tx *db.Tx, in *draftMappingInput) (skill.MappingVersionDetail, error) {
	return skill.Draft(ctx, tx, in.ID, in.Body)
}

// ByMappingVersion names a version of a mapping set.
type ByMappingVersion struct {
	ByID
	VersionID ids.ID `path:"versionId"`
}

func getMappingVersion(ctx context.Context, tx *db.Tx, in *ByMappingVersion) (skill.MappingVersionDetail, error) {
	return skill.GetMapping(ctx, tx, in.ID, in.VersionID)
}

type setMappingRulesInput struct {
	ByMappingVersion
	Body skill.RulesInput
}

func setMappingRules(ctx context.Context, tx *db.Tx, in *setMappingRulesInput) (skill.MappingVersionDetail, error) {
	return skill.SetRules(ctx, tx, in.ID, in.VersionID, in.Body)
}

func dropMappingDraft(ctx context.Context, tx *db.Tx, in *ByMappingVersion) (none, error) {
	return none{}, skill.DropDraft(ctx, tx, in.ID, in.VersionID)
}

func validateMapping(ctx context.Context, tx *db.Tx, in *ByMappingVersion) (skill.Validation, error) {
	return skill.Validate(ctx, tx, in.ID, in.VersionID, projection.CountSkillMatches)
}

type publishMappingInput struct {
	ByMappingVersion
	Recalculate bool `query:"recalculate" doc:"Queue the recalculation at once, so that figures follow"`
}

func publishMapping(ctx context.Context, tx *db.Tx, in *publishMappingInput) (projection.PublishedMapping, error) {
	return projection.PublishMapping(ctx, tx, in.ID, in.VersionID, in.Recalculate)
}
