package erasure

import (
	"context"

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

// identifiers are what is searched for: none for who was forgotten before.
func (who identity) identifiers() []residue.Identifier {
	if len(who.Emails) == 0 {
		return nil
	}
	all := residue.Of(people.User{Name: who.Name, Email: who.Emails[0], Metadata: who.Metadata})
	for _, address := range who.Emails[1:] {
		all = append(all, residue.Identifier{Kind: residue.Email, Value: address})
	}
	all = residue.Complete(all)
	return all[:min(len(all), residue.MaxIdentifiers)]
}

// search looks for what is left, in transactions of its own, and keeps the signed report with the job. A
// finding makes the job partial: what somebody wrote about others is theirs, and an officer decides about it.
func (f forgetting) search(ctx context.Context, tx *db.Tx, r *compliance.Run) (bool, error) {
	who, err := unseal(r)
	if err != nil {
		return false, err
	}
	wanted := who.identifiers()
	if len(wanted) == 0 || r.Dry {
		return true, nil
	}
	report, err := residue.Scan(ctx, r.Store, db.System(r.Job.TenantID, job), f.blobs, residue.Input{Subject: r.Person(), Identifiers: wanted})
	if err != nil {
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
	if err != nil {
		return false, err
	}
	r.Job.Partial = !report.Clean() || len(report.NotSearched) > 0
	return true, r.Result(result{Residue: &Searched{Rows: report.Rows, Files: report.Files, Bytes: report.Bytes, SHA256: signed.SHA256,
		Residue: report.Residue, Possible: report.Possible, Allowed: report.Allowed}})
}

// searchedBy gives what the search came to, for the receipt.
func searchedBy(r *compliance.Run) (*Searched, error) {
	var found result
	err := r.ResultInto(&found)
	return found.Residue, err
}
