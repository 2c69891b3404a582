package translog_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/signer"
	"assess/pkg/trust/translog"
)

// rotate makes a new key, and has it sign something.
func (b *logbook) rotate(secret string, lost bool) {
	b.t.Helper()
	sample.Write(b.t, b.store, b.scope, func(tx *db.Tx) error {
		_, err := translog.RotateKey(b.t.Context(), tx, secret, lost)
		return err
	})
	b.service.Secret = secret
	b.say(1)
	b.sequence()
}

// An auditor with the first key believes signatures of the later keys, and of no other.
func TestTheFirstKeyLeadsToTheNewest(t *testing.T) {
	t.Parallel()
	b := newLogbook(t, dbtest.Clone(t))
	b.say(3)
	b.sequence()
	first := b.keys()
	b.rotate(sample.KeySecret, false)
	b.rotate(sample.KeySecret, false)
	if got := b.keys(); len(got) != 3 || got[2] != first[0] {
		t.Fatalf("the chain has the keys %q, and begins with %q", got, first)
	}
	wantFound(t, "the export, with the first key", b.offline(b.export(), first))
	wantFound(t, "the database, with the first key", must(b, func(ctx context.Context, tx *db.Tx) (translog.Report, error) {
		return translog.Verify(ctx, tx, translog.VerifyInput{Keys: first})
	}))
	wantFound(t, "the export, with no key", b.offline(b.export(), nil))
	proof := must(b, func(ctx context.Context, tx *db.Tx) (translog.Bundle, error) { return translog.EventProof(ctx, tx, 1) })
	r, err := translog.VerifyBundle(proof, nil, first)
	if err != nil {
		t.Fatal(err)
	}
	wantFound(t, "a proof, with the first key", r)

	b.rotate("another secret, since the first was lost", true)
	var outside []string
	for _, k := range must(b, translog.ListKeys).Outside {
		outside = append(outside, k.VerifierKey)
	}
	if len(outside) != 1 || slices.Contains(b.keys(), outside[0]) {
		t.Errorf("outside the chain: %q", outside)
	}
	wantFound(t, "a key that nobody signed", b.offline(b.export(), first), "key_outside_chain 0", "unknown_key 0")
	b.rotate("another secret, since the first was lost", false)
	wantFound(t, "the two that somebody trusts", b.offline(b.export(), append(first, outside...)))
}

// The programs' role may insert a key. It is in no chain: its signatures are refused, and the key is reported.
func TestAKeyThatWasPutInSignsNothing(t *testing.T) {
	t.Parallel()
	b := newLogbook(t, dbtest.Clone(t))
	b.say(3)
	b.sequence()
	first := b.keys()[0]
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	root := ask[ids.ID](b, "select id from trust_keys where tenant_id = $1", b.scope.Tenant)
	put := func(before *ids.ID, at string) error {
		return b.store.Write(t.Context(), b.scope, func(tx *db.Tx) error {
			_, err := tx.Exec(t.Context(), `insert into trust_keys (tenant_id, id, public_key, sealed_seed, created_at, retired_at, signed_by, signature)
				values ($1, $2, $3, 'x', now() + $4::interval, now(), $5, $6)`, tx.Tenant(), ids.New(), []byte(public), at, before, ed25519.Sign(private, []byte("x")))
			return err
		})
	}
	for _, at := range []string{"-1 year", "1 year"} {
		if put(nil, at) == nil {
			t.Errorf("a second first key of %s was taken", at)
		}
		if err := put(&root, at); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.keys(); !slices.Equal(got, []string{first}) {
		t.Errorf("the keys of the tenant are %q, want %q", got, first)
	}
	own := must(b, translog.OwnKeys)
	if !slices.Equal(own, []string{first}) {
		t.Errorf("own keys: %q", own)
	}
	wantFound(t, "the database", b.verify(), "key_outside_chain 0", "key_outside_chain 0")

	// A forged export, signed by the key that was put in, and with all keys in its first line.
	lines := b.export()
	var header map[string]any
	if err := json.Unmarshal(lines[0], &header); err != nil {
		t.Fatal(err)
	}
	origin := header["origin"].(string)
	name, err := note.NewEd25519VerifierKey(origin, public)
	if err != nil {
		t.Fatal(err)
	}
	known, err := note.NewVerifier(name)
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(header["checkpoint"].(string), "\n\n")
	forged, err := note.Sign(&note.Note{Text: text + "\n"}, forger{known, private})
	if err != nil {
		t.Fatal(err)
	}
	header["checkpoint"] = string(forged)
	keys := header["keys"].([]any)
	mine := map[string]any{}
	for field, value := range keys[0].(map[string]any) {
		mine[field] = value
	}
	mine["id"], mine["verifierKey"], mine["signedBy"], mine["publicKey"] = ids.New().String(), name, root.String(), signer.PEM(public)
	header["keys"] = append(keys, mine)
	lines[0] = mustJSON(header)
	wantFound(t, "a forged export", b.offline(lines, nil), "key_outside_chain 0", "key_outside_chain 0", "key_outside_chain 0", "unknown_key 0")
	wantFound(t, "a forged export, with the first key", b.offline(lines, []string{first}), "key_outside_chain 0", "key_outside_chain 0", "key_outside_chain 0", "unknown_key 0")
	if !bytes.Contains(lines[0], []byte(name)) {
		t.Error("the forged export does not name its key")
	}
}

type forger struct {
	note.Verifier
	private ed25519.PrivateKey
}

func (f forger) Sign(message []byte) ([]byte, error) { return ed25519.Sign(f.private, message), nil }

// A mark that says that everything is copied already would stop the copies without a word.
func TestAMarkBeyondTheLogIsReported(t *testing.T) {
	t.Parallel()
	b := newLogbook(t, dbtest.Clone(t))
	b.say(3)
	b.sequence()
	wantFound(t, "before", b.verify())
	sample.Write(t, b.store, b.scope, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "update ledger_logs set published = 9000000000000 where tenant_id = $1", tx.Tenant())
		return err
	})
	wantFound(t, "after", b.verify(), "published_beyond 0")
	if at := must(b, translog.GetStanding); !at.Beyond {
		t.Errorf("got %+v", at)
	}
}
