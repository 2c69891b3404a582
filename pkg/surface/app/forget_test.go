package app_test

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/dev/await"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
	"assess/pkg/report/projection"
	"assess/pkg/trust/compliance"
)

// officer gives a Tenant Admin's token, and a proof of who they are.
func (h *house) officer(t *testing.T) (token, proof string) {
	t.Helper()
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		admin := sample.User(t, tx, capability.TenantAdmin)
		authority := access.NewAuthority(h.store, sample.Auth())
		issued, err := authority.IssueToken(t.Context(), tx, admin.ID, ids.None)
		if err != nil {
			return err
		}
		shown, err := authority.IssueProof(t.Context(), tx, admin.ID, access.ByMagicLink)
		token, proof = issued.Token, shown.ID.String()
		return err
	})
	return token, proof
}

// completed waits for the end of a compliance job.
func (h *house) completed(t *testing.T, job compliance.Job) compliance.Job {
	t.Helper()
	await.Until(t, "the job has ended", func() bool {
		status, err := h.try(http.MethodGet, "/compliance/jobs/"+job.ID.String(), "", nil, &job)
		if err != nil || status != http.StatusOK {
			t.Fatalf("job: %d, %v", status, err)
		}
		return job.CompletedAt != nil
	})
	if job.Status != "completed" || job.Partial {
		t.Fatalf("the job: %+v", job)
	}
	return job
}

// filesWith names the files of folders that hold a word as it is, or packed.
func filesWith(t *testing.T, word string, folders ...string) []string {
	t.Helper()
	var found []string
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			content, err := os.ReadFile(path)
			if strings.Contains(strings.ToLower(string(content)), word) || filepath.Ext(path) == ".zip" || strings.HasPrefix(string(content), "PK") {
				found = append(found, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// notFigures match what a report says about its person, and about the time when it was made.
var notFigures = regexp.MustCompile(markName + "|" + regexp.QuoteMeta(markEmail) + `|erased-[0-9a-f-]+@erased\.invalid|\d{4}-\d\d-\d\dT[\d:.]+Z`)

// figures are reports that the person is part of, as they are shown.
func (h *house) figures(t *testing.T, submission ids.ID) []string {
	t.Helper()
	var all []string
	for _, path := range []string{"/reporting/evaluation-summary/export?evaluationVersionId=" + h.version.String(),
		"/reporting/evaluation-summary/cohorts/export?evaluationVersionId=" + h.version.String(),
		"/reporting/question-health?evaluationVersionId=" + h.version.String(), "/reporting/session-attempts/" + submission.String() + "/export"} {
		status, text := h.answer(t, http.MethodGet, "/api/v1"+path, "")
		if status != http.StatusOK || len(text) < 100 {
			t.Fatalf("%s: %d %s", path, status, text)
		}
		all = append(all, notFigures.ReplaceAllString(text, ""))
	}
	return all
}

// TestForgettingOverHTTPLeavesNothing sends a person with marks through a running server, has them
// exported and forgotten over HTTP, and looks for the marks in every table, in the queue, in all
// files and mails, and in all that the server wrote to its log meanwhile.
func TestForgettingOverHTTPLeavesNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	d := h.start(t)
	var proof string
	h.token, proof = h.officer(t)
	h.invite(t)
	h.insist(t, "/users/import/commit", "import", map[string]any{
		"csv": fmt.Sprintf("email,name,meta.badge\n%s,%s,%s\n", strings.ToUpper(markEmail), markName, markMeta)}, nil)
	h.email = markEmail
	h.askForLink(t)
	user := h.marked(t)
	h.users[0] = user
	attempt := h.sit(t, 0)
	h.sit(t, 3) // somebody else
	h.move(t, user, "zzyzx.former@example.test")
	h.move(t, user, markEmail)
	var exported, job compliance.Job
	h.insist(t, "/compliance/dsar-export", "export", map[string]any{"subject_id": user}, &exported)
	h.completed(t, exported)
	h.reported(t, 2)
	before := h.figures(t, attempt.session)
	if len(filesWith(t, "zzyzx", h.blobs)) == 0 || len(h.tablesWith(t, "zzyzx")) < 2 {
		t.Fatal("there is nothing to erase")
	}

	h.insist(t, "/compliance/forget", "forget", map[string]any{"subject_id": user}, &job, "X-Step-Up-Proof", proof)
	h.completed(t, job)
	if diff := cmp.Diff(before, h.figures(t, attempt.session)); diff != "" {
		t.Errorf("reports changed: %s", diff)
	}
	compared, err := projection.Verify(t.Context(), h.store, h.scope.Tenant)
	if err != nil || compared.Differences != 0 {
		t.Errorf("the reports: %+v, %v", compared, err)
	}
	if found := h.tablesWith(t, "zzyzx"); len(found) > 0 {
		t.Errorf("marks stand in %v", found)
	}
	if found := filesWith(t, "zzyzx", h.blobs, h.mails); len(found) > 0 {
		t.Errorf("marks stand in %v", found)
	}
	d.terminate(t)
	for _, mark := range []string{"zzyzx", "markworthy"} {
		if strings.Contains(strings.ToLower(d.log.String()), mark) {
			t.Errorf("the log tells who somebody was:\n%s", d.log)
		}
	}
}
