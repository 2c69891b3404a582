package requests

import (
	"context"
	"fmt"
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
	"assess/pkg/trust/compliance"
)

// NoteInput is what an officer has to say to others about a request.
type NoteInput struct {
	Text string `json:"text" minLength:"1" maxLength:"4000" doc:"For officers; it is kept sealed, and goes when the request ends"`
}

// Note is what an officer wrote.
type Note struct {
	ID        ids.ID    `json:"id"`
	Text      string    `json:"text"`
	Author    string    `json:"author" doc:"user:<id> or operator:<name>"`
	CreatedAt time.Time `json:"createdAt"`
}

// NoteList is all that officers wrote about a request.
type NoteList struct {
	Items []Note `json:"items" nullable:"false"`
}

// mostNotes bounds the notes of a request.
const mostNotes = 100

func noteName(tenant, request, note ids.ID) string {
	return "note/" + tenant.String() + "/" + request.String() + "/" + note.String()
}

// AddNote keeps a note under secret, which is auth.key_secret. Errors: as work, validation_failed.
func AddNote(ctx context.Context, tx *db.Tx, secret string, id ids.ID, input NoteInput) (Note, error) {
	row, err := work(ctx, tx, id, Received, IdentityPending, Verified, Decided, CarriedOut)
	if err != nil {
		return Note{}, err
	}
	if err := errs.Invalid(errs.Prose("text", input.Text, 4000, true)...); err != nil {
		return Note{}, err
	}
	n := Note{ID: ids.New(), Text: input.Text, Author: tx.Actor().String(), CreatedAt: tx.Now()}
	sealed, err := access.Seal(secret, noteName(tx.Tenant(), row.ID, n.ID), []byte(n.Text))
	if err != nil {
		return Note{}, err
	}
	added, err := tx.Exec(ctx, `insert into compliance_request_notes (tenant_id, request_id, id, author, sealed, created_at)
		select r.tenant_id, r.id, $3, $4, $5, $6 from compliance_requests r
		where r.tenant_id = $1 and r.id = $2 and (select count(*) from compliance_request_notes n where n.tenant_id = $1 and n.request_id = $2) < $7`,
		tx.Tenant(), row.ID, n.ID, n.Author, sealed, n.CreatedAt, mostNotes)
	if err != nil {
		return Note{}, fmt.Errorf("keep a note: %w", err)
	}
	if added == 0 {
		return Note{}, errs.Invalid(errs.Field{Path: "text", Code: "too_many", Message: fmt.Sprintf("a request has at most %d notes", mostNotes)})
	}
	return n, nil
}

// Notes gives the notes of a request, the oldest first. Capability: compliance.manage, over the whole tenant; nobody reads notes about
// themselves. Errors: forbidden, not_found, four_eyes_required.
func Notes(ctx context.Context, tx *db.Tx, secret string, id ids.ID) (NoteList, error) {
	none := NoteList{Items: []Note{}}
	if err := compliance.RequireManager(tx); err != nil {
		return none, err
	}
	row, err := find(ctx, tx, id, false)
	if err != nil {
		return none, err
	}
	if row.SubjectID != nil && tx.Actor().Is(*row.SubjectID) {
		return none, errs.New(errs.FourEyesRequired, "The request is your own; its notes are for those who work on it.")
	}
	rows, err := tx.Query(ctx, "select id, author, sealed, created_at from compliance_request_notes where tenant_id = $1 and request_id = $2 order by id", tx.Tenant(), id)
	if err != nil {
		return none, fmt.Errorf("read the notes of a request: %w", err)
	}
	defer rows.Close()
	all := none
	for rows.Next() {
		var n Note
		var sealed []byte
		if err := rows.Scan(&n.ID, &n.Author, &sealed, &n.CreatedAt); err != nil {
			return none, fmt.Errorf("read the notes of a request: %w", err)
		}
		plain, err := access.Unseal(secret, noteName(tx.Tenant(), id, n.ID), sealed)
		if err != nil {
			return none, fmt.Errorf("open a note: %w", err)
		}
		n.Text, n.CreatedAt = string(plain), n.CreatedAt.UTC()
		all.Items = append(all.Items, n)
	}
	return all, rows.Err()
}
