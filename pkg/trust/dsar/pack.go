package dsar

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/kernel/wire"
	"assess/pkg/people/policy"
	"assess/pkg/trust/archive"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/datamap"
	"assess/pkg/trust/requests"
	"assess/pkg/trust/translog"
)

// packPiece is how many events or versions a pack reads at a time.
const packPiece = 100

// included is a result of an earlier job that goes into a pack.
type included struct {
	archive.Artifact
	open func(ctx context.Context) (io.ReadCloser, error)
}

// packReadme says where everything is. It is for a reader who opens the pack in ten years.
const packReadme = `Privacy pack

What shows how this service treated the data of one person.

  artifacts/           the newest export of the data, and the receipts of what was done with them
  policies.json        how long data are kept and how sure the service must be of who acts: what is
                       in force, and every change there was
  requests.json        what this person asked about their data, and what became of it
  ledger/entries.json  what was asked for and done about this person, as the ledger of compliance has it
  ledger/proofs/       each event about this person, with the proof that it is in the log of events:
                       assessctl ledger verify FILE checks one without the service
  data-map.md          what is held about people here at all, column by column
  manifest.json        every file with its SHA-256, and the artifacts with their times

SHA256SUMS, manifest.sig, signer.pem and receipt.json are checked as those of an export are.
`

// policies are the policies in force, and their history. Versions of retention are rows of their
// own; what verification required is in the events that set it.
type policies struct {
	Retention           policy.RetentionPolicies    `json:"retention"`
	RetentionHistory    []policy.RetentionVersion   `json:"retentionHistory"`
	Verification        policy.VerificationPolicies `json:"verification"`
	VerificationHistory []policyEvent               `json:"verificationHistory"`
}

type policyEvent struct {
	Seq        int64           `json:"seq"`
	OccurredAt string          `json:"occurredAt"`
	SetBy      string          `json:"setBy"`
	Payload    json.RawMessage `json:"payload"`
}

func policiesOf(ctx context.Context, tx *db.Tx) (policies, error) {
	all := policies{RetentionHistory: []policy.RetentionVersion{}, VerificationHistory: []policyEvent{}}
	var err error
	all.Retention, err = policy.GetRetention(ctx, tx)
	if err != nil {
		return all, err
	}
	all.Verification, err = policy.GetVerification(ctx, tx)
	if err != nil {
		return all, err
	}
	for page := 1; ; page++ {
		list, err := policy.ListRetentionVersions(ctx, tx, policy.VersionFilter{Page: db.Page{Page: page, Limit: packPiece}})
		if err != nil {
			return all, err
		}
		all.RetentionHistory = append(all.RetentionHistory, list.Items...)
		if len(list.Items) < packPiece {
			break
		}
	}
	err = eachEvent(ctx, tx, tx.Tenant(), func(e ledger.Entry) error {
		all.VerificationHistory = append(all.VerificationHistory, policyEvent{e.Seq, wire.Instant(e.OccurredAt), e.Actor, e.Payload})
		return nil
	}, "verification_policies.set")
	return all, err
}

// eachEvent reads the events about a subject, piece by piece.
func eachEvent(ctx context.Context, tx *db.Tx, subject ids.ID, do func(ledger.Entry) error, types ...string) error {
	after := int64(0)
	for {
		piece, err := ledger.About(ctx, tx, subject, after, packPiece, types...)
		if err != nil {
			return err
		}
		for _, e := range piece {
			err := do(e)
			if err != nil {
				return err
			}
			after = e.Seq
		}
		if len(piece) < packPiece {
			return nil
		}
	}
}

// pack fills an archive.
type pack struct {
	tx      *db.Tx
	subject ids.ID
	to      *archive.Writer
	counts  map[string]int64
}

func newPack(tx *db.Tx, subject ids.ID, to *archive.Writer) *pack {
	return &pack{tx, subject, to, map[string]int64{"artifacts": 0, "entries": 0, "proofs": 0, "unproven": 0}}
}

// text writes a file of words.
func (p *pack) text(name, content string) error {
	to, err := p.to.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, strings.NewReader(content))
	return err
}

// json writes a file of JSON.
func (p *pack) json(name string, v any) error {
	raw, err := wire.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode %s of the pack: %w", name, err)
	}
	return p.text(name, string(raw)+"\n")
}

// proofs writes the proof of each event about the person. The newest events wait for the next
// checkpoint of the log: they are counted, and a later pack proves them.
func (p *pack) proofs(ctx context.Context) error {
	return eachEvent(ctx, p.tx, p.subject, func(e ledger.Entry) error {
		bundle, err := translog.EventProof(ctx, p.tx, e.Seq)
		if errors.Is(err, errs.NotSequenced) {
			p.counts["unproven"]++
			return nil
		}
		if err != nil {
			return err
		}
		p.counts["proofs"]++
		return p.json(fmt.Sprintf("ledger/proofs/%d.json", e.Seq), bundle)
	})
}

// artifact copies a result of an earlier job.
func (p *pack) artifact(ctx context.Context, of included) error {
	content, err := of.open(ctx)
	if err != nil {
		return err
	}
	defer content.Close() //nolint:errcheck // only read from
	to, err := p.to.CreateStored(of.Name)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, content)
	if err != nil {
		return fmt.Errorf("copy an artifact into the pack: %w", err)
	}
	p.counts["artifacts"]++
	return nil
}

// entries writes what the ledger of compliance says about the person, the newest first.
func (p *pack) entries(ctx context.Context) error {
	all := []compliance.LedgerEntry{}
	for page := 1; ; page++ {
		list, err := compliance.ListLedger(ctx, p.tx, compliance.LedgerFilter{SubjectID: p.subject, Page: db.Page{Page: page, Limit: packPiece}})
		if err != nil {
			return err
		}
		all = append(all, list.Items...)
		if len(list.Items) < packPiece {
			break
		}
	}
	p.counts["entries"] = int64(len(all))
	return p.json("ledger/entries.json", all)
}

// requests writes what the person asked about their data, and what became of it.
func (p *pack) requests(ctx context.Context) error {
	all, err := requests.About(ctx, p.tx, p.subject)
	if err != nil {
		return err
	}
	return p.json("requests.json", all)
}

// fill writes everything but the manifest.
func (p *pack) fill(ctx context.Context, artifacts []included) error {
	for _, a := range artifacts {
		err := p.artifact(ctx, a)
		if err != nil {
			return err
		}
	}
	inForce, err := policiesOf(ctx, p.tx)
	if err == nil {
		err = p.json("policies.json", inForce)
	}
	if err == nil {
		err = p.entries(ctx)
	}
	if err == nil {
		err = p.requests(ctx)
	}
	if err == nil {
		err = p.proofs(ctx)
	}
	if err == nil {
		err = p.text("data-map.md", datamap.Document())
	}
	if err == nil {
		err = p.text("README.txt", packReadme)
	}
	return err
}
