package translog

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/transparency-dev/merkle/compact"
)

// audit compares events with the hashes that were stored when they were sequenced, and both with
// checkpoints. The caller feeds it a tile of events at a time: memory does not grow with the log.
//
// There are two ways to a root: over the stored hashes, and over the events as they are now. A
// checkpoint that agrees with the stored hashes shows that the events were changed where they
// differ; one that agrees with the events, that the stored hashes were; one that agrees with
// neither, that the log was rewritten as a whole.
type audit struct {
	report      *Report
	checkpoints []against // by size; those before next are compared
	next        int
	stored      *compact.Range
	// shown is the range over the events; nil as long as it equals stored.
	shown *compact.Range
	// visit sees the nodes of the stored tree, unless it is nil.
	visit compact.VisitFn

	oddities []oddity
	more     int
	loose    loose
}

// against is a checkpoint whose signature holds, and what came of comparing it.
type against struct {
	Checkpoint
	from                     string // where it was read; empty for the database
	compared, stored, events bool
}

func (c against) name() string {
	if c.from == "" {
		return fmt.Sprintf("the checkpoint of %d events", c.Size)
	}
	return c.from
}

// line is an event as it is now. Its number may be anything, where somebody wrote it.
type line struct {
	seq  int64
	leaf []byte
	hash []byte
}

// place is where an event was sequenced.
type place struct {
	seq  int64
	hash []byte
}

func newAudit(report *Report, checkpoints []against) (*audit, error) {
	slices.SortStableFunc(checkpoints, func(a, b against) int { return int(a.Size - b.Size) })
	a := &audit{report: report, checkpoints: checkpoints, stored: factory.NewEmptyRange(0)}
	return a, a.meet() // the checkpoints of an empty log
}

// tile compares the next events with the stored hashes of the next places, which follow first
// others. There may be too few events or too many of them.
func (a *audit) tile(first int64, events []line, hashes [][]byte) error {
	a.report.Events += int64(len(events))
	if a.shown == nil && a.loose.empty() && asSequenced(first, events, hashes) {
		return a.extend(hashes, hashes)
	}
	if a.shown == nil {
		copied, err := factory.NewRange(0, a.stored.End(), slices.Clone(a.stored.Hashes()))
		if err != nil {
			return err
		}
		a.shown = copied
	}
	now := slices.Clone(hashes)
	for _, e := range events {
		if at := e.seq - first - 1; at >= 0 && at < int64(len(now)) {
			now[at] = e.hash
		}
	}
	err := a.extend(hashes, now)
	a.compare(first, events, hashes)
	return err
}

// asSequenced is the usual case: every event is in its place with its hash.
func asSequenced(first int64, events []line, hashes [][]byte) bool {
	if len(events) != len(hashes) {
		return false
	}
	for i, e := range events {
		if e.seq != first+int64(i)+1 || !bytes.Equal(e.hash, hashes[i]) {
			return false
		}
	}
	return true
}

// extend appends to the ranges and looks at the checkpoints on the way.
func (a *audit) extend(hashes, now [][]byte) error {
	for i, hash := range hashes {
		err := a.stored.Append(hash, a.visit)
		if err == nil && a.shown != nil {
			err = a.shown.Append(now[i], nil)
		}
		if err != nil {
			return err
		}
		err = a.meet()
		if err != nil {
			return err
		}
	}
	return nil
}

// meet compares the checkpoints of the size that is reached.
func (a *audit) meet() error {
	for ; a.next < len(a.checkpoints) && a.checkpoints[a.next].Size <= int64(a.stored.End()); a.next++ {
		c := &a.checkpoints[a.next]
		root, err := rootOf(a.stored)
		if err != nil {
			return err
		}
		c.compared, c.stored = true, bytes.Equal(root, c.Root)
		c.events = c.stored && a.shown == nil
		if a.shown != nil {
			root, err = rootOf(a.shown)
			c.events = bytes.Equal(root, c.Root)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// compare finds the oddities among the events of a tile.
func (a *audit) compare(first int64, events []line, hashes [][]byte) {
	seen := make([]bool, len(hashes))
	last := int64(0)
	var strange []line
	for _, e := range events {
		at := e.seq - first - 1
		if at >= 0 && at < int64(len(hashes)) && !seen[at] && bytes.Equal(e.hash, hashes[at]) {
			seen[at] = true
			if e.seq < last {
				a.odd(oddity{seq: e.seq, kind: EventReordered, from: e.seq})
			}
			last = max(last, e.seq)
			continue
		}
		strange = append(strange, e)
	}
	var empty []place
	for i, hash := range hashes {
		if !seen[i] {
			empty = append(empty, place{first + int64(i) + 1, hash})
		}
	}
	a.settle(a.loose.next(strange, empty))
}

// finish reports the findings over a log of size events.
func (a *audit) finish(size int64) error {
	a.settle(a.loose.rest())
	root, err := rootOf(a.stored)
	if err != nil {
		return err
	}
	a.report.Size, a.report.Root = size, inBase64([][]byte{root})[0]
	a.tell(size)
	a.tellCheckpoints()
	return nil
}

// tellCheckpoints reports the checkpoints that the log does not agree with: the first of them
// says where.
func (a *audit) tellCheckpoints() {
	told := map[string]bool{}
	for i, c := range a.checkpoints {
		switch {
		case c.compared && (c.stored || c.events):
			a.report.Checkpoints++
		case !c.compared && !told[LogCutShort]:
			told[LogCutShort] = true
			a.report.event(LogCutShort, int64(a.stored.End())+1, "the log ends after event %d, and %s covers %d", a.stored.End(), c.name(), c.Size)
		case c.compared && !told[Fork]:
			told[Fork] = true
			from := a.agreed(i) + 1
			a.report.event(Fork, from, "the log is not the one that was signed: somewhere from event %d to event %d it was rewritten, as %s shows",
				from, c.Size, c.name())
		}
	}
}

// agreed gives the size of the newest checkpoint before one that the log agrees with. A
// checkpoint in the database proves nothing against one that was kept outside.
func (a *audit) agreed(before int) int64 {
	last := a.checkpoints[before]
	for i := before - 1; i >= 0; i-- {
		c := a.checkpoints[i]
		if c.Size < last.Size && (c.stored || c.events) && (c.from != "" || last.from == "") {
			return c.Size
		}
	}
	return 0
}
