package compliance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"
	gocloud "gocloud.dev/blob"

	"assess/models"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/kernel/shelf"
)

var kept = shelf.Kind{Blob: blob.Compliance, Claims: "compliance_blobs", Records: "compliance_artifacts", Held: "held_sha256"}

// Files keeps the files that jobs make in the blob store.
type Files struct{ *shelf.Shelf }

// NewFiles makes Files.
func NewFiles(store *db.Store, blobs *blob.Store) *Files {
	return &Files{shelf.New(kept, store, blobs)}
}

// artifactLimit bounds one file, in bytes: all recordings of a person may be in it.
const artifactLimit = 1 << 40

var errUnwanted = errors.New("the file is not wanted any more")

// Artifact is a file that a job has made.
type Artifact struct {
	Name      string
	MediaType string
	// Lifetime is how long the file is kept; 0 for ever.
	Lifetime time.Duration
	Write    func(io.Writer) error
}

// Artifact writes a file, stores it, and records it with the step. Written again, it takes the place of
// the one before. A dry run writes it to nowhere, and says how large it would be.
func (r *Run) Artifact(ctx context.Context, tx *db.Tx, a Artifact) (ArtifactRef, error) {
	out, in := io.Pipe()
	written := make(chan error, 1)
	go func() {
		err := a.Write(in)
		in.CloseWithError(err) //nolint:errcheck // never fails
		written <- err
	}()
	file, err := blob.Receive(out, artifactLimit)
	out.CloseWithError(errUnwanted) //nolint:errcheck // never fails
	if cause := <-written; err != nil && cause != nil && !errors.Is(cause, errUnwanted) {
		err = cause // what Receive says of it is meant for uploads
	}
	if err != nil {
		return ArtifactRef{}, fmt.Errorf("write %s: %w", a.Name, err)
	}
	defer file.Close() //nolint:errcheck // it is stored, or not wanted
	row := models.ComplianceArtifact{TenantID: tx.Tenant(), JobID: r.Job.ID, Name: a.Name, MediaType: a.MediaType, SizeBytes: file.Size,
		SHA256: file.SHA256, CreatedAt: tx.Now()}
	if a.Lifetime > 0 {
		row.ExpiresAt = new(tx.Now().Add(a.Lifetime))
	}
	if r.Dry {
		return refOf(row, tx.Now()), nil
	}
	err = r.Files.Keep(ctx, scopeOf(r.Job), file, func(*db.Tx) error { return nil })
	if err != nil {
		return ArtifactRef{}, err
	}
	// A step that broke off left no row: the row and the step are committed together.
	_, err = tx.NewInsert().Model(&row).Returning("NULL").Exec(ctx)
	if err != nil {
		return ArtifactRef{}, fmt.Errorf("record %s: %w", a.Name, err)
	}
	return refOf(row, tx.Now()), nil
}

// EraseArtifacts records that the files that jobs about a person made are no longer held, and gives their
// hashes: the caller deletes the ones that no other record holds (Files.Drop). Receipts name nobody and stay.
func EraseArtifacts(ctx context.Context, tx *db.Tx, person ids.ID) ([]string, error) {
	return eraseArtifacts(ctx, tx, `
		update compliance_artifacts a set erased_at = $3
		where a.tenant_id = $1 and a.expires_at is not null and a.erased_at is null
			and a.job_id in (select j.id from compliance_jobs j where j.tenant_id = $1 and j.subject_id = $2)
		returning a.sha256`, person, tx.Now())
}

// expirePiece is how many files one transaction lets go.
const expirePiece = 500

// expireArtifacts does the same with files whose time is over, a piece at a time.
func expireArtifacts(ctx context.Context, tx *db.Tx) ([]string, error) {
	return eraseArtifacts(ctx, tx, `
		update compliance_artifacts a set erased_at = $2
		where (a.tenant_id, a.job_id, a.name) in (
			select tenant_id, job_id, name from compliance_artifacts
			where tenant_id = $1 and erased_at is null and expires_at <= $2 order by expires_at limit $3 for update skip locked)
		returning a.sha256`, tx.Now(), expirePiece)
}

func eraseArtifacts(ctx context.Context, tx *db.Tx, sql string, args ...any) ([]string, error) {
	rows, err := tx.Query(ctx, sql, append([]any{tx.Tenant()}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("let files go: %w", err)
	}
	defer rows.Close()
	var hashes []string
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			return nil, fmt.Errorf("let files go: %w", err)
		}
		hashes = append(hashes, one)
	}
	return hashes, rows.Err()
}

func artifactsOf(ctx context.Context, tx *db.Tx, jobs []ids.ID) ([]models.ComplianceArtifact, error) {
	var rows []models.ComplianceArtifact
	if len(jobs) == 0 {
		return nil, nil
	}
	err := tx.NewSelect().Model(&rows).Where("a.tenant_id = ? and a.job_id = any(?)", tx.Tenant(), pgdialect.Array(jobs)).Order("a.job_id", "a.name").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list files of jobs: %w", err)
	}
	return rows, nil
}

func artifactHash(ctx context.Context, tx *db.Tx, job ids.ID, name string) (string, error) {
	files, err := artifactsOf(ctx, tx, []ids.ID{job})
	for _, f := range files {
		if f.Name == name {
			return f.SHA256, err
		}
	}
	return "", err
}

// View finds a file of a job and says in the ledger who looked. Allowed are the person, where the kind lets them; holders of
// compliance.manage over the whole tenant; and the one who requested the job, as long as they may see jobs at all. Errors:
// not_found, artifact_expired.
func (c *Centre) View(ctx context.Context, tx *db.Tx, jobID ids.ID, name string) (models.ComplianceArtifact, error) {
	var none models.ComplianceArtifact
	row, err := readJob(ctx, tx, jobID, false)
	if err != nil {
		return none, err
	}
	if !c.mayView(tx, row) {
		return none, errs.New(errs.NotFound, "There is no such job.")
	}
	files, err := artifactsOf(ctx, tx, []ids.ID{jobID})
	if err != nil {
		return none, err
	}
	for _, f := range files {
		if f.Name != name {
			continue
		}
		if !held(f, tx.Now()) {
			return none, errs.New(errs.ArtifactExpired, "The file is no longer kept; ask for a new one.")
		}
		event := ledger.Event{Type: "compliance.artifact_viewed", SubjectType: "tenant", SubjectID: tx.Tenant(), Payload: map[string]any{
			"jobId": jobID, "name": name, "sha256": f.SHA256, "visibilityType": "named", "visibilityChannel": "compliance"}}
		if row.SubjectID != nil {
			event.SubjectType, event.SubjectID = "user", *row.SubjectID
		}
		return f, ledger.Append(ctx, tx, event)
	}
	return none, errs.New(errs.NotFound, "The job has made no such file.")
}

func (c *Centre) mayView(tx *db.Tx, row models.ComplianceJob) bool {
	kind, err := c.kind(row.JobType)
	own := err == nil && kind.Own && row.SubjectID != nil && tx.Actor().Is(*row.SubjectID)
	asked := row.RequestedBy == tx.Actor().String() && (tx.Can(capability.ComplianceRead) || tx.Can(capability.ComplianceManage))
	return own || asked || tx.Can(capability.ComplianceManage) && tx.Scope().All
}

// Open gives a reader of the bytes of a file that View gave. With verified, all of them are first
// compared with their hash. Errors: file_damaged, storage_unavailable.
func (f *Files) Open(ctx context.Context, tenant ids.ID, a models.ComplianceArtifact, verified bool) (*gocloud.Reader, error) {
	return f.Shelf.Open(ctx, tenant, a.SHA256, verified)
}
