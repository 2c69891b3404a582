package app

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// mostGarbage is in percent of live memory: live memory is small, and a tenth of the
	// processor time of a busy server went into collecting at Go's own 100 percent.
	mostGarbage  = 400
	leastGarbage = 50
	// garbageRoom bounds it where more lives, such as a large import: four times that would be
	// most of a small machine.
	garbageRoom = 64 << 20
)

// tuneCollector lets garbage pile up to four times live memory, but to no more than there is
// room for, or half of live memory. GOGC has the last word.
func tuneCollector() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(mostGarbage)
	afterCollection(mostGarbage)
}

// afterCollection waits for the next collection, sets how much garbage may pile up until the one
// after it, and waits again.
func afterCollection(now int) {
	type sentinel struct{ _ [16]byte }
	runtime.AddCleanup(&sentinel{}, func(int) {
		wanted := garbagePercent(living())
		if wanted != now {
			debug.SetGCPercent(wanted)
		}
		afterCollection(wanted)
	}, 0)
}

// garbagePercent gives how much garbage may pile up for this much live memory, in steps of ten percent.
func garbagePercent(live uint64) int {
	percent := garbageRoom * 100 / max(live, 1)
	return int(min(max(percent, leastGarbage), mostGarbage)) / 10 * 10
}

// living gives the bytes that the last collection found in use.
func living() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
