package erasure

import (
	"context"
	"errors"
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/people/people"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/residue"
)

// The report of the search in canonical JSON, and its signature by the same key as the receipt's.
const (
	residueFile          = "residue.json"
	residueSignatureFile = "residue.sig"
)

// Searched is what the search for residue came to. The report says where.
type Searched struct {
	Rows   int64  `json:"rows"`
	Files  int64  `json:"files"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	// Residue names the person; Possible and Allowed need not (package residue).
	Residue  int64 `json:"residue"`
	Possible int64 `json:"possible"`
	Allowed  int64 `json:"allowed"`
}

// identifiers are what to search for: none if the person was forgotten before.
func (who identity) identifiers() []residue.Identifier {
	var all []residue.Identifier
	for _, name := range who.Names {
		all = append(all, residue.Identifier{Kind: residue.Name, Value: name})
	}
	for _, address := range who.Emails {
		all = append(all, residue.Identifier{Kind: residue.Email, Value: address})
	}
	for _, record := range who.Metadata {
		all = append(all, residue.Of(people.User{Metadata: record})...)
	}
	all = residue.Complete(all)
	return all[:min(len(all), residue.MaxIdentifiers)]
}

// searchPiece is how long one transaction of the search lasts, give or take a page of rows or a file: as long as
// it is open, no table of the database is rid of its dead rows.
const searchPiece = 2 * time.Second

func longEnough(began time.Time) bool { return time.Since(began) > searchPiece }

var errPause = errors.New("the search goes on in the next transaction")

// search looks for remains of the person, a piece at a time, and keeps the signed report with the job. A finding
// makes the job partial: a text about others belongs to the one who wrote it, and an officer decides about it.
func (f forgetting) search(ctx context.Context, tx *db.Tx, r *compliance.Run) (bool, error) {
	who, err := unseal(r.Secret, r.Job)
	if err != nil {
		return false, err
	}
	wanted := who.identifiers()
	if len(wanted) == 0 || r.Dry {
		return true, nil
	}
	report, paused, err := f.searchOn(ctx, r, wanted)
	if err != nil || paused {
		return false, err
	}
	signed, message, err := residue.Sign(ctx, tx, r.Secret, report)
	if err != nil {
		return false, err
	}
	err = keep(ctx, tx, r, residueFile, message)
	if err == nil {
		err = keep(ctx, tx, r, residueSignatureFile, signed.Signature)
	}
	if err == nil {
		err = keepFindings(ctx, tx, r.Job.ID, report)
	}
	if err != nil {
		return false, err
	}
	r.Job.Partial = !report.Clean() || len(report.NotSearched) > 0
	return true, r.Result(result{Residue: &Searched{Rows: report.Rows, Files: report.Files, Bytes: report.Bytes, SHA256: signed.SHA256,
		Residue: report.Residue, Possible: report.Possible, Allowed: report.Allowed}})
}

// searchOn searches until the end or until a transaction has lasted long enough, and then keeps how far it is.
func (f forgetting) searchOn(ctx context.Context, r *compliance.Run, wanted []residue.Identifier) (report residue.Report, paused bool, err error) {
	var before result
	err = r.ResultInto(&before)
	if err != nil {
		return report, false, err
	}
	var began time.Time // when the first page was read: the list of tables is read anew each time
	var at *residue.State
	report, err = residue.Scan(ctx, r.Store, db.System(r.Job.TenantID, job), f.blobs, residue.Input{Subject: r.Person(), Identifiers: wanted,
		From: before.Search, Follow: func(state *residue.State) error {
			at = state
			if began.IsZero() {
				began = time.Now()
			}
			if f.enough(began) {
				return errPause
			}
			return nil
		}})
	if errors.Is(err, errPause) {
		r.Job.DoneN = at.Report.Rows
		return report, true, r.Result(result{Search: at})
	}
	return report, false, err
}

// searchedBy gives what the search came to, for the receipt.
func searchedBy(r *compliance.Run) (*Searched, error) {
	var found result
	err := r.ResultInto(&found)
	return found.Residue, err
}
