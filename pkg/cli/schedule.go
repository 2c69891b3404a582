package cli

import (
	"time"

	"github.com/spf13/cobra"

	"assess/pkg/assignment"
	"assess/pkg/db"
	"assess/pkg/ids"
)

func newSchedule(s *Session) *cobra.Command {
	return group("schedule", "Make assignments by recurrence rules",
		newScheduleList(s), show(s, "schedule", assignment.GetSchedule, scheduleColumns...), newScheduleCreate(s),
		newScheduleStatus(s, "pause", "Pause a schedule; the runs that it misses are not made up for", assignment.SchedulePaused),
		newScheduleStatus(s, "resume", "Resume a paused schedule with its next run", assignment.ScheduleActive),
		newScheduleDelete(s))
}

func newScheduleList(s *Session) *cobra.Command {
	var page db.Page
	return pages(&cobra.Command{
		Use:   "list",
		Short: "List schedules, newest change first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := read(cmd.Context(), s, func(tx *db.Tx) (db.List[assignment.Schedule], error) {
				return assignment.ListSchedules(cmd.Context(), tx, page)
			})
			if err != nil {
				return err
			}
			return printList(s, list, scheduleColumns...)
		},
	}, &page)
}

func newScheduleCreate(s *Session) *cobra.Command {
	var in assignment.ScheduleInput
	var starts string
	var window time.Duration
	cmd := &cobra.Command{
		Use:   "create EVALUATION-ID TARGET-TYPE TARGET...",
		Short: "Make assignments at each run of a rule",
		Example: `  assessctl assignment schedule create 01a1fbc1-578d-7a4f-89c6-163d741ecbbd email ada@example.org \
    --rule 'FREQ=MONTHLY;BYDAY=1MO' --time-zone Europe/Berlin --starts 2031-01-06T08:00:00Z --run-label 'safety {date}' --window 72h`,
		Args: cobra.MinimumNArgs(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			in.EvaluationID, err = recordID("evaluation", args[0])
			if err != nil {
				return err
			}
			start, err := optionalTime("starts", starts)
			if err != nil {
				return err
			}
			if start != nil {
				in.StartsAt = *start
			}
			if seconds := int(window.Seconds()); seconds != 0 {
				in.WindowSeconds = &seconds
			}
			in.TargetType, in.TargetRefs = args[1], args[2:]
			made, err := write(s, cmd, in, func(tx *db.Tx) (assignment.Schedule, error) {
				return assignment.CreateSchedule(cmd.Context(), tx, in)
			})
			if err != nil {
				return err
			}
			return PrintOne(s, made, scheduleColumns...)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&in.Rule, "rule", "", "recurrence rule of RFC 5545")
	flags.StringVar(&in.TimeZone, "time-zone", "UTC", "zone of the IANA database whose clock the runs follow")
	flags.StringVar(&starts, "starts", "", "first moment of the rule, as 2031-03-01T09:00:00Z")
	flags.StringVar(&in.RunLabel, "run-label", "{date}", "with {date}, {time}, {week}, {month} or {year} of the run")
	flags.DurationVar(&window, "window", 0, "how long each assignment is open; without an end by default")
	flags.BoolVar(&in.Invite, "invite", false, "mail an invitation at each run")
	return s.changes(cmd)
}

func newScheduleStatus(s *Session, verb, short, status string) *cobra.Command {
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

func newScheduleDelete(s *Session) *cobra.Command {
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
