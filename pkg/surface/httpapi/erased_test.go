package httpapi_test

import (
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/hold"
	"assess/pkg/surface/httpapi"
)

// refusesErased has every route that writes something about a person, with its answer from the first step of
// forgetting that takes something away. All others go on: they read, take away, carry out requests of officers, or
// write about nobody.
var refusesErased = map[string]string{
	"`subject_erased`": `updateUser deactivateUser reactivateUser grantRole linkAccount addMembers joinGroup
		createAssignment updateAssignment rotateAssignmentToken overrideAssignment inviteToAssignment createSchedule
		redeemAssignment redeemAssignmentToken startSession closeSession extendSession
		approveSubmission rejectSubmission requestChanges reopenSubmission voidSubmission scoreItem
		createRemediation updateRemediation
		attachEvidence setEvidenceTier voidEvidence detectFinding
		raiseClaim upholdClaim rejectClaim withdrawClaim raiseDispute upholdDispute rejectDispute withdrawDispute
		triageException triageEngagement triageRequirement createGlassBoxLink`,
	"the submission has the code `subject_erased`":            "triageExceptions",
	"the row has the problem `subject_erased`":                "previewAssignments commitAssignments",
	"`session_not_open`: open sessions have ended":            "saveAnswers submitSession recordEvents resumeSession startSection",
	"`erasing_under_way`, until the job is done":              "restrictPerson",
	"a row about the person has the problem `subject_erased`": "previewUsers commitUsers",
}

// refusals are the answers of above that are errors as a whole.
var refusals = map[string]errs.Code{
	"`subject_erased`": errs.SubjectErased,
	"`session_not_open`: open sessions have ended": errs.SessionNotOpen,
	"`erasing_under_way`, until the job is done":   errs.ErasingUnderWay,
}

func mannerOfErased(l httpapi.Line) string {
	for said, routes := range refusesErased {
		for route := range strings.FieldsSeq(routes) {
			if route == l.ID {
				return said
			}
		}
	}
	return ""
}

// Every route, where everybody is being erased, refuses to write about them.
func TestRoutesRefuseWhatIsAboutErasedPeople(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	w.app.Project(t)
	w.app.Sequence(t)
	w.eraseEverybody(t)
	guarded(t, w, all, func(t *testing.T, l httpapi.Line, r request) {
		said := mannerOfErased(l)
		if strings.HasSuffix(l.ID, "Users") && said != "" {
			r.body = map[string]any{"csv": "email\n" + w.addressOf(t, w.home.User) + "\n"}
		}
		got := w.send(t, r)
		code, refused := refusals[said]
		switch {
		case refused:
			want(t, got, 409, code)
		case said != "":
			if !strings.Contains(string(got.body), `"subject_erased"`) {
				t.Errorf("got %d %s", got.status, got.body)
			}
		case got.status >= 300 && !refusedByData[l.ID]:
			t.Errorf("got %d %s, and it ought to go on", got.status, got.body)
		}
	})
}

// eraseEverybody does the first step of forgetting that takes something away, for each person of the tenant without a hold, except the
// end of tokens: calls that were let in before it come to their operation after it.
func (w *town) eraseEverybody(t *testing.T) {
	t.Helper()
	err := w.app.Store.Write(t.Context(), db.System(w.app.Scope.Tenant, "compliance"), func(tx *db.Tx) error {
		rows, err := tx.Query(t.Context(), "select id from users where tenant_id = $1 and not held", tx.Tenant())
		if err != nil {
			return err
		}
		people, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
		for _, one := range people {
			if err == nil {
				err = hold.StartErasing(t.Context(), tx, one)
			}
			if err == nil {
				_, err = session.EndOf(t.Context(), tx, one)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (w *town) addressOf(t *testing.T, user ids.ID) string {
	t.Helper()
	var email string
	err := w.app.Store.Read(t.Context(), w.app.Scope, func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), "select email from users where tenant_id = $1 and id = $2", tx.Tenant(), user).Scan(&email)
	})
	if err != nil {
		t.Fatal(err)
	}
	return email
}

// The page for officers has every route that refuses.
func TestThePageForOfficersHasTheRoutesThatRefuseErasedPeople(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/compliance.md")
	if err != nil {
		t.Fatal(err)
	}
	table := "| route | once the person is being erased, and later |\n|---|---|\n"
	for _, l := range httpapi.Lines() {
		if said := mannerOfErased(l); said != "" {
			table += "| `" + l.Method + " " + l.Path + "` | " + said + " |\n"
		}
	}
	if !strings.Contains(string(page), table) {
		t.Errorf("docs/compliance.md must have this table:\n%s", table)
	}
}
