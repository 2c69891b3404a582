package erasure

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"assess/config"
	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/mail"
	"assess/pkg/kernel/scoring"
	"assess/pkg/people/hold"
	"assess/pkg/people/people"
	"assess/pkg/report/projection"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/residue"
	"assess/pkg/trust/signer"
	"assess/pkg/trust/translog"
)

// office is where people are forgotten.
type office struct {
	*tenant
	*compliance.Centre
	officer db.Scope
	mail    config.Mail
}

func newOffice(t *testing.T) *office { t.Helper(); return newOfficeIn(t, dbtest.Clone(t)) }

func newOfficeIn(t *testing.T, urls dbtest.URLs) *office {
	t.Helper()
	o := &office{tenant: newTenantIn(t, urls), mail: config.Mail{Mode: config.MailFolder, Folder: t.TempDir(), From: "assessd <a@example.org>"}}
	o.Centre = o.centre(Forget(o.files, o.blobs, o.mail))
	o.write(o.operator, func(tx *db.Tx) error {
		o.officer = sample.As(o.operator, sample.User(t, tx).ID, capability.ComplianceManage, capability.ComplianceRead, capability.ScopeAll)
		return nil
	})
	return o
}

func (o *office) centre(kind compliance.Kind) *compliance.Centre {
	return &compliance.Centre{Store: o.store, Files: compliance.NewFiles(o.store, o.blobs), Secret: sample.KeySecret, SLA: 30 * 24 * time.Hour,
		Kinds: []compliance.Kind{kind}}
}

func (o *office) ask(person ids.ID) (compliance.Job, error) {
	var made compliance.Job
	asking := o.officer
	asking.Proof = ids.New()
	err := o.store.Write(o.Context(), asking, func(tx *db.Tx) error {
		_, err := tx.Exec(o.Context(), `insert into step_up_proofs (tenant_id, id, user_id, method, created_at, expires_at)
			values ($1, $2, $3, 'magic_link', now(), now() + interval '1 hour')`, tx.Tenant(), asking.Proof, asking.Actor.ID)
		if err != nil {
			return err
		}
		made, err = o.Create(o.Context(), tx, compliance.Input{Type: compliance.Forget, SubjectID: person})
		return err
	})
	return made, err
}

func (o *office) forget(p *person) compliance.Job {
	o.Helper()
	made, err := o.ask(p.ID)
	if err != nil {
		o.Fatal(err)
	}
	done, err := o.Work(o.Context(), o.operator.Tenant, made.ID, nil)
	if err != nil {
		o.Fatal(err)
	}
	return done
}

// post puts a message to the person into the mail folder.
func (o *office) post(p *person) {
	o.Helper()
	sender, err := mail.New(o.mail)
	if err == nil {
		err = sender.Send(o.Context(), mail.Message{To: p.Email, Subject: "Exam", Text: "Hello " + p.mark})
	}
	if err != nil {
		o.Fatal(err)
	}
}

// inFolders says whether a text is in a file of the blob store or of the mail folder.
func (o *office) inFolders(text string) bool {
	o.Helper()
	found := false
	for _, folder := range []string{o.folder, o.mail.Folder} {
		err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			content, err := os.ReadFile(path)
			found = found || strings.Contains(strings.ToLower(string(content)), strings.ToLower(text))
			return err
		})
		if err != nil {
			o.Fatal(err)
		}
	}
	return found
}

func (o *office) read(p *person, name string) []byte {
	o.Helper()
	var content []byte
	newest, _, err := o.newest(p)
	if err != nil {
		o.Fatal(err)
	}
	var file models.ComplianceArtifact
	o.write(o.officer, func(tx *db.Tx) error {
		var err error
		file, err = o.View(o.Context(), tx, newest.ID, name)
		return err
	})
	r, err := o.Files.Open(o.Context(), o.operator.Tenant, file, true)
	if err == nil {
		defer r.Close() //nolint:errcheck // only read from
		content, err = io.ReadAll(r)
	}
	if err != nil {
		o.Fatal(err)
	}
	return content
}

func (o *office) newest(p *person) (row models.ComplianceJob, found bool, err error) {
	err = o.store.Read(o.Context(), o.officer, func(tx *db.Tx) error {
		row, found, err = compliance.Newest(o.Context(), tx, compliance.Forget, p.ID)
		return err
	})
	return row, found, err
}

func (o *office) project() {
	o.Helper()
	for n := 1; n > 0; {
		o.write(db.System(o.operator.Tenant, "projector"), func(tx *db.Tx) error {
			var err error
			n, err = projection.ProjectBatch(o.Context(), tx, 100)
			return err
		})
	}
}

// figures are the rows of the reports about a person's submission.
func (o *office) figures(p *person) []string {
	o.Helper()
	rows, err := o.super.Query(o.Context(), `select t::text from report_item_attempts_flat t where submission_id = $1
		union all select t::text from report_item_attempt_choice t where submission_id = $1 union all select t::text from report_submissions t where submission_id = $1
		union all select t::text from report_findings t where submission_id = $1 order by 1`, p.submission)
	if err != nil {
		o.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		o.Fatal(err)
	}
	return all
}

func TestForget(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ada, grace := o.newPerson("Ada"), o.newPerson("Grace")
	o.attach(ada.submission, "the same bytes")
	shared := o.attach(grace.submission, "the same bytes")
	o.post(ada)
	o.post(grace)
	o.project()
	log := &translog.Service{Store: o.store, Secret: sample.KeySecret, Origin: "assess.example.org"}
	if _, err := log.Sequence(t.Context(), o.operator.Tenant); err != nil {
		t.Fatal(err)
	}
	figures, others := o.figures(ada), o.marks(grace.word)

	done := o.forget(ada)
	if done.Status != models.ComplianceCompleted || done.Counts["users"] != 1 || done.Counts["evidence"] != 2 || done.Counts["sessions"] != 1 {
		t.Errorf("the job: %+v", done)
	}
	if left := o.marks(ada.word); len(left) > 0 || o.inFolders(ada.word) {
		t.Errorf("marks stay in %v, or in a file", left)
	}
	if diff := cmp.Diff(others, o.marks(grace.word)); diff != "" || !o.inFolders(grace.word) {
		t.Errorf("somebody else lost marks: %s", diff)
	}
	if err := o.files.Verify(t.Context(), o.operator.Tenant, shared.SHA256); err != nil {
		t.Errorf("a file that somebody else has, too: %v", err)
	}
	o.project()
	if diff := cmp.Diff(figures, o.figures(ada)); diff != "" || len(figures) < 5 {
		t.Errorf("figures changed: %s", diff)
	}
	o.sound(log)
	o.verifyReceipt(ada, done)

	var report residue.Report
	if err := json.Unmarshal(o.read(ada, residueFile), &report); err != nil || !report.Clean() || done.Partial || report.Rows == 0 || report.Files == 0 {
		t.Errorf("the search: %+v, %v", report, err)
	}

	again := o.forget(ada)
	if again.Status != models.ComplianceCompleted || len(again.Counts) > 0 {
		t.Errorf("again: %+v", again)
	}
	// A hold may be placed again once the job is over.
	o.write(o.officer, func(tx *db.Tx) error {
		_, err := hold.Place(t.Context(), tx, hold.Input{SubjectID: ada.ID, Terms: hold.Terms{Kind: hold.Legal, ReasonCode: "litigation"}})
		return err
	})
}

// sound compares the log with the erased records, before and after it took them up, and the reports with the
// submissions.
func (o *office) sound(log *translog.Service) {
	o.Helper()
	for range 2 {
		err := o.store.Read(o.Context(), o.operator, func(tx *db.Tx) error {
			r, err := translog.Verify(o.Context(), tx, translog.VerifyInput{})
			if err == nil && (!r.Sound() || r.Submissions == 0) {
				o.Errorf("the log: %+v", r)
			}
			return err
		})
		if err == nil {
			_, err = log.Sequence(o.Context(), o.operator.Tenant)
		}
		if err != nil {
			o.Fatal(err)
		}
	}
	compared, err := projection.Verify(o.Context(), o.store, o.operator.Tenant)
	if err != nil || compared.Differences != 0 {
		o.Errorf("the reports: %+v, %v", compared, err)
	}
}

func (o *office) verifyReceipt(p *person, done compliance.Job) {
	o.Helper()
	message := o.read(p, receiptFile)
	var keys []signer.Key
	o.write(o.officer, func(tx *db.Tx) error {
		var err error
		keys, err = signer.ListKeys(o.Context(), tx)
		return err
	})
	if len(keys) != 1 || !ed25519.Verify(keys[0].PublicKey, message, o.read(p, signatureFile)) || string(o.read(p, keyFile)) != signer.PEM(keys[0].PublicKey) {
		o.Error("the receipt is not signed by the key of the tenant")
	}
	var r Receipt
	err := json.Unmarshal(message, &r)
	if err != nil || r.SubjectID != p.ID || r.JobID != done.ID || r.KeyID != keys[0].ID || r.Rows["submission_items"] != 1 || len(r.Vacuum) != len(r.Rows) ||
		r.Residue == nil || r.Residue.Residue != 0 {
		o.Errorf("the receipt: %+v, %v", r, err)
	}
}

// A job that breaks off before, in or after any of its steps ends as any other when it runs again.
func TestForgetGoesOnWhereverItWasKilled(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	killed := errors.New("killed")
	whole := o.forget(o.newPerson("Ada"))
	for number, step := range Forget(o.files, o.blobs, o.mail).Steps {
		for _, at := range []string{"outside", "inside", "after"} {
			p := o.newPerson("Ada")
			o.post(p)
			kind := Forget(o.files, o.blobs, o.mail)
			kind.Steps[number] = broken(step, at, killed)
			if at == "after" && number+1 < len(kind.Steps) {
				kind.Steps[number], kind.Steps[number+1] = step, compliance.Step{Name: kind.Steps[number+1].Name, Outside: fails(killed)}
			}
			made, err := o.ask(p.ID)
			if err != nil {
				t.Fatal(err)
			}
			_, err = o.centre(kind).Work(t.Context(), o.operator.Tenant, made.ID, nil)
			last := at == "after" && number+1 == len(kind.Steps)
			if !last && !errors.Is(err, killed) {
				t.Fatalf("%s, %s: %v", step.Name, at, err)
			}
			done, err := o.Work(t.Context(), o.operator.Tenant, made.ID, nil)
			if err != nil || done.Status != models.ComplianceCompleted {
				t.Fatalf("%s, %s: %+v, %v", step.Name, at, done, err)
			}
			if left := o.marks(p.word); len(left) > 0 || o.inFolders(p.word) {
				t.Errorf("%s, %s: marks stay in %v, or in a file", step.Name, at, left)
			}
			if diff := cmp.Diff(whole.Counts, done.Counts); diff != "" {
				t.Errorf("%s, %s: other rows were erased: %s", step.Name, at, diff)
			}
		}
	}
}

func fails(with error) func(context.Context, *compliance.Run) error {
	return func(context.Context, *compliance.Run) error { return with }
}

// broken is a step that does its work and is killed before it is written down.
func broken(step compliance.Step, at string, killed error) compliance.Step {
	outside, do := step.Outside, step.Do
	step.Outside = func(ctx context.Context, r *compliance.Run) error {
		if outside != nil {
			if err := outside(ctx, r); err != nil {
				return err
			}
		}
		if at == "outside" {
			return killed
		}
		return nil
	}
	step.Do = func(ctx context.Context, tx *db.Tx, r *compliance.Run) (bool, error) {
		if do != nil {
			if _, err := do(ctx, tx, r); err != nil {
				return false, err
			}
		}
		return false, killed
	}
	return step
}

func TestAHoldBlocksForgetting(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ada := o.newPerson("Ada")
	before := o.marks(ada.word)
	place := func() error {
		return o.store.Write(t.Context(), o.officer, func(tx *db.Tx) error {
			_, err := hold.Place(t.Context(), tx, hold.Input{SubjectID: ada.ID, Terms: hold.Terms{Kind: hold.Legal, ReasonCode: "litigation"}})
			return err
		})
	}
	if err := place(); err != nil {
		t.Fatal(err)
	}
	blocked := o.forget(ada)
	if blocked.Status != models.ComplianceBlocked || !blocked.Blocked || *blocked.BlockedReason != string(errs.HoldActive) {
		t.Errorf("the job: %+v", blocked)
	}
	if diff := cmp.Diff(before, o.marks(ada.word)); diff != "" {
		t.Errorf("a blocked job erased: %s", diff)
	}
	o.write(o.officer, func(tx *db.Tx) error {
		list, err := compliance.ListLedger(t.Context(), tx, compliance.LedgerFilter{SubjectID: ada.ID})
		if err == nil && (list.Total != 2 || list.Items[0].EventType != "forget.blocked") {
			t.Errorf("the ledger: %+v", list)
		}
		if err == nil {
			_, err = hold.Lift(t.Context(), tx, hold.Input{SubjectID: ada.ID, Terms: hold.Terms{Kind: hold.Legal}})
		}
		return err
	})

	// The other way round: once a job has begun to erase, the hold comes too late.
	killed := errors.New("killed")
	kind := Forget(o.files, o.blobs, o.mail)
	kind.Steps[2] = compliance.Step{Name: kind.Steps[2].Name, Outside: fails(killed)}
	made, err := o.ask(ada.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.centre(kind).Work(t.Context(), o.operator.Tenant, made.ID, nil); !errors.Is(err, killed) {
		t.Fatal(err)
	}
	if err := place(); !errors.Is(err, errs.ErasingUnderWay) {
		t.Errorf("a hold between two steps: %v", err)
	}
	if done, err := o.Work(t.Context(), o.operator.Tenant, made.ID, nil); err != nil || done.Status != models.ComplianceCompleted || len(o.marks(ada.word)) > 0 {
		t.Errorf("the job: %+v, %v", done, err)
	}
}

func TestWhomNobodyMayForget(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	var admin ids.ID
	err := o.super.QueryRow(t.Context(), `select g.user_id from user_roles g join roles r on r.tenant_id = g.tenant_id and r.id = g.role_id
		where g.tenant_id = $1 and r.system_key = 'tenant_admin'`, o.operator.Tenant).Scan(&admin)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := o.officer
	elsewhere.All = false
	for _, c := range []struct {
		who   ids.ID
		asks  db.Scope
		want  errs.Code
		about string
	}{
		{o.officer.Actor.ID, o.officer, errs.FourEyesRequired, "oneself"},
		{admin, o.officer, errs.LastTenantAdmin, "the last Tenant Admin"},
		{ids.New(), o.officer, errs.NotFound, "nobody"},
		{admin, elsewhere, errs.Forbidden, "from one org unit"},
		{admin, o.reviewer, errs.Forbidden, "without the capability"},
		{o.newPerson("Ada").ID, o.officer, errs.StepUpRequired, "without a proof"},
	} {
		if c.want == errs.StepUpRequired {
			err := o.store.Write(t.Context(), c.asks, func(tx *db.Tx) error {
				_, err := o.Create(t.Context(), tx, compliance.Input{Type: compliance.Forget, SubjectID: c.who})
				return err
			})
			if !errors.Is(err, c.want) {
				t.Errorf("%s: %v, want %s", c.about, err, c.want)
			}
			continue
		}
		for _, create := range []func(context.Context, *db.Tx, compliance.Input) (compliance.Job, error){o.Create, o.Preview} {
			err := o.store.Write(t.Context(), c.asks, func(tx *db.Tx) error {
				_, err := create(t.Context(), tx, compliance.Input{Type: compliance.Forget, SubjectID: c.who})
				return err
			})
			if !errors.Is(err, c.want) {
				t.Errorf("%s: %v, want %s", c.about, err, c.want)
			}
		}
	}
}

// A preview counts what the job then does, and does nothing.
func TestAPreviewIsTheJobInADryRun(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ada := o.newPerson("Ada")
	before := o.marks(ada.word)
	var shown compliance.Job
	o.write(o.officer, func(tx *db.Tx) error {
		var err error
		shown, err = o.Preview(t.Context(), tx, compliance.Input{Type: compliance.Forget, SubjectID: ada.ID})
		return err
	})
	if diff := cmp.Diff(before, o.marks(ada.word)); diff != "" {
		t.Errorf("a preview erased: %s", diff)
	}
	if _, found, err := o.newest(ada); found || err != nil {
		t.Errorf("a preview left a job, %v", err)
	}
	if diff := cmp.Diff(shown.Counts, o.forget(ada).Counts); diff != "" {
		t.Errorf("the job did something else: %s", diff)
	}
	o.write(o.operator, func(tx *db.Tx) error {
		u, err := people.GetUser(t.Context(), tx, ada.ID)
		if err == nil && (u.Name != "" || u.Status != models.UserDeactivated || len(u.Roles)+len(u.OrgUnits) > 0) {
			t.Errorf("the record: %+v", u)
		}
		return err
	})
}

// Nobody loses what they wrote about somebody else: the job says where the name still is.
func TestTheSearchFindsWhatNobodyErased(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ada, grace := o.newPerson("Ada"), o.newPerson("Grace")
	o.write(o.reviewer, func(tx *db.Tx) error {
		_, err := evidence.Detect(t.Context(), tx, evidence.FindingInput{SubmissionID: grace.submission, Code: "COPIED", Severity: "minor",
			Detail: "The same as " + ada.Email + " wrote."})
		return err
	})
	done := o.forget(ada)
	var report residue.Report
	err := json.Unmarshal(o.read(ada, residueFile), &report)
	if err != nil || !done.Partial || done.Status != models.ComplianceCompleted || report.Residue == 0 || report.Findings[0].Table != "findings" {
		t.Errorf("the job: %+v, the search: %+v, %v", done, report, err)
	}
}

// A person with many submissions takes no more statements than one with few.
func TestForgettingManySubmissions(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ada := o.newPerson("Ada")
	const many = 200
	var other authoring.Snapshot
	o.write(o.operator, func(tx *db.Tx) error {
		other = sample.Published(t, tx, authoring.Settings{}, sample.Choice("A"), scoring.Key{QType: scoring.Essay, Weight: 2, ContributesToScore: true})
		return nil
	})
	for range many / 20 {
		o.write(ada.scope, func(tx *db.Tx) error {
			for range 20 {
				sample.Submission(t, tx, o.desk, other, `{"optionIds":["A"]}`, `{"text":"I am `+ada.word+`"}`)
			}
			return nil
		})
	}
	began := time.Now()
	done := o.forget(ada)
	t.Logf("forgetting a person with %d submissions took %v, with the search of the whole database", many, time.Since(began))
	if done.Counts["submission_items"] != many+1 || len(o.marks(ada.word)) > 0 {
		t.Errorf("the job: %+v", done)
	}
}
