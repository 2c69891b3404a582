package translog

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
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

type vector struct {
	Desc              string
	LeafIdx, TreeSize uint64
	Root, LeafHash    []byte
	Size1, Size2      uint64
	Root1, Root2      []byte
	Proof             [][]byte
	WantErr           bool
}

// The module of the library has its vectors from some version on; ASSESS_MERKLE_VECTORS names a
// folder with them otherwise.
func vectorsIn(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("ASSESS_MERKLE_VECTORS"); dir != "" {
		return dir
	}
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/transparency-dev/merkle").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(strings.TrimSpace(string(out)), "testdata")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("this version of the library comes without vectors: %v", err)
	}
	return dir
}

// Those of inclusion and consistency apply; those of subtrees, which the log has none of, do not.
func TestProofsOfOthers(t *testing.T) {
	t.Parallel()
	n := 0
	dir := vectorsIn(t)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		kind, _, _ := strings.Cut(strings.TrimPrefix(path, dir+"/"), "/")
		if kind != "inclusion" && kind != "consistency" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var v vector
		err = json.Unmarshal(text, &v)
		if err != nil {
			return err
		}
		n++
		if v.Size1 == 0 && kind == "consistency" {
			return nil // Consistency refuses to begin with nothing, about which versions of the library differ
		}
		if kind == "inclusion" {
			p := Path{Index: int64(v.LeafIdx), Size: int64(v.TreeSize), Hashes: inBase64(v.Proof)}
			err = p.leads(v.LeafHash, v.Root)
		} else {
			err = proof.VerifyConsistency(rfc6962.DefaultHasher, v.Size1, v.Size2, v.Proof, v.Root1, v.Root2)
		}
		if (err != nil) != v.WantErr {
			t.Errorf("%s, %s: got %v, want an error: %v", path, v.Desc, err, v.WantErr)
		}
		return nil
	})
	if err != nil || n == 0 {
		t.Fatalf("%d vectors: %v", n, err)
	}
	t.Logf("%d vectors", n)
}
