package exchange_test

import (
	"bytes"
	"fmt"
	"testing"

	"assess/pkg/author/exchange"
)

func TestConvertLeavesOutWhatNeedsAYes(t *testing.T) {
	t.Parallel()
	source := "Fine {T}\n\nLess {=a ~b#no}\n\nPart {=a =%50%b}\n\nTwice {=x}\n\nTwice {=x}"
	gift, err := exchange.Named("gift")
	if err != nil {
		t.Fatal(err)
	}
	moodle, err := exchange.Named("moodle_xml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		yes                     bool
		whole, noticed, refused int
	}{{false, 2, 1, 2}, {true, 2, 2, 1}} {
		var out bytes.Buffer
		r, err := exchange.Convert(bytes.NewReader([]byte(source)), gift, &out, moodle, c.yes)
		got := fmt.Sprint(r.Items, r.Whole, r.Noticed, r.Refused, r.Counts)
		want := fmt.Sprint(5, c.whole, c.noticed, c.refused, map[string]int{"option_feedback_dropped": 1, "partial_answer": 1, "duplicate_external_id": 1})
		if err != nil || got != want || len(read(t, out.Bytes())) != c.whole+c.noticed {
			t.Errorf("%v: %v, got %s, want %s", c.yes, err, got, want)
		}
	}
}

func TestAnyFormatTurnsIntoAnyOther(t *testing.T) {
	t.Parallel()
	it := samples()["rich"]
	it.ID = "rich"
	for _, from := range exchange.Formats {
		for _, to := range exchange.Formats {
			if !from.Writes() || !from.Reads() || !to.Writes() || !to.Reads() {
				continue
			}
			first := it
			var out bytes.Buffer
			r, err := exchange.Convert(bytes.NewReader(write(t, from, &first)), from, &out, to, false)
			if err != nil || r.Whole != 1 {
				t.Errorf("%s to %s: %v %+v", from.Name, to.Name, err, r)
				continue
			}
			back := read(t, out.Bytes())[0]
			if len(back.Files) != 1 || !bytes.Equal(back.Files[0].Data, pixel) || back.Files[0].Name != "leaf.png" {
				t.Errorf("%s to %s: %v", from.Name, to.Name, back.Files)
			}
		}
	}
}
