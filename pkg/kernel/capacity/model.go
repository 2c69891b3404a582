package capacity

import (
	"math"
	"time"

	"assess/pkg/kernel/errs"
)

// Exam is one that everybody takes at the same time.
type Exam struct {
	// People take it, each with this many questions.
	People, Questions int
	// SaveEvery is the time between two saves of a person.
	SaveEvery time.Duration
	// All start within StartWithin, and submit within SubmitWithin.
	StartWithin, SubmitWithin time.Duration
}

// The times of an exam that gives none, as `make bench-exam` has them.
const (
	Questions    = 20
	SaveEvery    = 15 * time.Second
	StartWithin  = time.Minute
	SubmitWithin = 2 * time.Minute
)

// Check refuses an exam that nobody holds. Errors: ValidationFailed.
func (e Exam) Check() error {
	var problems []errs.Field
	for _, p := range []struct {
		path, message string
		wrong         bool
	}{
		{"people", "expected 0 to 100,000,000", e.People < 0 || e.People > 100_000_000},
		{"questions", "expected 1 to 1,000", e.Questions < 1 || e.Questions > 1_000},
		{"saveEvery", "expected a second to a day", e.SaveEvery < time.Second || e.SaveEvery > 24*time.Hour},
	} {
		if p.wrong {
			problems = append(problems, errs.Field{Path: p.path, Code: "out_of_range", Message: p.message})
		}
	}
	return errs.Invalid(problems...)
}

// cost is the cost of a step: milliseconds of a processor in assessd and in PostgreSQL, and kilobytes of write-ahead log.
type cost struct{ Server, Database, WAL float64 }

// What each step costs on a processor of pace 1 (bench/results.json, "cost"). A submit and its projection are for 20 questions.
var (
	starting   = cost{0.55, 0.57, 2.8}
	saving     = cost{4.51 / 20, 4.99 / 20, 12.8 / 20}
	submitting = cost{0.47, 1.19, 11.5}
	projecting = cost{0.86, 2.51, 21.5}
)

const (
	measuredQuestions = 20
	// spare is the part of its processors that a machine keeps free, since the load is never even.
	spare = 0.5
	// connection is the memory of assessd for each person, idle its memory without anybody, in bytes (`make bench-exam`).
	connection = 40 << 10
	idle       = 80 << 20
	// largest is how many processors one PostgreSQL may have before a cluster is due; a node of a cluster has nodeProcessors.
	largest        = 64
	nodeProcessors = 16
	// clusterServer and clusterDatabase are how many times the processor time an attempt takes on a cluster (docs/scale.md).
	clusterServer   = 1.5
	clusterDatabase = 4.5
)

// Need is an exam's need at its busiest moment, rounded up.
type Need struct {
	People         int `json:"people" doc:"How many take the exam at the same time"`
	SavesPerSecond int `json:"savesPerSecond" doc:"Answers saved a second"`
	// Server and Database count processors: twice as many as are busy.
	Server   int `json:"serverProcessors" doc:"Processors for assessd, half of them free"`
	Database int `json:"databaseProcessors" doc:"Processors for PostgreSQL, half of them free; on a cluster those of all workers"`
	Workers  int `json:"clusterWorkers" doc:"Workers of a cluster with 16 processors each; 0 where one PostgreSQL is enough"`
	Memory   int `json:"serverMemory" doc:"Memory of assessd in MB"`
	WAL      int `json:"walPerSecond" doc:"Write-ahead log in KB a second"`
	Disk     int `json:"disk" doc:"What the exam leaves on the disk in MB: at most its write-ahead log"`
}

// busy is the load at a moment: processors of pace 1 that are busy, and KB of write-ahead log a second.
type busy struct{ server, database, wal float64 }

func (b *busy) add(perSecond float64, c cost) {
	b.server += perSecond * c.Server / 1000
	b.database += perSecond * c.Database / 1000
	b.wal += perSecond * c.WAL
}

// busiest gives the larger of what runs while all start and while all submit. Saves go on in both.
func (e Exam) busiest() busy {
	var starts, submits busy
	people := float64(e.People)
	size := float64(e.Questions) / measuredQuestions
	for _, b := range []*busy{&starts, &submits} {
		b.add(people/e.SaveEvery.Seconds(), saving)
	}
	starts.add(people/e.StartWithin.Seconds(), starting)
	submits.add(people/e.SubmitWithin.Seconds()*size, submitting)
	submits.add(people/e.SubmitWithin.Seconds()*size, projecting)
	return busy{max(starts.server, submits.server), max(starts.database, submits.database), max(starts.wal, submits.wal)}
}

// Needs says what an exam takes of machines like this one.
func (m Machine) Needs(e Exam) Need {
	b := e.busiest()
	size := float64(e.Questions) / measuredQuestions
	attempt := starting.WAL + float64(e.Questions)*saving.WAL + size*(submitting.WAL+projecting.WAL)
	n := Need{People: e.People, SavesPerSecond: up(float64(e.People) / e.SaveEvery.Seconds()), Memory: (idle + e.People*connection) >> 20,
		WAL: up(b.wal), Disk: up(float64(e.People) * attempt / 1000)}
	n.Server, n.Database = m.processors(b.server), m.processors(b.database)
	if n.Database > largest {
		n.Server, n.Database = m.processors(b.server*clusterServer), m.processors(b.database*clusterDatabase)
		n.Workers = (n.Database + nodeProcessors - 1) / nodeProcessors
	}
	return n
}

// processors gives how many of this machine's are needed so that some stay free.
func (m Machine) processors(busy float64) int { return up(busy / m.Pace / (1 - spare)) }

func up(n float64) int { return int(math.Ceil(n)) }

// Carries gives how many people may take an exam at the same time where server and database share this machine.
func (m Machine) Carries(e Exam) int {
	e.People = 1_000_000
	b := e.busiest()
	free := float64(m.Processors) * m.Pace * (1 - spare)
	return int(free / (b.server + b.database) * float64(e.People))
}
