package translog

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"

	"assess/pkg/kernel/content"
	"assess/pkg/kernel/ids"
)

// anything draws a JSON value.
func anything(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		kinds := 5
		if depth == 0 {
			kinds = 3
		}
		switch rapid.IntRange(0, kinds).Draw(t, "kind") {
		case 0:
			return nil
		case 1:
			return rapid.Bool().Draw(t, "bool")
		case 2:
			return rapid.Float64Range(-1e300, 1e300).Draw(t, "number")
		case 3:
			return rapid.String().Draw(t, "text")
		case 4:
			return rapid.SliceOfN(anything(depth-1), 0, 4).Draw(t, "list")
		}
		return rapid.MapOfN(rapid.String(), anything(depth-1), 0, 4).Draw(t, "object")
	})
}

// The leaf is what the canonical form of the whole event is (RFC 8785).
func TestALeafIsCanonical(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		payload := rapid.MapOfN(rapid.String(), anything(2), 0, 4).Draw(t, "payload")
		encoded, err := json.Marshal(payload)
		if err != nil {
			t.Skip()
		}
		tenant, unit := ids.New(), ids.New()
		e := event{Seq: rapid.Int64Range(1, 1<<53).Draw(t, "seq"), ID: ids.New(), Type: "a.b", Actor: rapid.String().Draw(t, "actor"),
			SubjectType: rapid.String().Draw(t, "subject"), Subject: ids.New(), RequestID: rapid.String().Draw(t, "request"), Payload: encoded,
			OccurredAt: time.UnixMicro(rapid.Int64Range(0, 1<<52).Draw(t, "time"))}
		var orgUnit any
		if rapid.Bool().Draw(t, "in a unit") {
			e.OrgUnit, orgUnit = &unit, unit.String()
		}
		want, err := content.Canonical(map[string]any{"scheme": "ledger-event/v1", "tenantId": tenant.String(), "seq": e.Seq, "id": e.ID.String(),
			"orgUnitId": orgUnit, "eventType": e.Type, "actor": e.Actor, "subjectType": e.SubjectType, "subjectId": e.Subject.String(),
			"requestId": e.RequestID, "payload": json.RawMessage(encoded), "occurredAt": e.OccurredAt.UTC().Format("2006-01-02T15:04:05.000000Z")})
		if err != nil {
			t.Fatal(err)
		}
		got, err := e.leaf(tenant)
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("got %s, %v, want %s", got, err, want)
		}
		again, err := e.leaf(tenant)
		if err != nil || !bytes.Equal(got, again) {
			t.Fatalf("the second time: %s, %v", again, err)
		}
		if numberOf(got) != e.Seq {
			t.Fatalf("the number of %s: got %d", got, numberOf(got))
		}
		e.Seq++
		next, err := e.leaf(tenant)
		if err != nil || !bytes.Equal(renumbered(got, e.Seq), next) {
			t.Fatalf("renumbered: got %s, %v", renumbered(got, e.Seq), err)
		}
	})
}

func TestCheckpointsAreReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	c := Checkpoint{Origin: "assess.example.org/x", Size: 12, Root: make([]byte, hashSize)}
	got, err := parseCheckpoint(c.text())
	if err != nil || got.Origin != c.Origin || got.Size != c.Size || !bytes.Equal(got.Root, c.Root) {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, bad := range []string{"", "x\n", "x\n1\n", "x\n01\n" + c.text()[24:], "x\n-1\nAAAA\n", "x\n1\nAAAA\n", "\n1\nAAAA\n"} {
		if _, err := parseCheckpoint(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}
