package translog

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
)

// oddity is an event that is not where it was sequenced. from is the number that the event was
// sequenced under, where that was found out.
type oddity struct {
	seq  int64
	kind string
	from int64
}

// loose are events without a place and places without an event. An event that was moved is found
// by hashing it under the numbers of places, as long as both are near: within two tiles.
type loose struct {
	events, olderEvents []line
	places, olderPlaces []place
	// shift is by how much the last event that was found had moved: an insertion or a removal
	// moves all events that follow by as much.
	shift int64
	// tries counts the tries at other distances.
	tries int
}

func (l *loose) empty() bool {
	return len(l.events)+len(l.olderEvents)+len(l.places)+len(l.olderPlaces) == 0
}

// mostTries bounds the search for the places of events that were moved, to a few seconds of hashing.
const mostTries = 1 << 22

// next takes the loose events and places of the next tile and gives the oddities of the tile
// before the last.
func (l *loose) next(events []line, places []place) []oddity {
	l.olderEvents, l.events = append(l.olderEvents, l.events...), events
	l.olderPlaces, l.places = append(l.olderPlaces, l.places...), places
	allEvents, allPlaces, found := l.match(slices.Concat(l.olderEvents, l.events), slices.Concat(l.olderPlaces, l.places))
	// Events and places of the last tile wait for the next one.
	edge := int64(0)
	if len(places) > 0 {
		edge = places[0].seq
	} else if len(events) > 0 {
		edge = events[0].seq
	}
	young := func(seq int64) bool { return edge > 0 && seq >= edge }
	var oldEvents []line
	l.events, l.olderEvents, l.places, l.olderPlaces = nil, nil, nil, nil
	for _, e := range allEvents {
		if young(e.seq) {
			l.events = append(l.events, e)
		} else {
			oldEvents = append(oldEvents, e)
		}
	}
	var oldPlaces []place
	for _, p := range allPlaces {
		if young(p.seq) {
			l.places = append(l.places, p)
		} else {
			oldPlaces = append(oldPlaces, p)
		}
	}
	return append(found, name(oldEvents, oldPlaces)...)
}

// rest gives the oddities that are left at the end.
func (l *loose) rest() []oddity {
	events, places, found := l.match(slices.Concat(l.olderEvents, l.events), slices.Concat(l.olderPlaces, l.places))
	*l = loose{shift: l.shift, tries: l.tries}
	return append(found, name(events, places)...)
}

// match finds events that were moved and gives the rest.
func (l *loose) match(events []line, places []place) ([]line, []place, []oddity) {
	at := map[int64]int{}
	for i, p := range places {
		at[p.seq] = i
	}
	taken := make([]bool, len(places))
	var found []oddity
	belongs := func(e line, i int) bool {
		if taken[i] || !bytes.Equal(hashLeaf(renumbered(e.leaf, places[i].seq)), places[i].hash) {
			return false
		}
		taken[i], l.shift = true, e.seq-places[i].seq
		found = append(found, oddity{seq: e.seq, kind: EventReordered, from: places[i].seq})
		return true
	}
	var left []line
	for _, e := range events {
		done := false
		for _, shift := range []int64{l.shift, 1, -1} {
			i, there := at[e.seq-shift]
			done = done || there && belongs(e, i)
		}
		for i := 0; !done && i < len(places) && l.tries < mostTries; i++ {
			l.tries++
			done = belongs(e, i)
		}
		if !done {
			left = append(left, e)
		}
	}
	var free []place
	for i, p := range places {
		if !taken[i] {
			free = append(free, p)
		}
	}
	return left, free, found
}

// name says of each of the rest that it was edited, where both have the number, inserted or removed.
func name(events []line, places []place) []oddity {
	missing := map[int64]bool{}
	for _, p := range places {
		missing[p.seq] = true
	}
	var found []oddity
	for _, e := range events {
		kind := EventInserted
		if missing[e.seq] {
			kind = EventEdited
			delete(missing, e.seq)
		}
		found = append(found, oddity{seq: e.seq, kind: kind})
	}
	for seq := range missing {
		found = append(found, oddity{seq: seq, kind: EventRemoved})
	}
	return found
}

var (
	seqField = []byte(`,"seq":`)
	seqEnd   = []byte(`,"subjectId":`)
)

// numbered finds the number in a canonical event: nothing that comes after it can look like it.
func numbered(leaf []byte) (int, int) {
	from := bytes.LastIndex(leaf, seqField)
	if from < 0 {
		return 0, 0
	}
	from += len(seqField)
	to := bytes.Index(leaf[from:], seqEnd)
	if to < 0 {
		return 0, 0
	}
	return from, from + to
}

// renumbered gives an event with another number.
func renumbered(leaf []byte, seq int64) []byte {
	from, to := numbered(leaf)
	return slices.Concat(leaf[:from], strconv.AppendInt(nil, seq, 10), leaf[to:])
}

// mostOddities bounds memory where everything is odd.
const mostOddities = 100_000

func (a *audit) settle(found []oddity) {
	for _, o := range found {
		a.odd(o)
	}
}

func (a *audit) odd(o oddity) {
	if len(a.oddities) == mostOddities {
		a.more++
		return
	}
	a.oddities = append(a.oddities, o)
}

// tell reports the oddities. An insertion or a removal moves all events that follow, which is
// said once; and events that are missing up to the end make a log that was cut short.
func (a *audit) tell(size int64) {
	// A removal or an insertion at a number comes before the events that moved there because of it.
	slices.SortStableFunc(a.oddities, func(x, y oddity) int {
		return cmp.Or(cmp.Compare(x.seq, y.seq), -cmp.Compare(moved(y), moved(x)))
	})
	tail := a.tail(size)
	shift := int64(0)
	for _, o := range a.oddities {
		switch {
		case a.hashChanged(o.seq):
			a.report.event(StoredHashChanged, o.seq, "the stored hash of event %d was changed; the event is the one that was signed", o.seq)
		case o.kind == EventRemoved && o.seq >= tail:
			if o.seq == tail {
				a.report.event(LogCutShort, o.seq, "the ledger was cut short: the events from %d to %d are missing", tail, size)
			}
		case o.kind == EventRemoved && o.seq > size-shift:
			// An insertion before it pushed it beyond the end.
		case o.kind == EventReordered && o.seq == o.from:
			a.report.event(o.kind, o.seq, "event %d stands behind a later one", o.seq)
		case o.kind == EventReordered && o.seq-o.from == shift:
		case o.kind == EventReordered:
			a.report.event(o.kind, o.seq, "the event that was sequenced as number %d stands at number %d", o.from, o.seq)
		case o.kind == EventInserted:
			shift++
			a.report.event(o.kind, o.seq, "event %d was inserted: the log never had it", o.seq)
		case o.kind == EventRemoved:
			shift--
			a.report.event(o.kind, o.seq, "event %d was removed", o.seq)
		default:
			a.report.event(o.kind, o.seq, "event %d is not the one that was sequenced", o.seq)
		}
	}
	a.report.More += a.more
}

func moved(o oddity) int {
	if o.kind == EventReordered {
		return 1
	}
	return 0
}

// hashChanged says that the first checkpoint over an event agrees with the events, and not with
// the stored hashes.
func (a *audit) hashChanged(seq int64) bool {
	for _, c := range a.checkpoints {
		if c.compared && c.Size >= seq {
			return !c.stored && c.events
		}
	}
	return false
}

// tail is the first of the missing events at the end; none is beyond size.
func (a *audit) tail(size int64) int64 {
	tail := size + 1
	for _, o := range slices.Backward(a.oddities) {
		if o.kind != EventRemoved || o.seq != tail-1 {
			break
		}
		tail = o.seq
	}
	return tail
}
