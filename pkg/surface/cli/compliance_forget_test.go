package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/config"
	"assess/pkg/author/authoring"
	"assess/pkg/dev/await"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/mail"
	"assess/pkg/kernel/scoring"
	"assess/pkg/trust/residue"
)

// Marks of a person that the command line forgets.
const (
	markedName  = "Zyxa Markwürdig"
	markedEmail = "Zyxa.Marked@Example.org"
	markedBadge = "Bädge-77123"
)

// tells are the texts to look for afterwards.
var tells = residue.Complete([]residue.Identifier{{Kind: residue.Name, Value: markedName}, {Kind: residue.Email, Value: markedEmail},
	{Kind: residue.Metadata, Value: markedBadge}})

// newMarked has the command line, an exam and the mail folder know somebody, and gives their id.
func (d *desk) newMarked() ids.ID {
	d.t.Helper()
	const north = " --tenant northwind --org north"
	made := d.must("user create " + markedEmail + " --name '" + markedName + "' --role candidate --meta badge=" + markedBadge + " --idempotency-key make -o json" + north)
	user, err := ids.Parse("id", idOf(d.t, made))
	if err != nil {
		d.t.Fatal(err)
	}
	store := dbtest.Open(d.t, db.Options{URL: d.urls.App})
	scope := operatorScope(d.t, store)
	var submission ids.ID
	sample.Write(d.t, store, scope, func(tx *db.Tx) error {
		exam := sample.Published(d.t, tx, authoring.Settings{}, sample.Choice("A"), scoring.Key{QType: scoring.Essay, Weight: 2, ContributesToScore: true})
		e := session.NewDesk()
		open, err := e.Start(d.t.Context(), tx, session.StartInput{EvaluationID: exam.EvaluationID, UserID: &user})
		if err != nil {
			return err
		}
		text, err := json.Marshal(map[string]string{"text": "My name is " + markedName + "."})
		if err != nil {
			return err
		}
		_, err = e.Save(d.t.Context(), tx, session.SaveInput{EvaluationID: exam.EvaluationID, SessionID: open.ID, Answers: sample.Answers(exam, `{"optionIds":["A"]}`, string(text))})
		if err != nil {
			return err
		}
		done, err := e.Submit(d.t.Context(), tx, session.SubmitInput{EvaluationID: exam.EvaluationID, SessionID: open.ID})
		submission = done.SubmissionID
		return err
	})
	about := " --submission " + submission.String() + north
	d.must("evidence add " + d.file("log.txt", "seen: "+markedName+"\n") + " --kind log" + about)
	d.must("finding add " + submission.String() + " COPIED --severity minor --detail 'Says to be " + markedName + "'" + north)
	d.must("compliance dsar --subject " + markedEmail + " --yes --tenant northwind")
	sender, err := mail.New(config.Mail{Mode: config.MailFolder, Folder: filepath.Dir(d.settings), From: "assessd <a@example.org>"})
	if err == nil {
		err = sender.Send(d.t.Context(), mail.Message{To: markedEmail, Subject: "Exam", Text: "Hello " + markedName})
	}
	if err != nil {
		d.t.Fatal(err)
	}
	return user
}

// tellsOf names the places that still have the marked person: the database, and files of the blob store and the mail folder.
func (d *desk) tellsOf() []string {
	d.t.Helper()
	super, err := pgx.Connect(d.t.Context(), d.urls.Super)
	if err != nil {
		d.t.Fatal(err)
	}
	defer super.Close(d.t.Context()) //nolint:errcheck // only read from
	met, err := residue.InStream(d.t.Context(), dbtest.Dump(d.t, super), tells)
	if err != nil {
		d.t.Fatal(err)
	}
	var all []string
	for _, m := range met {
		all = append(all, fmt.Sprintf("database: %s as %s", m.Kind, m.Form))
	}
	err = filepath.WalkDir(filepath.Dir(d.settings), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		met, err := residue.InStream(d.t.Context(), bytes.NewReader(content), tells)
		if len(met) > 0 {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return all
}

// A person that assessctl forgot is in no table, no file and no mail any more, and none of its output says who it was.
func TestForgettingFromTheCommandLineLeavesNothing(t *testing.T) {
	t.Parallel()
	d := registry(t, "mara")
	user := d.newMarked()
	if before := d.tellsOf(); len(before) < 6 || !slices.ContainsFunc(before, func(s string) bool { return strings.HasPrefix(s, "database") }) {
		t.Fatalf("there is too little to forget: %q", before)
	}
	const forget = "compliance forget --tenant northwind --subject "
	first := d.run(forget + markedEmail + " --dry-run -o json")
	if first.exit != exitDone || len(d.tellsOf()) == 0 {
		t.Fatalf("dry run: exit %d, %s", first.exit, &first.err)
	}
	var said []*call
	for _, line := range []string{forget + markedEmail + " --yes --idempotency-key k -o json", forget + markedEmail + " --yes --idempotency-key k", forget + user.String() + " --dry-run",
		"compliance jobs list --tenant northwind", "compliance ledger --tenant northwind -o json", "user list --tenant northwind --all-orgs -o json"} {
		got := d.run(line)
		if got.exit != exitDone {
			t.Errorf("%s: exit %d, %s", line, got.exit, &got.err)
		}
		said = append(said, got)
	}
	if left := d.tellsOf(); len(left) > 0 {
		t.Errorf("marks stand in %q", left)
	}
	for _, got := range said {
		met, err := residue.InStream(t.Context(), strings.NewReader(got.out.String()+got.err.String()), tells)
		if err != nil || len(met) > 0 {
			t.Errorf("it was said: %s%s, %v", &got.out, &got.err, err)
		}
	}
	if n := d.count("select count(*) from users where name = 'mara Quist'"); n != 1 {
		t.Errorf("%d of somebody else are left", n)
	}
}

// stopped starts a command as a program of its own, sends it SIGINT as soon as it waits for a table, and gives
// its exit code and its messages.
func (d *desk) stopped(table, line string) (int, string) {
	d.t.Helper()
	super, err := pgx.Connect(d.t.Context(), d.urls.Super)
	if err != nil {
		d.t.Fatal(err)
	}
	defer super.Close(d.t.Context()) //nolint:errcheck // it gives the table back
	tx, err := super.Begin(d.t.Context())
	if err == nil {
		_, err = tx.Exec(d.t.Context(), "lock table "+table+" in access exclusive mode")
	}
	if err != nil {
		d.t.Fatal(err)
	}
	var said bytes.Buffer
	program := exec.CommandContext(d.t.Context(), os.Args[0], append(split(line), "--config", d.settings, "--actor", "tester")...)
	program.Env, program.Stdout, program.Stderr = append(os.Environ(), asProgram+"=1"), &said, &said
	err = program.Start()
	if err != nil {
		d.t.Fatal(err)
	}
	await.Until(d.t, "somebody waits for "+table, func() bool {
		waits := false
		err := tx.QueryRow(d.t.Context(), "select exists (select from pg_locks where not granted and relation = $1::regclass)", table).Scan(&waits)
		if err != nil {
			d.t.Fatal(err)
		}
		return waits
	})
	err = program.Process.Signal(syscall.SIGINT)
	if err != nil {
		d.t.Fatal(err)
	}
	_ = program.Wait() // the exit code says it
	return program.ProcessState.ExitCode(), said.String()
}

// A forget that is interrupted ends with exit code 130 and says how to go on; then it does.
func TestAForgetThatIsInterruptedGoesOn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		table string // that the step which is interrupted needs
		ended int
		then  func(user ids.ID, said string) string
	}{
		{"findings", 2, func(ids.ID, string) string { return "compliance forget --subject " + markedEmail + " --yes" }},
		{"trust_keys", 6, func(user ids.ID, _ string) string { return "compliance forget --subject " + user.String() + " --yes" }},
		{"trust_keys", 6, func(_ ids.ID, said string) string {
			return regexp.MustCompile("compliance jobs resume [0-9a-f-]{36}").FindString(said)
		}},
	} {
		d := registry(t)
		user := d.newMarked()
		exit, said := d.stopped(c.table, "compliance forget --subject "+markedEmail+" --yes --tenant northwind")
		if exit != exitInterrupted || !strings.Contains(said, "is not at its end") || !strings.Contains(said, "Interrupted.") {
			t.Errorf("%s: exit %d, %s", c.table, exit, said)
		}
		if n := d.count(fmt.Sprintf("select count(*) from compliance_jobs where job_type = 'forget' and status = 'running' and steps = %d", c.ended)); n != 1 {
			t.Errorf("%s: %d jobs wait after %d steps", c.table, n, c.ended)
		}
		line := c.then(user, said)
		if job, exit := d.comply(strings.TrimPrefix(line, "compliance ")); exit != exitDone || job.Status != "completed" {
			t.Errorf("%s: %s: exit %d, %+v", c.table, line, exit, job)
		}
		if n := d.count("select count(*) from compliance_jobs where job_type = 'forget' and status <> 'completed'"); n != 0 {
			t.Errorf("%s: %d jobs are not at their end", c.table, n)
		}
		if left := d.tellsOf(); len(left) > 0 {
			t.Errorf("%s: marks stand in %q", c.table, left)
		}
	}
}
