package intake_test

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/assignment"
	"assess/pkg/exam/inventory"
	"assess/pkg/exam/programme"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
	"assess/pkg/surface/intake"
)

// handout is a tenant with everything that a file of assignments may name: the evaluation exam, the
// subject site, the engagement audit, the group Blue team and a user.
type handout struct {
	bench
	user  people.User
	group people.GroupDetail
}

func newHandout(t *testing.T) handout {
	t.Helper()
	h := handout{bench: newBench(t)}
	h.write(func(tx *db.Tx) error {
		h.user = sample.User(t, tx)
		q := sample.Question(t, tx, "A")
		for id, publish := range map[string]bool{"exam": true, "old": true, "new": false} {
			in := sample.EvaluationInput(q.ID)
			in.ExternalID = id
			e, err := authoring.CreateEvaluation(t.Context(), tx, in)
			if err == nil && publish {
				_, err = authoring.PublishEvaluation(t.Context(), tx, e.ID)
			}
			if err == nil && id == "old" {
				_, err = inventory.Archive(t.Context(), tx, inventory.Evaluations, e.ID)
			}
			if err != nil {
				return err
			}
		}
		var err error
		h.group, err = people.CreateGroup(t.Context(), tx, people.GroupInput{Name: "Blue team"})
		if err != nil {
			return err
		}
		_, err = programme.CreateSubject(t.Context(), tx, programme.SubjectInput{ExternalID: "site", Name: "Site"})
		if err != nil {
			return err
		}
		_, err = programme.CreateEngagement(t.Context(), tx, programme.EngagementInput{ExternalID: "audit", Name: "Audit"})
		return err
	})
	return h
}

func (b bench) write(fn func(tx *db.Tx) error) {
	b.Helper()
	sample.Write(b.T, b.store, b.scope, fn)
}

func (b bench) number(sql string) int {
	b.Helper()
	var n int
	b.write(func(tx *db.Tx) error { return tx.QueryRow(b.Context(), sql, tx.Tenant()).Scan(&n) })
	return n
}

const assignmentHeader = "evaluation,targetType,targetRef,run_label,validFrom,validUntil,subject,engagement\n"

// everyTarget has a row for each kind of target.
func (h handout) everyTarget() string {
	return assignmentHeader + "exam,user_id," + h.user.ID.String() + ",spring,2031-03-01,2031-03-08T12:00:00+01:00,site,audit\n" +
		"exam,User ID," + strings.ToUpper(h.user.Email) + ",autumn,,,,\n" +
		"exam,email,New.Person@Example.org,spring,,2031-04-01,,\n" +
		"exam,group_id,BLUE team,spring,,,site,\n" +
		"exam,group_id," + h.group.ID.String() + ",autumn,,,,\n" +
		"exam,public_link,,spring,,,,\n"
}

func TestPreviewAssignmentsWritesNothing(t *testing.T) {
	t.Parallel()
	h := newHandout(t)
	users, events := h.count("users"), h.count("ledger_events")
	got, err := h.preview(intake.PreviewAssignments, intake.Input{Data: []byte(h.everyTarget())})
	want(t, err, "")
	if got.Total != 6 || got.ValidCount != 6 || len(got.Errors) > 0 {
		t.Errorf("got %+v, want six valid rows", got)
	}
	if h.count("assignments") != 0 || h.count("users") != users || h.count("ledger_events") != events {
		t.Error("a preview wrote something")
	}
}

// Importing a file again changes nothing, no matter by which names it calls its records.
func TestCommitAssignmentsTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	h := newHandout(t)
	file := h.everyTarget()
	made := h.must(intake.CommitAssignments, file)
	if got, wanted := counts(made), "total 6 created 6 changed 0 unchanged 0 skipped 0 published 0"; got != wanted {
		t.Errorf("got %s, want %s", got, wanted)
	}
	if n := h.number("select count(*) from assignments where tenant_id = $1 and batch_id = '" + made.ImportID.String() + "'"); n != 6 {
		t.Errorf("%d assignments share the batch of the import, want 6", n)
	}
	events, users := h.count("ledger_events"), h.count("users")
	same := strings.NewReplacer("BLUE team", h.group.ID.String(), "New.Person@Example.org", "new.person@EXAMPLE.org", h.user.ID.String(), h.user.Email).Replace(file)
	for _, again := range []string{file, same} {
		if got, wanted := counts(h.must(intake.CommitAssignments, again)), "total 6 created 0 changed 0 unchanged 6 skipped 0 published 0"; got != wanted {
			t.Errorf("got %s, want %s", got, wanted)
		}
	}
	if h.count("ledger_events") != events || h.count("users") != users || h.count("assignments") != 6 {
		t.Error("an import that changed nothing wrote something")
	}
	spring := "spring"
	h.write(func(tx *db.Tx) error {
		list, err := assignment.List(t.Context(), tx, assignment.Filter{RunLabel: &spring, TargetType: "user_id"})
		if err != nil {
			return err
		}
		a := list.Items[0]
		got := fmt.Sprint(a.ValidFrom.Format("2006-01-02T15:04"), " ", a.ValidUntil.Format("2006-01-02T15:04"), " ", a.SubjectID != nil, " ", a.EngagementID != nil)
		if wanted := "2031-03-01T00:00 2031-03-08T11:00 true true"; got != wanted {
			t.Errorf("got %s, want %s", got, wanted)
		}
		return nil
	})
}

func TestCommitAssignmentsChangesWindowAndLinks(t *testing.T) {
	t.Parallel()
	h := newHandout(t)
	row := func(rest string) string { return assignmentHeader + "exam,group_id,Blue team,spring," + rest + "\n" }
	h.must(intake.CommitAssignments, row("2031-03-01,2031-03-08,,"))
	for _, step := range []struct{ name, rest, want string }{
		{"another end", "2031-03-01,2031-03-09,,", "changed 1"},
		{"no beginning", ",2031-03-09,,", "changed 1"},
		{"a subject", ",2031-03-09,site,", "changed 1"},
		{"an engagement", ",2031-03-09,site,audit", "changed 1"},
		{"the same", ",2031-03-10T00:00:00Z,site,audit", "changed 0"},
		{"nothing of it", ",,,", "changed 1"},
	} {
		if got := counts(h.must(intake.CommitAssignments, row(step.rest))); !strings.Contains(got, "created 0 "+step.want) {
			t.Errorf("%s: got %s, want %s", step.name, got, step.want)
		}
	}
	if got := counts(h.must(intake.CommitAssignments, strings.Replace(row(",,,"), "spring", "autumn", 1))); !strings.Contains(got, "created 1") {
		t.Errorf("another run label: got %s", got)
	}
	h.write(func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "update assignments set status = 'closed' where tenant_id = $1", tx.Tenant())
		return err
	})
	if got := counts(h.must(intake.CommitAssignments, row(",,,"))); !strings.Contains(got, "created 1") {
		t.Errorf("a closed assignment is not found again: got %s", got)
	}
}

// A day is a whole day: from its first moment, and until its last, in the zone of the row.
func TestDaysOfAssignmentsAreWholeDays(t *testing.T) {
	t.Parallel()
	h := newHandout(t)
	header := strings.Replace(assignmentHeader, "\n", ",timeZone\n", 1)
	for zone, want := range map[string]string{"": "2031-03-29T00:00:00Z 2031-04-01T00:00:00Z", "Europe/Berlin": "2031-03-28T23:00:00Z 2031-03-31T22:00:00Z"} {
		h.must(intake.CommitAssignments, header+"exam,group_id,Blue team,"+zone+",2031-03-29,2031-03-31,,,"+zone+"\n")
		var from, until time.Time
		h.write(func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), "select valid_from, valid_until from assignments where tenant_id = $1 and coalesce(run_label, '') = $2", tx.Tenant(), zone).Scan(&from, &until)
		})
		if got := from.UTC().Format(time.RFC3339) + " " + until.UTC().Format(time.RFC3339); got != want {
			t.Errorf("in zone %q: %s, want %s", zone, got, want)
		}
	}
}

func TestAssignmentProblems(t *testing.T) {
	t.Parallel()
	h := newHandout(t)
	stranger := newHandout(t)
	u := h.user.ID.String()
	for _, c := range []struct {
		name, row string
		want      []string
	}{
		{"no evaluation", ",user_id," + u + ",,,,,", []string{"evaluation:required"}},
		{"unknown evaluation", "exams,user_id," + u + ",,,,,", []string{"evaluation:unknown_evaluation"}},
		{"archived", "old,user_id," + u + ",,,,,", []string{"evaluation:archived"}},
		{"unpublished", "new,user_id," + u + ",,,,,", []string{"evaluation:not_published"}},
		{"unknown kind", "exam,person," + u + ",,,,,", []string{"targetType:invalid_choice"}},
		{"no target", "exam,email,,,,,,", []string{"targetRef:required"}},
		{"unknown id", "exam,user_id," + ids.New().String() + ",,,,,", []string{"targetRef:unknown_user"}},
		{"unknown address", "exam,user_id,nobody@example.org,,,,,", []string{"targetRef:unknown_user"}},
		{"user of another tenant", "exam,user_id," + stranger.user.ID.String() + ",,,,,", []string{"targetRef:unknown_user"}},
		{"group of another tenant", "exam,group_id," + stranger.group.ID.String() + ",,,,,", []string{"targetRef:unknown_group"}},
		{"unknown group", "exam,group_id,Red team,,,,,", []string{"targetRef:unknown_group"}},
		{"no address", "exam,email,ada,,,,,", []string{"targetRef:invalid_email"}},
		{"public link with a target", "exam,public_link," + u + ",,,,,", []string{"targetRef:not_allowed"}},
		{"unknown subject", "exam,user_id," + u + ",,,,mars,", []string{"subject:unknown_subject"}},
		{"unknown engagement", "exam,user_id," + u + ",,,,,mars", []string{"engagement:unknown_engagement"}},
		{"bad time", "exam,user_id," + u + ",,1.3.2031,,,", []string{"validFrom:invalid_time"}},
		{"window that ends first", "exam,user_id," + u + ",,2031-03-02,2031-03-01,,", []string{"validUntil:out_of_range"}},
		{"long label", "exam,user_id," + u + "," + strings.Repeat("x", 201) + ",,,,", []string{"run_label:too_long"}},
		{"all at once", "exams,group_id,Red team,,x,y,mars,venus", []string{"validFrom:invalid_time", "validUntil:invalid_time",
			"evaluation:unknown_evaluation", "targetRef:unknown_group", "subject:unknown_subject", "engagement:unknown_engagement"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			file := intake.Input{Data: []byte(assignmentHeader + "exam,user_id," + u + ",first,,,,\n" + c.row + "\n")}
			got, err := h.preview(intake.PreviewAssignments, file)
			want(t, err, "")
			wanted := make([]string, len(c.want))
			for i, w := range c.want {
				wanted[i] = "3:" + w
			}
			if diff := cmp.Diff(wanted, problems(got)); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			_, err = h.commit(intake.CommitAssignments, file)
			want(t, err, errs.ImportInvalid)
		})
	}
}

// A target has several spellings; a file names it once.
func TestDuplicateAssignmentsInAFile(t *testing.T) {
	t.Parallel()
	h := newHandout(t)
	rows := []string{"exam,user_id," + h.user.ID.String(), "exam,user_id," + h.user.Email, "exam,email,new@example.org", "exam,email,NEW@example.org",
		"exam,group_id,blue TEAM", "exam,group_id," + h.group.ID.String(), "exam,public_link,", "exam,public_link,", "exam,email," + h.user.Email}
	got, err := h.preview(intake.PreviewAssignments, intake.Input{Data: []byte("evaluation,targetType,targetRef\n" + strings.Join(rows, "\n"))})
	want(t, err, "")
	var wanted []string
	for _, line := range []int{3, 5, 7, 9} {
		wanted = append(wanted, fmt.Sprintf("%d:targetRef:duplicate_assignment", line))
	}
	if diff := cmp.Diff(wanted, problems(got)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestImportOfAssignmentsNeedsCapabilities(t *testing.T) {
	t.Parallel()
	h := newHandout(t)
	file := intake.Input{Data: []byte(assignmentHeader + "exam,group_id,Blue team,,,2031-03-01,,\n")}
	_, err := h.as(capability.AssignmentsManage).preview(intake.PreviewAssignments, file)
	want(t, err, errs.Forbidden)
	creator := h.as(capability.AssignmentsCreate)
	_, err = creator.commit(intake.CommitAssignments, file)
	want(t, err, "")
	_, err = creator.commit(intake.CommitAssignments, file)
	want(t, err, "")
	file.Data = []byte(strings.Replace(string(file.Data), "03-01", "03-02", 1))
	_, err = creator.preview(intake.PreviewAssignments, file)
	want(t, err, errs.Forbidden)
	_, err = creator.commit(intake.CommitAssignments, file)
	want(t, err, errs.Forbidden)
	_, err = h.as(capability.AssignmentsCreate, capability.AssignmentsManage).commit(intake.CommitAssignments, file)
	want(t, err, "")
}

// Mail goes out if the import requests it, once.
func TestImportOfAssignmentsInvites(t *testing.T) {
	t.Parallel()
	h := newHandout(t)
	file := intake.Input{Data: []byte("evaluation,targetType,targetRef\nexam,email,new@example.org\n")}
	_, err := h.commit(intake.CommitAssignments, file)
	want(t, err, "")
	file.Invite = true
	_, err = h.commit(intake.CommitAssignments, file)
	want(t, err, "")
	if n := h.count("assignment_invitations"); n != 0 {
		t.Errorf("%d mails for an assignment that was there, want none", n)
	}
	file.Data = append(file.Data, "exam,email,other@example.org\nexam,user_id,"+h.user.Email+"\n"...)
	for range 2 {
		_, err = h.commit(intake.CommitAssignments, file)
		want(t, err, "")
		if n := h.count("assignment_invitations"); n != 2 {
			t.Errorf("%d mails, want 2", n)
		}
	}
}

func TestImportOfAssignmentsKeepsAddressesToItself(t *testing.T) {
	t.Parallel()
	h := newHandout(t)
	_, err := h.commit(intake.CommitAssignments, intake.Input{Data: []byte("evaluation,targetType,targetRef\n" +
		"exam,user_id,secret@example.org\nexam,email,secret\nsecret,email,secret@example.org\nexam,email,secret@example.org\nexam,email,secret@example.org\n")})
	want(t, err, errs.ImportInvalid)
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("the error repeats a cell: %v", err)
	}
	h.must(intake.CommitAssignments, "evaluation,targetType,targetRef\nexam,email,secret@example.org\n")
	for table, column := range map[string]string{"ledger_events": "payload::text", "assignments": "target_ref"} {
		if n := h.number("select count(*) from " + table + " where tenant_id = $1 and " + column + " like '%secret%'"); n != 0 {
			t.Errorf("%d rows of %s hold an address", n, table)
		}
	}
}

// Ten thousand rows are one commit. Two at once wait for each other and make each
// assignment once, public links too.
func TestTwoLargeImportsOfAssignmentsAtOnce(t *testing.T) {
	t.Parallel()
	h := newHandout(t)
	file := strings.Builder{}
	file.WriteString("evaluation,targetType,targetRef,run_label\nexam,public_link,,first\n")
	for i := range 9_999 {
		fmt.Fprintf(&file, "exam,email,p%d@example.org,\n", i)
	}
	in := intake.Input{Data: []byte(file.String())}
	done := make([]intake.Commit, 2)
	began := time.Now()
	var wg sync.WaitGroup
	for i := range done {
		wg.Go(func() {
			var err error
			done[i], err = h.commit(intake.CommitAssignments, in)
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	t.Logf("two imports of 10,000 assignments, one after the other: %v", time.Since(began).Round(time.Millisecond))
	if got, wanted := done[0].Created+done[1].Created, 10_000; got != wanted || h.count("assignments") != wanted {
		t.Errorf("created %d, and %d are there; want %d", got, h.count("assignments"), wanted)
	}
	if got := done[0].Unchanged + done[1].Unchanged; got != 10_000 {
		t.Errorf("%d unchanged, want 10,000", got)
	}
}

// A run label that names somebody of the file is written, with a warning in preview and commit alike.
func TestARunLabelThatNamesSomebodyIsAWarning(t *testing.T) {
	t.Parallel()
	h := newHandout(t)
	h.write(func(tx *db.Tx) error {
		_, err := people.UpsertUsers(t.Context(), tx, []people.UserInput{{Email: h.user.Email, Name: "Renée Lévêque"}})
		return err
	})
	rows := func(labels ...string) string {
		file := "evaluation,targetType,targetRef,runLabel\n"
		for _, label := range labels {
			file += "exam,user_id," + h.user.ID.String() + "," + label + "\n"
		}
		return file
	}
	file := rows("spring", "Renee  LEVEQUE 2031", "for "+h.user.Email, "") + "exam,email,otto@example.org,otto@example.org again\n"
	blind := h.as(capability.AssignmentsCreate, capability.AssignmentsManage)
	for who, want := range map[*bench][]int{&h.bench: {3, 4, 6}, &blind: {6}} {
		shown, err := who.preview(intake.PreviewAssignments, intake.Input{Data: []byte(file)})
		if err != nil {
			t.Fatal(err)
		}
		var lines []int
		for _, w := range shown.Warnings {
			if w.Code != "names_person" || w.Column != "runLabel" || strings.Contains(w.Message, "@") {
				t.Errorf("warning: %+v", w)
			}
			lines = append(lines, w.Line)
		}
		if diff := cmp.Diff(want, lines); diff != "" || len(shown.Errors) > 0 {
			t.Errorf("the preview warns of %v: %s", shown.Warnings, diff)
		}
	}
	done := h.must(intake.CommitAssignments, file)
	if done.Created != 5 || len(done.Warnings) != 3 {
		t.Errorf("the commit: %+v", done)
	}
}

// Active assignments are exported and imported again without a change, but only if an import would take them.
func TestExportedAssignmentsReturnUnchanged(t *testing.T) {
	t.Parallel()
	h := newHandout(t)
	h.must(intake.CommitAssignments, h.everyTarget())
	h.write(func(tx *db.Tx) error {
		away := sample.User(t, tx)
		exam, err := authoring.ListEvaluations(t.Context(), tx, authoring.EvaluationFilter{})
		if err != nil {
			return err
		}
		var evaluation ids.ID
		for _, e := range exam.Items {
			if e.ExternalID == "exam" {
				evaluation = e.ID
			}
		}
		var last ids.ID
		for _, target := range []assignment.Target{{Type: "user_id", Ref: away.ID.String()}, {Type: "public_link"}, {Type: "public_link"}, {Type: "group_id", Ref: h.group.ID.String()}} {
			one, err := assignment.Create(t.Context(), tx, assignment.CreateInput{Terms: assignment.Terms{EvaluationID: evaluation}, Type: target.Type, Ref: target.Ref})
			if err != nil {
				return err
			}
			last = one.ID
		}
		_, err = people.DeactivateUser(t.Context(), tx, away.ID)
		if err != nil {
			return err
		}
		closed := "closed"
		_, err = assignment.Update(t.Context(), tx, last, assignment.Patch{Status: &closed})
		return err
	})
	file := h.returns(intake.ExportAssignments, intake.CommitAssignments, 7)
	if strings.Count(file, "\n") != 8 || !strings.Contains(file, "exam,user_id,"+h.user.Email+",spring,2031-03-01T00:00:00Z,2031-03-08T11:00:00Z,site,audit") ||
		!strings.Contains(file, "exam,group_id,Blue team,spring,") {
		t.Errorf("the file is\n%s", file)
	}
	h.write(func(tx *db.Tx) error { // a record that is left out does not end a page
		var all []assignment.Exported
		after := ids.None
		for {
			page, err := assignment.Export(t.Context(), tx, after, 2)
			if err != nil {
				return err
			}
			all = append(all, page...)
			if len(page) < 2 {
				break
			}
			after = page[len(page)-1].ID
		}
		if len(all) != 7 {
			t.Errorf("pages of two have %d assignments, want 7", len(all))
		}
		return nil
	})
	for _, missing := range []capability.Capability{capability.AssignmentsCreate, capability.UsersRead} {
		other := map[capability.Capability]capability.Capability{capability.AssignmentsCreate: capability.UsersRead, capability.UsersRead: capability.AssignmentsCreate}
		_, err := assignmentsAs(h, other[missing])
		want(t, err, errs.Forbidden)
	}
}

func assignmentsAs(h handout, c capability.Capability) (n int, err error) {
	b := h.as(c)
	err = b.store.Report(b.Context(), b.scope, func(tx *db.Tx) error {
		n, err = intake.ExportAssignments(b.Context(), tx, intake.Export{}, io.Discard)
		return err
	})
	return n, err
}
