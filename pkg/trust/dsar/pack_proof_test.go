package dsar

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/translog"
)

// With the keys and a checkpoint from before, anyone can check a pack without the service: each entry about
// the person from before the checkpoint has a proof, and entries changed since are found.
func TestThePackProvesItsEntries(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.operator.All = true
	c := r.centre()
	person, _ := r.takes(1)
	r.done(c, compliance.DSARExport, person, nil)
	log := &translog.Service{Store: r.store, Secret: sample.KeySecret, Origin: "assess.example.org"}
	if _, err := log.Sequence(t.Context(), r.operator.Tenant); err != nil {
		t.Fatal(err)
	}
	var kept []translog.Older
	var keys []string
	err := r.store.Read(t.Context(), r.operator, func(tx *db.Tx) error {
		newest, err := translog.NewestCheckpoint(t.Context(), tx)
		if err != nil {
			return err
		}
		kept = append(kept, translog.Older{From: "the auditor", Text: newest.Note})
		all, err := translog.ListKeys(t.Context(), tx)
		for _, k := range all.Keys {
			keys = append(keys, k.VerifierKey)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	packed, err := r.fetch(c, r.operator, r.done(c, compliance.PrivacyPack, person, nil).ID, PackName)
	if err != nil {
		t.Fatal(err)
	}
	files := unpacked(t, packed)
	var entries []compliance.LedgerEntry
	if err := json.Unmarshal(files["ledger/entries.json"], &entries); err != nil {
		t.Fatal(err)
	}
	proven := map[ids.ID]bool{}
	for name, text := range files {
		if !strings.HasPrefix(name, "ledger/proofs/") {
			continue
		}
		var b translog.Bundle
		if err := json.Unmarshal(text, &b); err != nil {
			t.Fatal(err)
		}
		report, err := translog.VerifyBundle(b, kept, keys)
		if err != nil || !report.Sound() || report.Checkpoints != 2 {
			t.Errorf("%s: %+v, %v", name, report, err)
		}
		var event struct {
			ID ids.ID `json:"id"`
		}
		if err := json.Unmarshal(b.Event, &event); err != nil {
			t.Fatal(err)
		}
		proven[event.ID] = true
		b.Event = json.RawMessage(strings.Replace(string(b.Event), person.String(), ids.New().String(), 1))
		if report, err = translog.VerifyBundle(b, kept, keys); err != nil || report.Sound() {
			t.Errorf("%s about somebody else is taken: %+v, %v", name, report, err)
		}
	}
	var without []string
	for _, e := range entries {
		if !proven[e.ID] {
			without = append(without, e.EventType)
		}
	}
	// The job that makes the pack is younger than the checkpoint.
	if !slices.Equal(without, []string{"privacy_pack.requested"}) || len(entries) != 3 {
		t.Errorf("of %d entries these have no proof: %v", len(entries), without)
	}
}
