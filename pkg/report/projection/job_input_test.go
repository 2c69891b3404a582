package projection

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// places gives the fields that an error names.
func places(err error) []string {
	var refused *errs.Error
	if !errors.As(err, &refused) || refused.Code != errs.ValidationFailed {
		return []string{fmt.Sprintf("no refusal: %v", err)}
	}
	var all []string
	for _, f := range refused.Fields {
		all = append(all, f.Path)
	}
	return all
}

func TestJobInputsAreChecked(t *testing.T) {
	t.Parallel()
	id, early, late := ids.New(), epoch, epoch.AddDate(0, 0, 1)
	for name, c := range map[string]struct {
		in   JobInput
		path string
	}{
		"no kind":                       {JobInput{}, "kind"},
		"no submissions":                {JobInput{Kind: KindSubmission}, "submissionIds"},
		"no range":                      {JobInput{Kind: KindRange}, "from"},
		"no remediation":                {JobInput{Kind: KindRemediation}, "remediationId"},
		"a range backwards":             {JobInput{Kind: KindRange, From: &late, To: &early}, "to"},
		"a remediation with a range":    {JobInput{Kind: KindRemediation, RemediationID: &id, From: &early}, "from"},
		"a range of submissions":        {JobInput{Kind: KindRange, From: &early, SubmissionIDs: []ids.ID{id}}, "submissionIds"},
		"submissions of a version":      {JobInput{Kind: KindSubmission, SubmissionIDs: []ids.ID{id}, EvaluationVersionID: &id}, "evaluationVersionId"},
		"telemetry of a remediation":    {JobInput{Kind: KindTelemetry, RemediationID: &id}, "remediationId"},
		"more submissions than allowed": {JobInput{Kind: KindSubmission, SubmissionIDs: make([]ids.ID, maxSubmissions+1)}, "submissionIds"},
	} {
		if diff := cmp.Diff([]string{c.path}, places(c.in.check())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if err := (JobInput{Kind: KindTelemetry}).check(); err != nil {
		t.Errorf("all telemetry: %v", err)
	}
}

// A job about something that does not exist, or belongs to another org unit, is refused, and the
// error says where: such a job would end just like one that found everything right.
func TestJobsAreAboutWhatIsThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newStore(t, dbtest.Clone(t)))
	w.versions = w.versions[1:] // of two org units
	all := submitted(t, w, 2)
	stranger, here, elsewhere := ids.New(), all[0], all[1].id
	version := here.version.id
	ask := func(unit *ids.ID, in JobInput) error {
		scope := db.System(w.tenant, "test")
		if unit != nil {
			scope.All, scope.OrgUnit = false, *unit
		}
		return w.store.DryRun(t.Context(), scope, func(tx *db.Tx) error {
			_, err := QueueProjection(t.Context(), tx, in)
			return err
		})
	}
	unit, other := here.version.org, ids.New()
	for name, c := range map[string]struct {
		unit *ids.ID
		in   JobInput
		want []string
	}{
		"submissions in their org unit": {&unit, JobInput{Kind: KindSubmission, SubmissionIDs: []ids.ID{here.id}}, nil},
		"submissions of the tenant":     {nil, JobInput{Kind: KindSubmission, SubmissionIDs: []ids.ID{here.id, elsewhere}}, nil},
		"a stranger among them":         {nil, JobInput{Kind: KindTelemetry, SubmissionIDs: []ids.ID{here.id, stranger}}, []string{"submissionIds[1]"}},
		"one of another org unit":       {&unit, JobInput{Kind: KindSubmission, SubmissionIDs: []ids.ID{elsewhere, here.id}}, []string{"submissionIds[0]"}},
		"all at once": {nil, JobInput{Kind: KindTelemetry, SubmissionIDs: []ids.ID{stranger}, EvaluationVersionID: &stranger},
			[]string{"submissionIds[0]", "evaluationVersionId"}},
		"a version":                  {&unit, JobInput{Kind: KindRange, EvaluationVersionID: &version}, nil},
		"a version of another unit":  {&other, JobInput{Kind: KindRange, EvaluationVersionID: &version}, []string{"evaluationVersionId"}},
		"a remediation that is none": {nil, JobInput{Kind: KindRemediation, RemediationID: &stranger}, []string{"remediationId"}},
	} {
		err := ask(c.unit, c.in)
		if c.want == nil && err == nil {
			continue
		}
		if diff := cmp.Diff(c.want, places(err)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
