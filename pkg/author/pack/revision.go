package pack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Counts has the number of versions of each kind in a revision, or changed by an install.
type Counts struct {
	Evaluations int `json:"evaluations"`
	Questions   int `json:"questions"`
	Passages    int `json:"passages"`
}

// Revision is one publication of a library. It never changes.
type Revision struct {
	ID             ids.ID         `json:"id"`
	LibraryID      ids.ID         `json:"libraryId"`
	RevisionNumber int            `json:"revisionNumber"`
	ManifestHash   string         `json:"manifestHash" doc:"SHA-256 of the canonical manifest (RFC 8785)"`
	Name           string         `json:"name" doc:"Of the library when it was published"`
	Description    string         `json:"description"`
	Counts                        // what it holds
	Assets         int            `json:"assets"`
	Terms          int            `json:"terms"`
	SignedBy       *string        `json:"signedBy,omitempty" doc:"Public key of the file that it came in, Ed25519, in hexadecimal; absent where it was published here"`
	PublishedAt    time.Time      `json:"publishedAt"`
	Items          []RevisionItem `json:"items,omitempty" nullable:"false" doc:"Absent in lists"`
}

// RevisionItem is an item of a revision (specification, section 2.12).
type RevisionItem struct {
	Pos                       int             `json:"pos"`
	SourceEvaluationID        ids.ID          `json:"sourceEvaluationId"`
	SourceEvaluationVersionID ids.ID          `json:"sourceEvaluationVersionId"`
	Title                     string          `json:"title"`
	Metadata                  json.RawMessage `json:"metadata" shape:"object"`
}

// revision is a row that is about to be written.
type revision struct {
	id, library       ids.ID
	number            int
	hash              string
	name, description string
	signedBy          *string
	publishedAt       time.Time
}

// store writes the lines and then the revision, which seals them.
func (r revision) store(ctx context.Context, tx *db.Tx, m manifest) error {
	for _, kind := range kinds {
		err := r.storeEntries(ctx, tx, m[kind])
		if err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx, `
		insert into library_revisions (tenant_id, id, library_id, number, manifest_hash, name, description,
			evaluation_n, question_n, passage_n, asset_n, term_n, signed_by, published_at, created_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
		tx.Tenant(), r.id, r.library, r.number, r.hash, r.name, r.description, len(m[kindEvaluation]), len(m[kindQuestion]), len(m[kindPassage]),
		len(m[kindAsset]), len(m[kindTerm]), r.signedBy, r.publishedAt, tx.Now())
	if err != nil {
		return fmt.Errorf("store revision: %w", err)
	}
	return nil
}

func (r revision) storeEntries(ctx context.Context, tx *db.Tx, entries []entry) error {
	var entryKinds, refs, lines []string
	var positions []int
	var sources []*ids.ID
	var numbers []*int
	var hashes []*string
	for i, e := range entries {
		entryKinds, refs, lines, positions = append(entryKinds, e.kind), append(refs, e.ref), append(lines, e.line), append(positions, i)
		sources, numbers, hashes = append(sources, e.sourceID), append(numbers, e.number), append(hashes, e.contentHash)
	}
	_, err := tx.Exec(ctx, `
		insert into library_entries (tenant_id, revision_id, kind, position, ref, source_id, number, content_hash, line)
		select $1, $2, n.* from unnest($3::text[], $4::int[], $5::text[], $6::uuid[], $7::int[], $8::text[], $9::text[]) as n returning true`,
		tx.Tenant(), r.id, entryKinds, positions, refs, sources, numbers, hashes, lines)
	if err != nil {
		return fmt.Errorf("store manifest: %w", err)
	}
	return nil
}

// newestRevision gives the number, id and hash of a library's newest revision; the zero value for none.
func newestRevision(ctx context.Context, tx *db.Tx, library ids.ID) (revision, error) {
	var r revision
	err := tx.QueryRow(ctx, "select id, number, manifest_hash from library_revisions where tenant_id = $1 and library_id = $2 order by number desc limit 1",
		tx.Tenant(), library).Scan(&r.id, &r.number, &r.hash)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return r, fmt.Errorf("find newest revision: %w", err)
	}
	return r, nil
}

const revisionSQL = `
	select r.id, r.library_id, r.number, r.manifest_hash, r.name, r.description, r.evaluation_n, r.question_n, r.passage_n, r.asset_n, r.term_n,
		r.signed_by, r.published_at
	from library_revisions r join libraries l on l.tenant_id = r.tenant_id and l.id = r.library_id
	where r.tenant_id = $1 and r.library_id = $2 `

func scanRevision(row pgx.CollectableRow) (Revision, error) {
	var r Revision
	err := row.Scan(&r.ID, &r.LibraryID, &r.RevisionNumber, &r.ManifestHash, &r.Name, &r.Description, &r.Evaluations, &r.Questions, &r.Passages,
		&r.Assets, &r.Terms, &r.SignedBy, &r.PublishedAt)
	r.PublishedAt = r.PublishedAt.UTC()
	return r, err
}

// RevisionsInput requests the revisions of a library.
type RevisionsInput struct {
	ByLibrary
	db.Page
}

// ListRevisions lists the revisions of a library that the scope sees, the newest first. Capability:
// evaluations.read. Errors: not_found.
func ListRevisions(ctx context.Context, tx *db.Tx, input RevisionsInput) (db.List[Revision], error) {
	library := input.LibraryID
	none := db.List[Revision]{}
	if err := tx.Require(capability.EvaluationsRead); err != nil {
		return none, err
	}
	page, err := input.Check()
	if err != nil {
		return none, err
	}
	_, err = libraryOf(ctx, tx, library)
	if err != nil {
		return none, err
	}
	var total int
	err = tx.QueryRow(ctx, "select count(*) from library_revisions where tenant_id = $1 and library_id = $2", tx.Tenant(), library).Scan(&total)
	if err != nil {
		return none, fmt.Errorf("count revisions: %w", err)
	}
	rows, err := tx.Query(ctx, revisionSQL+"order by r.number desc limit $3 offset $4", tx.Tenant(), library, page.Limit, page.Offset())
	if err != nil {
		return none, fmt.Errorf("list revisions: %w", err)
	}
	found, err := pgx.CollectRows(rows, scanRevision)
	if err != nil {
		return none, fmt.Errorf("list revisions: %w", err)
	}
	return db.NewList(found, page, total), nil
}

// RevisionInput names a revision of a library.
type RevisionInput struct {
	ByLibrary
	RevisionID ids.ID `path:"revisionId" json:"-" noun:"revision"`
}

// ByRevision names a revision.
func ByRevision(library, revision ids.ID) RevisionInput {
	return RevisionInput{ByLibrary{library}, revision}
}

// GetRevision gives a revision with its items. Capability: evaluations.read. Errors: not_found.
func GetRevision(ctx context.Context, tx *db.Tx, in RevisionInput) (Revision, error) {
	if err := tx.Require(capability.EvaluationsRead); err != nil {
		return Revision{}, err
	}
	return revisionOf(ctx, tx, in.LibraryID, in.RevisionID)
}

// FindRevision finds a revision by its number, or the newest for 0. Capability: evaluations.read.
// Errors: not_found.
func FindRevision(ctx context.Context, tx *db.Tx, library ids.ID, number int) (Revision, error) {
	if err := tx.Require(capability.EvaluationsRead); err != nil {
		return Revision{}, err
	}
	var id ids.ID
	err := tx.QueryRow(ctx, `select id from library_revisions where tenant_id = $1 and library_id = $2 and (number = $3 or $3 = 0) order by number desc limit 1`,
		tx.Tenant(), library, number).Scan(&id)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return Revision{}, fmt.Errorf("find revision: %w", err)
	}
	return revisionOf(ctx, tx, library, id)
}

// revisionOf finds a revision through its library, which the scope must see.
func revisionOf(ctx context.Context, tx *db.Tx, library, id ids.ID) (Revision, error) {
	rows, err := tx.Query(ctx, revisionSQL+"and r.id = $3", tx.Tenant(), library, id)
	if err != nil {
		return Revision{}, fmt.Errorf("find revision: %w", err)
	}
	r, err := pgx.CollectExactlyOneRow(rows, scanRevision)
	if errors.Is(err, pgx.ErrNoRows) {
		return r, errs.New(errs.NotFound, "There is no such revision in your scope.")
	}
	if err != nil {
		return r, fmt.Errorf("find revision: %w", err)
	}
	rows, err = tx.Query(ctx, `
		select i.line, e.line from library_entries i join library_entries e
			on e.tenant_id = i.tenant_id and e.revision_id = i.revision_id and e.kind = 'evaluation' and e.ref = i.ref
		where i.tenant_id = $1 and i.revision_id = $2 and i.kind = 'item' order by i.position`, tx.Tenant(), id)
	if err != nil {
		return r, fmt.Errorf("read items of revision: %w", err)
	}
	r.Items = []RevisionItem{}
	var item itemLine
	var evaluation evaluationLine
	_, err = pgx.ForEachRow(rows, []any{lineOf(&item), lineOf(&evaluation)}, func() error {
		r.Items = append(r.Items, RevisionItem{item.Pos, item.SourceEvaluationID, item.SourceEvaluationVersionID, evaluation.Title, item.Metadata})
		item = itemLine{}
		return nil
	})
	if err != nil {
		return r, fmt.Errorf("read items of revision: %w", err)
	}
	return r, nil
}

// line reads a line of the manifest.
type line[T any] struct{ into *T }

func lineOf[T any](into *T) *line[T] { return &line[T]{into} }

// Scan reads the text of a column.
func (l *line[T]) Scan(src any) error {
	text, isText := src.(string)
	if !isText {
		return fmt.Errorf("a line of a manifest is text, not %T", src)
	}
	return json.Unmarshal([]byte(text), l.into)
}

// readManifest reads the lines of a revision.
func readManifest(ctx context.Context, tx *db.Tx, revision ids.ID) (manifest, error) {
	rows, err := tx.Query(ctx, `
		select kind, ref, source_id, number, content_hash, line from library_entries
		where tenant_id = $1 and revision_id = $2 order by kind, position`, tx.Tenant(), revision)
	if err != nil {
		return nil, fmt.Errorf("read manifest: %w", err)
	}
	m := manifest{}
	var e entry
	_, err = pgx.ForEachRow(rows, []any{&e.kind, &e.ref, &e.sourceID, &e.number, &e.contentHash, &e.line}, func() error {
		m[e.kind] = append(m[e.kind], e)
		e = entry{}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read manifest: %w", err)
	}
	return m, nil
}
