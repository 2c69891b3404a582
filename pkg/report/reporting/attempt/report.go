package attempt

import (
	"context"
	"fmt"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/people/hold"
	"assess/pkg/report/projection"
	"assess/pkg/trust/standing"
)

// Report is everything about one attempt.
type Report struct {
	User              User               `json:"user"`
	Summary           Summary            `json:"summary"`
	Timing            Timing             `json:"timing"`
	Integrity         Integrity          `json:"integrity"`
	ActionsAllowed    ActionsAllowed     `json:"actionsAllowed"`
	Links             Links              `json:"links"`
	TagAggregates     []TagAggregate     `json:"tagAggregates" nullable:"false" doc:"A row a tag of the snapshot, 'facet:term'; an item with several tags counts in each"`
	TagKeySummaries   []TagKeySummary    `json:"tagKeySummaries" nullable:"false" doc:"A row a facet; an item counts once"`
	SectionAggregates []SectionAggregate `json:"sectionAggregates" nullable:"false"`
	Submission        Submission         `json:"submission"`
	Session           Session            `json:"session"`
	Items             []Item             `json:"items" nullable:"false" doc:"In the order in which the person saw them"`
	standing.Readiness
	projection.Freshness
}

// GetInput names an attempt. Lang chooses the language of texts that help to read the report, in
// the fallback order of content documents; the snapshot stays whole.
type GetInput struct {
	SubmissionID ids.ID
	Lang         string
}

// Get reports on an attempt and records that somebody looked. Capability: reporting.view_named.
// Errors: not_found, processing_restricted for somebody else's attempt.
func Get(ctx context.Context, tx *db.Tx, in GetInput) (Report, error) {
	r, err := read(ctx, tx, in)
	if err != nil {
		return Report{}, err
	}
	return r, witness(ctx, tx, r, "session_attempt.viewed")
}

func read(ctx context.Context, tx *db.Tx, in GetInput) (Report, error) {
	err := tx.Require(capability.ReportingViewNamed)
	if err != nil {
		return Report{}, err
	}
	rec, err := find(ctx, tx, in.SubmissionID)
	if err != nil {
		return Report{}, err
	}
	if rec.restricted && !tx.Actor().Is(rec.UserID) {
		return Report{}, hold.Restricted()
	}
	rec.snapshot, err = authoring.SnapshotByHash(ctx, tx, rec.SnapshotHash)
	if err != nil {
		return Report{}, fmt.Errorf("find snapshot of submission: %w", err)
	}
	fresh, err := projection.Fresh(ctx, tx)
	if err != nil {
		return Report{}, err
	}
	r := rec.report(in.Lang, fresh)
	r.Readiness, err = standing.Of(ctx, tx, in.SubmissionID)
	return r, err
}

func (r record) report(lang string, fresh projection.Freshness) Report {
	items, w := r.itemsIn(lang), r.worth()
	report := Report{User: r.user, Timing: r.timing(items), ActionsAllowed: r.actions(), Links: r.links(),
		TagAggregates: tagAggregates(items, w, r.snapshot.FeedbackTags), TagKeySummaries: tagKeySummaries(items, w, r.snapshot),
		SectionAggregates: sectionAggregates(items, w, r.snapshot), Submission: r.submission(), Session: r.session(),
		Items: items, Freshness: fresh}
	report.Summary = r.summary(items, report.Timing)
	report.Integrity = r.integrity(items, report.Timing, fresh)
	return report
}

// The values of the fields that mark events of looking (specification, section 6): what was shown,
// and through which surface.
const (
	visibleNamed = "named"
	channelAPI   = "api"
	channelCLI   = "cli"
)

// witness records who looked at whose attempt: ids, and no names.
func witness(ctx context.Context, tx *db.Tx, r Report, event string) error {
	channel := channelCLI
	if tx.Actor().Kind == db.UserActor {
		channel = channelAPI
	}
	return ledger.Append(ctx, tx, ledger.Event{Type: event, SubjectType: "submission", SubjectID: r.Submission.ID,
		OrgUnit: r.Submission.orgUnit, Payload: map[string]any{"visibilityType": visibleNamed, "visibilityChannel": channel,
			"capability": capability.ReportingViewNamed, "userId": r.User.ID}})
}

// Marks is the mark in percent that decided the attempt, if there was one: the page shows its share on that side.
func (r Report) Marks() []float64 {
	if r.Submission.VersionSnapshot == nil || r.Submission.VersionSnapshot.Settings.PassMarkPercent == nil {
		return nil
	}
	return []float64{*r.Submission.VersionSnapshot.Settings.PassMarkPercent}
}
