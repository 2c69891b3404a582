package cli

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/capacity"
	"assess/pkg/kernel/db"
)

// Capacity is the load that this machine carries, and the needs of exams on machines like it.
type Capacity struct {
	Machine capacity.Machine `json:"machine"`
	// Carries is how many take an exam here at the same time.
	Carries int             `json:"carries" doc:"How many may take the exam at the same time where assessd and PostgreSQL share this machine"`
	Exams   []capacity.Need `json:"exams"`
}

var (
	usualCrowds   = []int{100, 1_000, 10_000, 100_000, 1_000_000}
	needColumns   = columns[capacity.Need]("People, SavesPerSecond = Saves/s, Server = assessd, Database = PostgreSQL, Workers, Memory = Memory MB, WAL = WAL KB/s, Disk = Disk MB")
	slowestCommit = 10.0
)

const capacityLong = `Measure the processors, PostgreSQL and the disk for a second, and say how many people may take an exam at
the same time on this machine, and what machines like it more people need: processors of assessd and of
PostgreSQL, of which half stay free, workers of a cluster, memory of assessd, and what is written. All
start within a minute and submit within two. The figures are estimates (docs/scale.md); measure on a
quiet machine.`

func newDoctorCapacity(s *Shell) *cobra.Command {
	exam := capacity.Exam{StartWithin: capacity.StartWithin, SubmitWithin: capacity.SubmitWithin}
	cmd := s.onStore("capacity", "Estimate how many people may take an exam at the same time", func(ctx context.Context, store *db.Store) error {
		err := exam.Check()
		if err != nil {
			return err
		}
		m, err := capacity.Measure(ctx, store.Pool())
		if err != nil {
			return db.Translate(err)
		}
		c := Capacity{Machine: m, Carries: m.Carries(exam)}
		for _, crowd := range usualCrowds {
			sized := exam
			sized.People = cmp.Or(exam.People, crowd)
			c.Exams = append(c.Exams, m.Needs(sized))
			if exam.People > 0 {
				break
			}
		}
		return s.printCapacity(c)
	})
	cmd.Long = capacityLong
	cmd.Flags().IntVar(&exam.People, "people", 0, "how many take the exam; without it, a hundred to a million")
	cmd.Flags().IntVar(&exam.Questions, "questions", capacity.Questions, "questions of the exam")
	cmd.Flags().DurationVar(&exam.SaveEvery, "save-every", capacity.SaveEvery, "time between two saves of a person, as 15s")
	return cmd
}

func (s *Shell) printCapacity(c Capacity) error {
	if s.Format == FormatTable {
		s.Note("%d processors, each %.1f times as fast as the one in docs/cost.md; a commit waits %.1f ms for the disk.", c.Machine.Processors, c.Machine.Pace, c.Machine.Commit)
		if c.Machine.Commit > slowestCommit {
			s.Note("The disk is slow: each save waits for it.")
		}
		s.Note("About %d people may take this exam here at the same time.", c.Carries)
	}
	return PrintPage(s, c, c.Exams, needColumns...)
}
