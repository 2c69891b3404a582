package translog

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
)

// VerifyBundle checks a proof: from the state to the event, from that to the checkpoint, and the
// signature. Without keys the keys of the proof count. Older checkpoints cannot be compared with a proof,
// which has no other events: their signatures are checked, and their roots where they have its size.
func VerifyBundle(b Bundle, older []Older, keys []string) (Report, error) {
	r := Report{Findings: []Finding{}, Source: "proof", TrustedKeys: "given"}
	if len(keys) == 0 {
		r.TrustedKeys = "proof"
	}
	keys = trusting(&r, b.Keys, keys)
	checkpoints, err := opened(&r, keys, append([]Older{{"the proof", b.Checkpoint}}, older...))
	if err != nil || len(checkpoints) == 0 || checkpoints[0].from != "the proof" {
		return r, err
	}
	c := checkpoints[0].Checkpoint
	r.Origin, r.Size, r.Root, r.Checkpoints, r.Events = c.Origin, c.Size, inBase64([][]byte{c.Root})[0], len(checkpoints), 1
	for _, o := range checkpoints[1:] {
		if o.Origin != c.Origin || o.Size == c.Size && !bytes.Equal(o.Root, c.Root) {
			r.event(Fork, 0, "%s says otherwise of the log of %d events", o.from, c.Size)
		}
	}
	event, err := b.includes(c)
	if err != nil {
		r.event(BadProof, b.Inclusion.Index+1, "the event is not in the log that the checkpoint covers: %s", err)
		return r, nil
	}
	if b.Submission == nil {
		return r, nil
	}
	r.Submissions = 1
	err = b.names(event)
	if err != nil {
		r.submission(BadProof, b.Submission.SubmissionID, "the state of the submission is not in the batch that the event names: %s", err)
	}
	return r, nil
}

// bundleEvent is what a proof has to know of its event.
type bundleEvent struct {
	EventType string       `json:"eventType"`
	Seq       int64        `json:"seq"`
	Payload   batchPayload `json:"payload"`
}

// includes leads from the event to the checkpoint.
func (b Bundle) includes(c Checkpoint) (bundleEvent, error) {
	var e bundleEvent
	leaf, err := canonical(b.Event)
	if err == nil {
		err = json.Unmarshal(leaf, &e)
	}
	if err != nil {
		return e, err
	}
	if b.Inclusion.Size != c.Size || b.Inclusion.Index != e.Seq-1 {
		return e, fmt.Errorf("the path is one of event %d of %d", b.Inclusion.Index+1, b.Inclusion.Size)
	}
	return e, b.Inclusion.leads(hashLeaf(leaf), c.Root)
}

// names leads from the state to the event.
func (b Bundle) names(e bundleEvent) error {
	if e.EventType != BatchEvent || e.Payload.Scheme != batchScheme || b.Batch == nil || b.Batch.Size != int64(e.Payload.Submissions) {
		return fmt.Errorf("event %d names no such batch", e.Seq)
	}
	root, err := hex.DecodeString(e.Payload.Root)
	if err != nil {
		return err
	}
	leaf, err := b.Submission.leafHash()
	if err != nil {
		return err
	}
	return b.Batch.leads(leaf, root)
}

// leads says whether the path goes from a leaf hash to a root.
func (p Path) leads(leaf, root []byte) error {
	if p.Index < 0 || p.Size < 1 {
		return fmt.Errorf("there is no leaf %d of %d", p.Index, p.Size)
	}
	hashes, err := outOfBase64(p.Hashes)
	if err != nil {
		return err
	}
	return proof.VerifyInclusion(rfc6962.DefaultHasher, uint64(p.Index), uint64(p.Size), leaf, hashes, root)
}
