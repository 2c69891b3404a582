package httpapi

import (
	"context"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/ids"
)

// What questions, passages and evaluations are asked alike.

// ByVersion names a version of a question, passage or evaluation in the path.
type ByVersion struct {
	ByID
	VersionID ids.ID `path:"versionId"`
}

func (in ByVersion) version() authoring.VersionInput {
	return authoring.VersionInput{ID: in.ID, VersionID: in.VersionID}
}

type versionsInput struct {
	ByID
	PageQuery
}

func (in versionsInput) asked() authoring.ListVersionsInput {
	return authoring.ListVersionsInput{ID: in.ID, Page: in.page()}
}

type publishInput struct {
	ByID
	DryRun bool `query:"dryRun" doc:"Answer problems and warnings and change nothing; needs neither proof nor Idempotency-Key"`
}

// asked takes the word of the guard for a dry run: it has opened the transaction that is rolled
// back, and no other may do without a proof.
func (in publishInput) asked(ctx context.Context) authoring.PublishInput {
	return authoring.PublishInput{ID: in.ID, DryRun: callOf(ctx).dryRun}
}
