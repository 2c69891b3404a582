package translog_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"assess/pkg/dev/dbtest"
	"assess/pkg/trust/translog"
)

// The owner of the database changes events, with triggers off: each change is found and named, with
// the database and offline, from an export that was made afterwards and one checkpoint that was
// kept. seq is an event in the middle, in a tile that is not the first.
func TestChangedEventsAreFoundAndNamed(t *testing.T) {
	t.Parallel()
	const move = "update ledger_events set seq = seq + 1000000 where tenant_id = $1 and seq %s" // out of the way
	for _, c := range []struct {
		name   string
		tamper func(b *logbook, seq, last int64)
		want   func(seq, last int64) []string
		// inDatabase says that an export cannot know: it ends with the checkpoint.
		inDatabase bool
	}{
		{"payload edited", func(b *logbook, seq, _ int64) {
			b.tamper(`update ledger_events set payload = '{"n": 1}' where tenant_id = $1 and seq = $2`, seq)
		}, func(seq, _ int64) []string { return []string{at(translog.EventEdited, seq)} }, false},
		{"actor edited", func(b *logbook, seq, _ int64) {
			b.tamper(`update ledger_events set actor = 'user:nobody' where tenant_id = $1 and seq = $2`, seq)
		}, func(seq, _ int64) []string { return []string{at(translog.EventEdited, seq)} }, false},
		{"time edited by a microsecond", func(b *logbook, seq, _ int64) {
			b.tamper(`update ledger_events set occurred_at = later_by(occurred_at, 0.000001) where tenant_id = $1 and seq = $2`, seq)
		}, func(seq, _ int64) []string { return []string{at(translog.EventEdited, seq)} }, false},
		{"removed", func(b *logbook, seq, _ int64) {
			b.tamper("delete from ledger_events where tenant_id = $1 and seq = $2", seq)
		}, func(seq, _ int64) []string { return []string{at(translog.EventRemoved, seq)} }, false},
		{"removed, and the gap closed", func(b *logbook, seq, _ int64) {
			b.tamper("delete from ledger_events where tenant_id = $1 and seq = $2", seq)
			b.tamper(fmt.Sprintf(move, "> $2"), seq)
			b.tamper("update ledger_events set seq = seq - 1000001 where tenant_id = $1 and seq > 1000000")
			b.tamper("update ledger_heads set last_seq = last_seq - 1 where tenant_id = $1")
		}, func(seq, _ int64) []string { return []string{at(translog.EventRemoved, seq)} }, false},
		{"inserted, and all that follow moved", func(b *logbook, seq, _ int64) {
			b.tamper(fmt.Sprintf(move, ">= $2"), seq)
			b.tamper("update ledger_events set seq = seq - 999999 where tenant_id = $1 and seq >= 1000000")
			b.tamper(`insert into ledger_events (tenant_id, seq, id, event_type, actor, subject_type, subject_id, occurred_at)
				values ($1, $2, gen_random_uuid(), 'test.said', 'user:somebody', 'test', gen_random_uuid(), now())`, seq)
			b.tamper("update ledger_heads set last_seq = last_seq + 1 where tenant_id = $1")
		}, func(seq, _ int64) []string { return []string{at(translog.EventInserted, seq)} }, false},
		{"two neighbours exchanged", func(b *logbook, seq, _ int64) {
			b.tamper("update ledger_events set seq = 1000000 where tenant_id = $1 and seq = $2", seq)
			b.tamper("update ledger_events set seq = $2 where tenant_id = $1 and seq = $2 + 1", seq)
			b.tamper("update ledger_events set seq = $2 + 1 where tenant_id = $1 and seq = 1000000", seq)
		}, func(seq, _ int64) []string {
			return []string{at(translog.EventReordered, seq), at(translog.EventReordered, seq+1)}
		}, false},
		{"two far ones exchanged", func(b *logbook, seq, _ int64) {
			b.tamper("update ledger_events set seq = 1000000 where tenant_id = $1 and seq = $2", seq)
			b.tamper("update ledger_events set seq = $2 where tenant_id = $1 and seq = $2 + 100", seq)
			b.tamper("update ledger_events set seq = $2 + 100 where tenant_id = $1 and seq = 1000000", seq)
		}, func(seq, _ int64) []string {
			return []string{at(translog.EventReordered, seq), at(translog.EventReordered, seq+100)}
		}, false},
		{"cut short", func(b *logbook, seq, _ int64) {
			b.tamper("delete from ledger_events where tenant_id = $1 and seq >= $2", seq)
			b.tamper("update ledger_heads set last_seq = $2 - 1 where tenant_id = $1", seq)
		}, func(seq, _ int64) []string { return []string{at(translog.LogCutShort, seq)} }, false},
		{"added at the end", func(b *logbook, _, last int64) {
			b.tamper(`insert into ledger_events (tenant_id, seq, id, event_type, actor, subject_type, subject_id, occurred_at)
				values ($1, $2, gen_random_uuid(), 'test.said', 'user:somebody', 'test', gen_random_uuid(), now())`, last+1)
		}, func(_, last int64) []string { return []string{at(translog.EventInserted, last+1)} }, true},
		{"a stored hash changed", func(b *logbook, seq, _ int64) {
			b.tamper("update ledger_tiles set hashes = overlay(hashes placing sha256('x') from (32 * (($2 - 1) % 256) + 1)::int) where tenant_id = $1 and level = 0 and place = ($2 - 1) / 256", seq)
		}, func(seq, _ int64) []string { return []string{at(translog.StoredHashChanged, seq)} }, false},
		{"a stored inner hash changed", func(b *logbook, _, _ int64) {
			b.tamper("update ledger_tiles set hashes = overlay(hashes placing sha256('x') from 1) where tenant_id = $1 and level = 1")
		}, func(_, _ int64) []string { return []string{at(translog.StoredHashChanged, 1)} }, true},
		{"stored hashes removed", func(b *logbook, seq, _ int64) {
			b.tamper("delete from ledger_tiles where tenant_id = $1 and level = 0 and place = ($2 - 1) / 256", seq)
		}, func(seq, _ int64) []string { return []string{at(translog.StoredHashChanged, (seq-1)/256*256+1)} }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newLogbook(t, dbtest.Clone(t))
			b.say(300)
			b.sequence()
			older := b.checkpoint()
			last := b.say(500)
			b.sequence()
			seq := last - 400
			keys := b.keys()
			wantFound(t, "before", b.verify(older))
			c.tamper(b, seq, last)
			wantFound(t, "database", b.verify(older), c.want(seq, last)...)
			if c.inDatabase {
				return
			}
			wantFound(t, "offline", b.offline(b.export(), keys, older), c.want(seq, last)...)
		})
	}
}

func at(code string, seq int64) string { return code + " " + string(mustJSON(seq)) }

// A log that was rewritten as a whole, stored hashes, checkpoints and all, with the keys of the
// service: only a checkpoint that was kept outside can tell.
func TestAForkIsFoundByAnOlderCheckpoint(t *testing.T) {
	t.Parallel()
	b := newLogbook(t, dbtest.Clone(t))
	first := b.say(300)
	b.sequence()
	older := b.checkpoint()
	b.say(300)
	b.sequence()
	newer := b.checkpoint()
	keys := b.keys()
	b.tamper("update ledger_events set actor = 'user:nobody' where tenant_id = $1 and seq = $2", first+50)
	for _, table := range []string{"ledger_tiles", "ledger_checkpoints", "ledger_logs"} {
		b.tamper("delete from " + table + " where tenant_id = $1")
	}
	b.sequence()
	wantFound(t, "the database alone", b.verify())
	forked := at(translog.Fork, first+1)
	wantFound(t, "database", b.verify(older, newer), forked)
	wantFound(t, "offline", b.offline(b.export(), keys, older, newer), forked)

	b.tamper("delete from ledger_events where tenant_id = $1 and seq > $2", first)
	b.tamper("update ledger_heads set last_seq = $2 where tenant_id = $1", first)
	for _, table := range []string{"ledger_tiles", "ledger_checkpoints", "ledger_logs"} {
		b.tamper("delete from " + table + " where tenant_id = $1")
	}
	b.sequence()
	wantFound(t, "cut short, database", b.verify(older, newer), at(translog.LogCutShort, first+1))
	wantFound(t, "cut short, offline", b.offline(b.export(), keys, older, newer), at(translog.LogCutShort, first+1))
}

// An export that was changed on its way is found without the database.
func TestAChangedExportIsFound(t *testing.T) {
	t.Parallel()
	b := newLogbook(t, dbtest.Clone(t))
	b.say(600)
	b.sequence()
	lines, keys := b.export(), b.keys()
	wantFound(t, "before", b.offline(lines, keys))
	place := func(seq int64) int { // of an event among the lines
		return slices.IndexFunc(lines, func(l []byte) bool { return bytes.Contains(l, []byte(fmt.Sprintf(`,"seq":%d,`, seq))) })
	}
	for _, c := range []struct {
		name   string
		change func(lines [][]byte) [][]byte
		want   []string
	}{
		{"edited", func(l [][]byte) [][]byte {
			l[place(300)] = bytes.Replace(l[place(300)], []byte("test.said"), []byte("test.Said"), 1)
			return l
		}, []string{"event_edited 300"}},
		{"removed", func(l [][]byte) [][]byte { return slices.Delete(l, place(300), place(300)+1) }, []string{"event_removed 300"}},
		{"twice", func(l [][]byte) [][]byte { return slices.Insert(l, place(300), l[place(300)]) }, []string{"event_inserted 300"}},
		{"lines exchanged", func(l [][]byte) [][]byte {
			l[place(300)], l[place(301)] = l[place(301)], l[place(300)]
			return l
		}, []string{"event_reordered 300"}},
		{"cut off", func(l [][]byte) [][]byte { return l[:place(300)] }, []string{"log_cut_short 300"}},
		{"cut off with its hashes", func(l [][]byte) [][]byte { return l[:place(257)] }, []string{"log_cut_short 257"}},
	} {
		r := b.offline(c.change(slices.Clone(lines)), keys)
		wantFound(t, c.name, r, c.want...)
	}
}

func TestSignaturesCount(t *testing.T) {
	t.Parallel()
	b, stranger := newLogbook(t, dbtest.Clone(t)), newLogbook(t, dbtest.Clone(t))
	for _, x := range []*logbook{b, stranger} {
		x.say(10)
		x.sequence()
	}
	lines, keys, good := b.export(), b.keys(), b.checkpoint()
	wantFound(t, "keys of another log", b.offline(lines, stranger.keys()), "unknown_key 0")
	wantFound(t, "a checkpoint of another log", b.offline(lines, keys, stranger.checkpoint()), "unknown_key 0")
	wantFound(t, "no checkpoint", b.offline(lines, keys, translog.Older{From: "x", Text: "nothing"}), "checkpoint_malformed 0")
	forged := bytes.Replace([]byte(good.Text), []byte("\n"+string(mustJSON(b.last()))+"\n"), []byte("\n9\n"), 1)
	wantFound(t, "another size", b.offline(lines, keys, translog.Older{From: "x", Text: string(forged)}), "wrong_signature 0")

	// Another key put into the database signs nothing that an auditor takes.
	b.tamper("update trust_keys set public_key = sha256('x') where tenant_id = $1")
	wantFound(t, "another public key", b.verify(good), "unknown_key 0", "unknown_key 0")
}
