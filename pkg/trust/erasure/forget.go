package erasure

import (
	"context"
	"fmt"
	"time"

	"assess/config"
	"assess/pkg/exam/evidence"
	"assess/pkg/exam/session"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/hold"
	"assess/pkg/people/people"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/requests"
	"assess/pkg/trust/translog"
)

// job is the name under which files are deleted.
const job = "compliance"

type forgetting struct {
	evidence *evidence.Files
	blobs    *blob.Store
	mail     config.Mail
	// enough says whether a transaction of the search that began then has lasted long enough.
	enough func(began time.Time) bool
}

// Forget is the kind of jobs that forget a person. blobs is the store of evidence and of the files that
// jobs make.
func Forget(files *evidence.Files, blobs *blob.Store, mail config.Mail) compliance.Kind {
	return forgetting{files, blobs, mail, longEnough}.kind()
}

func (f forgetting) kind() compliance.Kind {
	return compliance.Kind{Type: compliance.Forget, Subject: true, Check: mayForget, Proof: compliance.Always, Artifact: receiptFile, Steps: []compliance.Step{
		{Name: "hold", Do: begin},
		{Name: "access", Do: f.endAccess},
		{Name: "rows", Do: f.eraseRows},
		{Name: "answers", Do: eraseAnswers},
		{Name: "files", Outside: f.eraseFiles},
		{Name: "mail", Outside: f.eraseMail},
		{Name: "residue", Do: f.search},
		{Name: "receipt", Do: sign},
	}}
}

// mayForget refuses at once what the steps would refuse later.
// Errors: validation_failed for arguments, four_eyes_required for oneself, last_tenant_admin, request_required.
func mayForget(ctx context.Context, tx *db.Tx, in compliance.Input) error {
	if err := in.Decode(&struct{}{}); err != nil {
		return err
	}
	if tx.Actor().Is(in.SubjectID) {
		return errs.New(errs.FourEyesRequired, "You cannot have yourself forgotten; somebody else has to ask for it.")
	}
	if err := people.MayRetire(ctx, tx, in.SubjectID); err != nil {
		return err
	}
	return requests.RequireRequest(ctx, tx, in)
}

// begin refuses what a hold keeps, and keeps what names the person. Errors: hold_active.
func begin(ctx context.Context, tx *db.Tx, r *compliance.Run) (bool, error) {
	err := hold.Erase(ctx, tx, r.Person())
	if err != nil {
		return false, err
	}
	who, err := identify(ctx, tx, r.Person())
	if err == nil {
		who, err = who.recall(ctx, tx, r)
	}
	if err != nil {
		return false, err
	}
	return true, who.seal(r)
}

// endAccess shuts the person out, and closes what they have open. It is the first to take something away, so from
// here on holds come too late. Errors: hold_active.
func (f forgetting) endAccess(ctx context.Context, tx *db.Tx, r *compliance.Run) (bool, error) {
	err := hold.StartErasing(ctx, tx, r.Person())
	if err != nil {
		return false, err
	}
	n, err := shutOut(ctx, tx, r.Person())
	r.Count("sessions", n)
	return true, err
}

func shutOut(ctx context.Context, tx *db.Tx, person ids.ID) (int64, error) {
	err := people.Retire(ctx, tx, person)
	if err != nil {
		return 0, err
	}
	return session.EndOf(ctx, tx, person)
}

// eraseRows shuts the person out again: a call that came before the end of their tokens may have started a
// session meanwhile, and nobody starts one while the record is locked.
func (f forgetting) eraseRows(ctx context.Context, tx *db.Tx, r *compliance.Run) (bool, error) {
	n, err := shutOut(ctx, tx, r.Person())
	if err != nil {
		return false, err
	}
	r.Count("sessions", n)
	counts, err := eraseRows(ctx, tx, r.Person())
	if err != nil || len(counts) == 0 {
		return true, err
	}
	for table, rows := range counts {
		r.Count(table, rows)
	}
	taken, err := submission.OfPerson(ctx, tx, r.Person())
	if err != nil {
		return false, err
	}
	_, err = tx.Exec(ctx, "insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at) select $1, 'readiness', id, $2 from unnest($3::uuid[]) id returning true",
		tx.Tenant(), tx.Now(), taken)
	if err != nil {
		return false, fmt.Errorf("ask for a fresh look at readiness: %w", err)
	}
	return true, translog.Erased(ctx, tx, r.Job.ID, taken)
}

// eraseAnswers deletes the stored answers to calls of others that show the person.
func eraseAnswers(ctx context.Context, tx *db.Tx, r *compliance.Run) (bool, error) {
	who, err := unseal(r.Secret, r.Job)
	if err != nil {
		return false, err
	}
	texts, err := who.texts(r.Person())
	if err != nil {
		return false, err
	}
	n, err := db.EraseAnswers(ctx, tx, texts)
	r.Count("idempotency_keys", n)
	return true, err
}

// eraseFiles deletes the files that the rows let go of, except files that other rows hold.
func (f forgetting) eraseFiles(ctx context.Context, r *compliance.Run) error {
	var shown, made []string
	err := r.Store.Read(ctx, db.System(r.Job.TenantID, job), func(tx *db.Tx) error {
		var err error
		shown, err = evidence.Erased(ctx, tx, r.Person())
		if err == nil {
			made, err = compliance.ErasedArtifacts(ctx, tx, r.Person())
		}
		return err
	})
	if err != nil {
		return err
	}
	_, err = f.evidence.Drop(ctx, r.Job.TenantID, job, shown)
	if err != nil {
		return err
	}
	_, err = r.Files.Drop(ctx, r.Job.TenantID, job, made)
	return err
}
