package httpapi

import (
	"context"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	reportpage "assess/pkg/report/page"
	"assess/pkg/report/projection"
	"assess/pkg/report/skills"
)

func skillFigureRoutes() []route {
	reads, maps := needs(capability.SkillsRead), needs(capability.SkillsMapping)
	profile := needs(capability.SkillsRead, capability.SessionsTake)
	return []route{
		drawn(report("/users/{id}/skills-profile", "getSkillsProfile", profile, "Read what a person can do, as a page with Accept: text/html; one's own with sessions.take", getSkillsProfile), drawSkillsProfile),
		report("/users/{id}/skills-profile/{skillId}/evidence", "listSkillEvidence", profile, "List the item attempts behind a figure, the newest first", listSkillEvidence),
		report("/skills/overview", "skillsOverview", reads, "What the people of an org unit or a group can do, skill by skill", skillsOverview),
		report("/skills/{id}/evidence-sources", "listSkillSources", reads, "List the questions that say something about a skill", listSkillSources),
		report("/evaluations/{id}/versions/{versionId}/competency-coverage", "competencyCoverage", reads, "Which skills a version covers, and which of a framework it leaves out", competencyCoverage),
		write(post, "/skills/recalculate", "recalculateSkills", taken, maps, "Let all figures follow the published mappings", recalculateSkills),
		get("/skills/recalculate/jobs/{jobId}", "getSkillJob", maps, "Read a recalculation, or what a preview found", getSkillJob),
		get("/taxonomy/skill-mappings/resolve", "resolveSkills", needs(capability.TaxonomyRead, capability.SkillsRead), "Which skills the questions of a version count for, by which rule and term", resolveSkills),
		get("/skill-mappings/resolve", "resolveSkillsAlias", needs(capability.TaxonomyRead, capability.SkillsRead), "Which skills the questions of a version count for, by which rule and term", resolveSkills),
		asked("/taxonomy/skill-mapping-sets/{id}/versions/{versionId}/impact-preview", "previewMapping"),
		asked("/skill-mapping-sets/{id}/versions/{versionId}/impact-preview", "previewMappingAlias"),
	}
}

// asked is a preview that takes its time: it needs no key, and calling it twice does no harm.
func asked(path, id string) route {
	r := save(path, id, needs(capability.SkillsMapping), "Find out what publishing a mapping version and a recalculation would change", previewMapping)
	r.Status = taken
	return r
}

// ByProfile names whose profile it is.
type ByProfile struct {
	UserID ids.ID `path:"id"`
}

type profileInput struct {
	ByProfile
	PageQuery
}

func getSkillsProfile(ctx context.Context, tx *db.Tx, in *profileInput) (skills.Profile, error) {
	return skills.GetProfile(ctx, tx, in.UserID, in.page())
}

func drawSkillsProfile(ctx context.Context, tx *db.Tx, in pageInput) (reportpage.Page, error) {
	p, err := skills.ExplainProfile(ctx, tx, in.ID, in.Page)
	return reportpage.Profile(p), err
}

type skillEvidenceInput struct {
	ByProfile
	SkillID ids.ID `path:"skillId"`
	PageQuery
}

func listSkillEvidence(ctx context.Context, tx *db.Tx, in *skillEvidenceInput) (skills.Evidence, error) {
	return skills.GetEvidence(ctx, tx, in.UserID, in.SkillID, in.page())
}

type overviewInput struct {
	GroupID     ids.ID `query:"groupId" doc:"Only the people of this group; without it, all of the org unit"`
	FrameworkID ids.ID `query:"frameworkId" doc:"Only skills of this framework"`
	PageQuery
}

func skillsOverview(ctx context.Context, tx *db.Tx, in *overviewInput) (skills.Overview, error) {
	return skills.GetOverview(ctx, tx, skills.OverviewFilter{GroupID: in.GroupID, FrameworkID: in.FrameworkID, Page: in.page()})
}

type sourcesInput struct {
	SkillID ids.ID `path:"id"`
	PageQuery
}

func listSkillSources(ctx context.Context, tx *db.Tx, in *sourcesInput) (db.List[skills.Source], error) {
	return skills.ListSources(ctx, tx, in.SkillID, in.page())
}

type coverageInput struct {
	ID          ids.ID `path:"id"`
	VersionID   ids.ID `path:"versionId"`
	FrameworkID ids.ID `query:"frameworkId" doc:"With the skills of this framework that no question covers"`
	PageQuery
}

func competencyCoverage(ctx context.Context, tx *db.Tx, in *coverageInput) (skills.Coverage, error) {
	return skills.GetCoverage(ctx, tx, skills.CoverageFilter{EvaluationID: in.ID, EvaluationVersionID: in.VersionID, FrameworkID: in.FrameworkID, Page: in.page()})
}

// SkillJob is a recalculation or a preview that knows where it is found.
type SkillJob struct{ projection.Job }

// Location is where the job can be followed.
func (j SkillJob) Location() string { return projection.RecalculatePath + "/jobs/" + j.ID.String() }

type recalculateInput struct{ Body projection.RecalculateInput }

func recalculateSkills(ctx context.Context, tx *db.Tx, in *recalculateInput) (SkillJob, error) {
	queued, err := projection.QueueRecalculation(ctx, tx, in.Body)
	return SkillJob{queued}, err
}

type skillJobInput struct {
	JobID ids.ID `path:"jobId"`
}

func getSkillJob(ctx context.Context, tx *db.Tx, in *skillJobInput) (projection.SkillJob, error) {
	return projection.GetSkillJob(ctx, tx, in.JobID)
}

type resolveInput struct {
	EvaluationVersionID ids.ID `query:"evaluationVersionId" required:"true" doc:"A published version"`
	QuestionVersionID   ids.ID `query:"questionVersionId" doc:"Only this question"`
	MappingVersionID    ids.ID `query:"mappingVersionId" doc:"By this version of a mapping set, drafts included; without it, by all that are published"`
	PageQuery
}

func resolveSkills(ctx context.Context, tx *db.Tx, in *resolveInput) (db.List[skills.Resolved], error) {
	return skills.Resolve(ctx, tx, skills.ResolveFilter{EvaluationVersionID: in.EvaluationVersionID, QuestionVersionID: in.QuestionVersionID,
		MappingVersionID: in.MappingVersionID, Page: in.page()})
}

type previewMappingInput struct {
	ID        ids.ID `path:"id"`
	VersionID ids.ID `path:"versionId"`
}

func previewMapping(ctx context.Context, tx *db.Tx, in *previewMappingInput) (SkillJob, error) {
	queued, err := projection.QueueSkillPreview(ctx, tx, in.ID, in.VersionID)
	return SkillJob{queued}, err
}
