package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"assess/pkg/exam/assignment"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

func newSchedule(s *Shell) *cobra.Command {
	return group("schedule", "Make assignments by recurrence rules",
		newScheduleList(s), show(s, "schedule", assignment.GetSchedule, scheduleColumns...), newSchedulePreview(s),
		newScheduleCreate(s), newScheduleUpdate(s),
		newScheduleStatus(s, "pause", "Pause a schedule; the runs that it misses are not made up for", assignment.SchedulePaused),
		newScheduleStatus(s, "resume", "Resume a paused schedule with its next run", assignment.ScheduleActive),
		newScheduleDelete(s))
}

func newScheduleList(s *Shell) *cobra.Command {
	var page db.Page
	return pages(&cobra.Command{
		Use:   "list",
		Short: "List schedules, newest change first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return printedList(s, cmd, func(tx *db.Tx) (db.List[assignment.Schedule], error) {
				return assignment.ListSchedules(cmd.Context(), tx, page)
			}, scheduleColumns...)
		},
	}, &page)
}

// timingFlags say when a schedule runs.
func timingFlags(cmd *cobra.Command, in *assignment.Timing) {
	flags := cmd.Flags()
	flags.StringVar(&in.Rule, "rule", "", "recurrence rule of RFC 5545")
	flags.StringVar(&in.TimeZone, "time-zone", "UTC", "zone of the IANA database whose clock the runs follow")
	takeTime(cmd, "starts", "first moment of the rule, as 2031-03-01T09:00:00Z", func(at time.Time) { in.StartsAt = at })
	flags.StringVar(&in.RunLabel, "run-label", "{date}", "with {date}, {time}, {week}, {month} or {year} of the run")
}

func newSchedulePreview(s *Shell) *cobra.Command {
	var in assignment.Timing
	cmd := &cobra.Command{
		Use:     "preview",
		Short:   "List the next runs of a rule, and store nothing",
		Example: "  assessctl assignment schedule preview --rule 'FREQ=MONTHLY;BYDAY=1MO' --time-zone Europe/Berlin --starts 2031-01-06T08:00:00Z",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := read(cmd.Context(), s, func(tx *db.Tx) (db.List[assignment.Coming], error) {
				return assignment.Preview(cmd.Context(), tx, in)
			})
			if err != nil {
				return err
			}
			return PrintPage(s, list, list.Items, comingColumns...)
		},
	}
	timingFlags(cmd, &in)
	return cmd
}

// planned is what create takes, in the words of the call.
type planned struct {
	Evaluation string
	Input      assignment.ScheduleInput
}

func newScheduleCreate(s *Shell) *cobra.Command {
	var in planned
	var window time.Duration
	cmd := &cobra.Command{
		Use:   "create EVALUATION TARGET-TYPE TARGET...",
		Short: "Make assignments at each run of a rule; evaluation and targets as for assignment create",
		Example: `  assessctl assignment schedule create SAFETY email ada@example.org --rule 'FREQ=MONTHLY;BYDAY=1MO' \
    --time-zone Europe/Berlin --starts 2031-01-06T08:00:00Z --run-label 'safety {date}' --window 72h`,
		Args: cobra.MinimumNArgs(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			in.Evaluation, in.Input.TargetType, in.Input.TargetRefs = args[0], args[1], args[2:]
			in.Input.WindowSeconds = wholeSeconds(window)
			return changed(s, cmd, in, func(tx *db.Tx) (assignment.Schedule, error) { return in.make(cmd.Context(), tx) }, scheduleColumns...)
		},
	}
	timingFlags(cmd, &in.Input.Timing)
	cmd.Flags().DurationVar(&window, "window", 0, "how long each assignment is open; without an end by default")
	cmd.Flags().BoolVar(&in.Input.Invite, "invite", false, "mail an invitation at each run")
	return s.changes(cmd)
}

func (p planned) make(ctx context.Context, tx *db.Tx) (assignment.Schedule, error) {
	var err error
	p.Input.EvaluationID, err = findEvaluation(ctx, tx, p.Evaluation)
	if err != nil {
		return assignment.Schedule{}, err
	}
	p.Input.TargetRefs, err = targetRefs(ctx, tx, p.Input.TargetType, p.Input.TargetRefs)
	if err != nil {
		return assignment.Schedule{}, err
	}
	return assignment.CreateSchedule(ctx, tx, p.Input)
}

// wholeSeconds gives a window that was asked for, nil without one.
func wholeSeconds(window time.Duration) *int {
	if window == 0 {
		return nil
	}
	n := int(window.Seconds())
	return &n
}

func newScheduleUpdate(s *Shell) *cobra.Command {
	var in assignment.Timing
	var window time.Duration
	var invite bool
	var patch assignment.SchedulePatch
	cmd := &cobra.Command{
		Use:   "update ID",
		Short: "Change when a schedule runs, or what its runs are called",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			patch.Rule, patch.TimeZone, patch.RunLabel = ifSet(cmd, "rule", &in.Rule), ifSet(cmd, "time-zone", &in.TimeZone), ifSet(cmd, "run-label", &in.RunLabel)
			patch.StartsAt = ifSet(cmd, "starts", &in.StartsAt)
			patch.WindowSeconds, patch.Invite = wholeSeconds(window), ifSet(cmd, "invite", &invite)
			return updateOne(s, cmd, "schedule", args[0], patch, assignment.UpdateSchedule, scheduleColumns...)
		},
	}
	flags := cmd.Flags()
	timingFlags(cmd, &in)
	flags.DurationVar(&window, "window", 0, "how long each assignment is open")
	flags.BoolVar(&invite, "invite", false, "mail an invitation at each run")
	flags.StringSliceVar(&patch.Clear, "clear", nil, "windowSeconds: assignments without an end")
	for _, kept := range []string{"time-zone", "run-label"} {
		flags.Lookup(kept).DefValue = "" // what is not given stays
	}
	return s.changes(cmd)
}

func newScheduleStatus(s *Shell, verb, short, status string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   verb + " ID",
		Short: short,
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return updateOne(s, cmd, "schedule", args[0], assignment.SchedulePatch{Status: &status}, assignment.UpdateSchedule, scheduleColumns...)
		},
	}
	return s.changes(cmd)
}

func newScheduleDelete(s *Shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "delete ID",
		Short: "Delete a schedule; the assignments that it made stay",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := recordID("schedule", args[0])
			if err != nil {
				return err
			}
			err = s.confirm(cmd.Context(), "Delete the schedule %s?", id)
			if err != nil {
				return err
			}
			_, err = write(s, cmd, id, func(tx *db.Tx) (ids.ID, error) {
				return id, assignment.DeleteSchedule(cmd.Context(), tx, id)
			})
			if err != nil {
				return unknown("schedule", args[0], err)
			}
			s.Note("Deleted.")
			return nil
		},
	}
	return s.changes(cmd)
}
