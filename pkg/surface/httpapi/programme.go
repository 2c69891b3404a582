package httpapi

import (
	"context"

	"assess/pkg/exam/programme"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

type listSubjectsInput struct {
	Kind       string `query:"kind" maxLength:"100" doc:"Only subjects of this kind"`
	ExternalID string `query:"externalId" maxLength:"200" doc:"Only the subject of this external id"`
	PageQuery
}

func listSubjects(ctx context.Context, tx *db.Tx, in *listSubjectsInput) (db.List[programme.Subject], error) {
	return programme.ListSubjects(ctx, tx, programme.SubjectFilter{Kind: in.Kind, ExternalID: in.ExternalID, Page: in.page()})
}

type createSubjectInput struct{ Body programme.SubjectInput }

func createSubject(ctx context.Context, tx *db.Tx, in *createSubjectInput) (programme.Subject, error) {
	return programme.CreateSubject(ctx, tx, in.Body)
}

func getSubject(ctx context.Context, tx *db.Tx, in *ByID) (programme.Subject, error) {
	return programme.GetSubject(ctx, tx, in.ID)
}

type updateSubjectInput struct {
	ByID
	Body programme.SubjectPatch
}

func updateSubject(ctx context.Context, tx *db.Tx, in *updateSubjectInput) (programme.Subject, error) {
	return programme.UpdateSubject(ctx, tx, in.ID, in.Body)
}

type listEngagementsInput struct {
	Status     string `query:"status" enum:"open,closed"`
	ExternalID string `query:"externalId" maxLength:"200" doc:"Only the engagement of this external id"`
	SubjectID  ids.ID `query:"subjectId" doc:"Only engagements about this subject"`
	PageQuery
}

func listEngagements(ctx context.Context, tx *db.Tx, in *listEngagementsInput) (db.List[programme.Engagement], error) {
	return programme.ListEngagements(ctx, tx, programme.EngagementFilter{Status: in.Status, ExternalID: in.ExternalID,
		SubjectID: in.SubjectID, Page: in.page()})
}

type createEngagementInput struct{ Body programme.EngagementInput }

func createEngagement(ctx context.Context, tx *db.Tx, in *createEngagementInput) (programme.Engagement, error) {
	return programme.CreateEngagement(ctx, tx, in.Body)
}

func getEngagement(ctx context.Context, tx *db.Tx, in *ByID) (programme.Engagement, error) {
	return programme.GetEngagement(ctx, tx, in.ID)
}

type updateEngagementInput struct {
	ByID
	Body programme.EngagementPatch
}

func updateEngagement(ctx context.Context, tx *db.Tx, in *updateEngagementInput) (programme.Engagement, error) {
	return programme.UpdateEngagement(ctx, tx, in.ID, in.Body)
}

type listRequirementsInput struct {
	Programme    string `query:"programme" maxLength:"200" doc:"Only requirements of this programme"`
	Status       string `query:"status" enum:"active,retired"`
	EvaluationID ids.ID `query:"evaluationId" doc:"Only requirements that ask for this evaluation"`
	PageQuery
}

func listRequirements(ctx context.Context, tx *db.Tx, in *listRequirementsInput) (db.List[programme.Requirement], error) {
	return programme.ListRequirements(ctx, tx, programme.RequirementFilter{Programme: in.Programme, Status: in.Status,
		EvaluationID: in.EvaluationID, Page: in.page()})
}

type createRequirementInput struct{ Body programme.RequirementInput }

func createRequirement(ctx context.Context, tx *db.Tx, in *createRequirementInput) (programme.Requirement, error) {
	return programme.CreateRequirement(ctx, tx, in.Body)
}

func getRequirement(ctx context.Context, tx *db.Tx, in *ByID) (programme.Requirement, error) {
	return programme.GetRequirement(ctx, tx, in.ID)
}

type updateRequirementInput struct {
	ByID
	Body programme.RequirementPatch
}

func updateRequirement(ctx context.Context, tx *db.Tx, in *updateRequirementInput) (programme.Requirement, error) {
	return programme.UpdateRequirement(ctx, tx, in.ID, in.Body)
}
