package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"assess/pkg/exam/assignment"
	"assess/pkg/kernel/db"
)

func newSchedule(s *Shell) *cobra.Command {
	return group("schedule", "Make assignments by recurrence rules", s.operations("assignment schedule", newSchedulePreview(s), newScheduleCreate(s),
		newScheduleStatus(s, "pause ID", "Pause a schedule; the runs that it misses are not made up for", assignment.SchedulePaused),
		newScheduleStatus(s, "resume ID", "Resume a paused schedule with its next run", assignment.ScheduleActive))...)
}

const (
	ruleOf      = "recurrence rule of RFC 5545"
	zoneOf      = "zone of the IANA database whose clock the runs follow"
	runsLabel   = "with {date}, {time}, {week}, {month} or {year} of the run"
	firstMoment = "first moment of the rule, as 2031-03-01T09:00:00Z"
)

// timingFlags say when a schedule runs.
func timingFlags(cmd *cobra.Command, in *assignment.Timing) {
	cmd.Flags().StringVar(&in.Rule, "rule", "", ruleOf)
	cmd.Flags().StringVar(&in.TimeZone, "time-zone", "UTC", zoneOf)
	takeTime(cmd, "starts-at", firstMoment, func(at time.Time) { in.StartsAt = at })
	cmd.Flags().StringVar(&in.RunLabel, "run-label", "{date}", runsLabel)
}

func newSchedulePreview(s *Shell) *cobra.Command {
	var in assignment.Timing
	cmd := newShow(s, "preview", "List the next runs of a rule, and store nothing", with(&in, assignment.Preview), tableOf(itemsOf, comingColumns))
	timingFlags(cmd, &in)
	return cmd
}

func newScheduleCreate(s *Shell) *cobra.Command {
	var in assignment.ScheduleInput
	cmd := newAct(s, "create EVALUATION TARGET-TYPE TARGET...", "Make assignments at each run of a rule; evaluation and targets as for assignment create",
		func(ctx context.Context, tx *db.Tx, args []string) (assignment.Schedule, error) {
			var err error
			in.EvaluationID, err = findEvaluation(ctx, tx, args[0])
			if err != nil {
				return assignment.Schedule{}, err
			}
			in.TargetType = args[1]
			in.TargetRefs, err = targetRefs(ctx, tx, in.TargetType, args[2:])
			if err != nil {
				return assignment.Schedule{}, err
			}
			return assignment.CreateSchedule(ctx, tx, in)
		}, fields(scheduleColumns))
	timingFlags(cmd, &in.Timing)
	optional(cmd, &in.WindowSeconds, "window-seconds", "how long each assignment is open; without an end by default", cmd.Flags().Int)
	cmd.Flags().BoolVar(&in.Invite, "invite", false, "mail an invitation at each run")
	return cmd
}

func newScheduleStatus(s *Shell, use, short, status string) *cobra.Command {
	patch := assignment.SchedulePatch{Status: &status}
	return newAct(s, use, short, change("schedule", &patch, assignment.UpdateSchedule), fields(scheduleColumns))
}

var scheduleColumns = columns[assignment.Schedule]("Rule, TimeZone, RunLabel, Status, NextAt, ID*")

var comingColumns = columns[assignment.Coming]("At = At (UTC), Local = On the wall, RunLabel")
