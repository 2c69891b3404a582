package translog_test

import (
	"context"
	"encoding/base64"
	"testing"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"pgregory.net/rapid"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/trust/translog"
)

// Every proof holds by the library's own verification, whatever the sizes.
func TestProofsHold(t *testing.T) {
	t.Parallel()
	b := newLogbook(t, dbtest.Clone(t))
	b.say(257)
	b.sequence()
	last := b.say(900)
	b.sequence()
	keys := b.keys()
	raw := func(texts ...string) [][]byte {
		hashes := [][]byte{}
		for _, text := range texts {
			h, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				t.Fatal(err)
			}
			hashes = append(hashes, h)
		}
		return hashes
	}
	edges := []int64{1, 2, 255, 256, 257, 258, 511, 512, 513, 768, 1024, 1025, last - 1, last}
	number := rapid.OneOf(rapid.SampledFrom(edges), rapid.Int64Range(1, last))
	rapid.Check(t, func(t *rapid.T) {
		seq := number.Draw(t, "event")
		bundle := must(b, func(ctx context.Context, tx *db.Tx) (translog.Bundle, error) {
			return translog.EventProof(ctx, tx, seq)
		})
		r, err := translog.VerifyBundle(bundle, nil, keys)
		if err != nil || !r.Sound() || bundle.Inclusion.Index != seq-1 || len(bundle.Inclusion.Hashes) > 11 {
			t.Fatalf("event %d: %v, %+v", seq, err, r)
		}
		from, to := number.Draw(t, "from"), number.Draw(t, "to")
		from, to = min(from, to), max(from, to)
		c := must(b, func(ctx context.Context, tx *db.Tx) (translog.ConsistencyProof, error) {
			return translog.Consistency(ctx, tx, from, to)
		})
		roots := raw(c.FromRoot, c.ToRoot)
		err = proof.VerifyConsistency(rfc6962.DefaultHasher, uint64(from), uint64(to), raw(c.Hashes...), roots[0], roots[1])
		if err != nil {
			t.Fatalf("from %d to %d: %v", from, to, err)
		}
	})
}
