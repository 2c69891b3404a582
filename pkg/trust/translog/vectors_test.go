package translog

import (
	_ "embed"
	"encoding/json"
	"strings"
	"testing"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"github.com/transparency-dev/merkle/testonly"
)

// The roots of RFC 6962 implementations over the same leaves.
func TestRootsAreThoseOfOthers(t *testing.T) {
	t.Parallel()
	var leaves [][]byte
	for i, want := range testonly.RootHashes() {
		got, err := rootOver(leaves)
		if err != nil || string(got) != string(want) {
			t.Errorf("%d leaves: got %x, %v, want %x", i, got, err, want)
		}
		if inputs := testonly.LeafInputs(); i < len(inputs) {
			leaves = append(leaves, hashLeaf(inputs[i]))
		}
	}
	for i := range leaves {
		for _, size := range []int{1, 2, 4, 8} {
			if i%size == 0 && i+size <= len(leaves) {
				joined := []byte{}
				for _, leaf := range leaves[i : i+size] {
					joined = append(joined, leaf...)
				}
				want, err := rootOver(leaves[i : i+size])
				if err != nil || string(perfectRoot(joined)) != string(want) {
					t.Errorf("%d leaves from %d: %v", size, i, err)
				}
			}
		}
	}
}

// Proofs of inclusion and of consistency, sound and unsound, that implementations of RFC 6962 are compared by:
// the figures of github.com/transparency-dev/merkle/testdata. Proofs of subtrees, which the log does not have,
// are not among them.
//
//go:embed testdata/proofs.ndjson
var proofs string

type vector struct {
	Name              string
	LeafIdx, TreeSize uint64
	Root, LeafHash    []byte
	Size1, Size2      uint64
	Root1, Root2      []byte
	Proof             [][]byte
	WantErr           bool
}

func TestProofsOfOthers(t *testing.T) {
	t.Parallel()
	n := 0
	for line := range strings.Lines(proofs) {
		var v vector
		err := json.Unmarshal([]byte(line), &v)
		if err != nil {
			t.Fatal(err)
		}
		n++
		switch {
		case strings.HasPrefix(v.Name, "inclusion"):
			p := Path{Index: int64(v.LeafIdx), Size: int64(v.TreeSize), Hashes: inBase64(v.Proof)}
			err = p.leads(v.LeafHash, v.Root)
		case v.Size1 == 0:
			continue // Consistency refuses to begin with nothing, about which implementations differ
		default:
			err = proof.VerifyConsistency(rfc6962.DefaultHasher, v.Size1, v.Size2, v.Proof, v.Root1, v.Root2)
		}
		if (err != nil) != v.WantErr {
			t.Errorf("%s: got %v, want an error: %v", v.Name, err, v.WantErr)
		}
	}
	if n != 196 {
		t.Errorf("%d proofs", n)
	}
}
