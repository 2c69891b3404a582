package assignment

import (
	"time"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// The states of a schedule.
const (
	ScheduleActive = "active"
	SchedulePaused = "paused"
	ScheduleEnded  = "ended"
)

// listedRuns is how many coming and past runs a schedule shows.
const listedRuns = 10

// Timing says when a schedule runs and what its runs are called.
type Timing struct {
	Rule     string    `json:"rule" minLength:"1" maxLength:"300" doc:"Recurrence rule of RFC 5545; HOURLY at most" example:"FREQ=MONTHLY;BYDAY=1MO"`
	TimeZone string    `json:"timeZone" minLength:"1" maxLength:"64" doc:"Of the IANA database; the runs follow its clock on the wall" example:"Europe/Berlin"`
	StartsAt time.Time `json:"startsAt" doc:"First moment of the rule, and the time of day of its runs"`
	RunLabel string    `json:"run_label" minLength:"1" maxLength:"160" doc:"With {date}, {time}, {week}, {month} or {year} of the run; each run needs a label of its own" example:"safety {date}"`
}

// ScheduleInput describes a schedule: when it runs, and the assignments of each run.
type ScheduleInput struct {
	Timing
	EvaluationID  ids.ID   `json:"evaluationId"`
	TargetType    string   `json:"target_type" enum:"user_id,email,group_id"`
	TargetRefs    []string `json:"targetRefs" nullable:"false" minItems:"1" maxItems:"10000" maxLength:"254" doc:"Ids of users or groups, or e-mail addresses"`
	WindowSeconds *int     `json:"windowSeconds,omitempty" minimum:"60" doc:"How long each assignment is open, from its run on; without an end when absent. Whole days are days in timeZone, unless the rule is hourly"`
	SubjectID     *ids.ID  `json:"subjectId,omitempty"`
	EngagementID  *ids.ID  `json:"engagementId,omitempty"`
	Invite        bool     `json:"invite,omitempty" doc:"Mail an invitation at each run"`
}

// Schedule makes assignments at each run of its rule.
type Schedule struct {
	ID            ids.ID     `json:"id"`
	EvaluationID  ids.ID     `json:"evaluationId"`
	Rule          string     `json:"rule"`
	TimeZone      string     `json:"timeZone"`
	StartsAt      time.Time  `json:"startsAt"`
	RunLabel      string     `json:"run_label"`
	TargetType    string     `json:"target_type" enum:"user_id,email,group_id"`
	TargetRefs    []ids.ID   `json:"targetRefs" nullable:"false" doc:"Ids of users, invited users or groups"`
	WindowSeconds *int       `json:"windowSeconds"`
	SubjectID     *ids.ID    `json:"subjectId"`
	EngagementID  *ids.ID    `json:"engagementId"`
	Invite        bool       `json:"invite"`
	Status        string     `json:"status" enum:"active,paused,ended"`
	NextAt        *time.Time `json:"nextAt"`
	Coming        []Coming   `json:"coming" nullable:"false" doc:"The next runs, ten at most"`
	Past          []Run      `json:"past" nullable:"false" doc:"The newest runs, ten at most"`
	CreatedAt     time.Time  `json:"createdAt"`
	UpdatedAt     time.Time  `json:"updatedAt"`
}

// Coming is a run that is still to come.
type Coming struct {
	At       time.Time `json:"at"`
	Local    string    `json:"local" doc:"By the clock on the wall" example:"2031-03-31T09:00:00"`
	RunLabel string    `json:"run_label"`
}

// Run is a run that has been.
type Run struct {
	At       time.Time `json:"at"`
	RunLabel string    `json:"run_label"`
	BatchID  ids.ID    `json:"batch_id"`
	Created  int       `json:"created" doc:"Assignments that it made"`
	Problem  string    `json:"problem,omitempty" enum:"missed,archived,not_published,not_found,no_targets,validation_failed" doc:"Why it made none"`
	RanAt    time.Time `json:"ranAt"`
}

// parse reads the timing; the recurrence is usable when there is no problem.
func (t Timing) parse() (recurrence, []errs.Field) {
	r, bad := parseRecurrence(t.Rule, t.TimeZone, t.StartsAt)
	if len(bad) > 0 {
		return r, bad
	}
	runs := r.next(t.StartsAt.Truncate(time.Second), labelled)
	if len(runs) == 0 {
		return r, invalidRule("it has no run at all")
	}
	return r, checkPattern(t.RunLabel, r, runs)
}

// coming lists the next runs from a moment on.
func (t Timing) coming(r recurrence, from time.Time) []Coming {
	list := []Coming{}
	for _, at := range r.next(from, listedRuns) {
		list = append(list, Coming{At: at.UTC(), Local: at.In(r.zone).Format("2006-01-02T15:04:05"), RunLabel: labelOf(t.RunLabel, at, r.zone)})
	}
	return list
}

// problems lists what is wrong, except with the timing.
func (in ScheduleInput) problems() []errs.Field {
	var bad []errs.Field
	if in.TargetType == models.TargetPublicLink {
		bad = append(bad, errs.Field{Path: "target_type", Code: "invalid_choice", Message: "a schedule hands out to persons and groups: the token of a link would be lost"})
	}
	if len(in.TargetRefs) == 0 || len(in.TargetRefs) > maxTargets {
		bad = append(bad, errs.Field{Path: "targetRefs", Code: "out_of_range", Message: "1 to 10000 targets"})
	}
	if in.WindowSeconds != nil && (*in.WindowSeconds < 60 || *in.WindowSeconds > 1<<30) {
		bad = append(bad, errs.Field{Path: "windowSeconds", Code: "out_of_range", Message: "60 or more"})
	}
	return bad
}

// advanceTo gives what follows a moment: the next run, or the end.
func (s *Schedule) advanceTo(r recurrence, from time.Time) {
	s.NextAt = nil
	if s.Status == SchedulePaused {
		return
	}
	s.Status = ScheduleEnded
	for _, at := range r.next(from, 1) {
		s.Status, s.NextAt = ScheduleActive, db.UTC(&at)
	}
}

func (s Schedule) timing() Timing {
	return Timing{Rule: s.Rule, TimeZone: s.TimeZone, StartsAt: s.StartsAt, RunLabel: s.RunLabel}
}

func (s Schedule) event(what string, tx *db.Tx, org ids.ID) ledger.Event {
	return ledger.Event{Type: "assignment_schedule." + what, SubjectType: "assignment_schedule", SubjectID: s.ID, OrgUnit: org,
		Payload: map[string]any{"evaluationId": s.EvaluationID, "status": s.Status, "rule": s.Rule, "timeZone": s.TimeZone,
			"targets": len(s.TargetRefs), "nextAt": s.NextAt}}
}
