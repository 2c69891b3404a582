package assignment

import (
	"time"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// maxTargets bounds the targets of one call.
const maxTargets = 10_000

// Target says who an assignment is for.
type Target struct {
	Type string `json:"target_type" enum:"user_id,email,group_id,public_link"`
	Ref  string `json:"target_ref,omitempty" maxLength:"254" doc:"Id of the user or group, or e-mail address; empty for a public link" example:"ada@example.org"`
}

// Terms are shared by all assignments of one call.
type Terms struct {
	EvaluationID ids.ID     `json:"evaluationId"`
	RunLabel     string     `json:"run_label,omitempty" maxLength:"200" doc:"Marks the run; sessions and submissions copy it" example:"2031 spring"`
	ValidFrom    *time.Time `json:"validFrom,omitempty" doc:"No redemption and no start before"`
	ValidUntil   *time.Time `json:"validUntil,omitempty" doc:"No redemption and no start from then on"`
	SubjectID    *ids.ID    `json:"subjectId,omitempty"`
	EngagementID *ids.ID    `json:"engagementId,omitempty"`
}

// CreateInput hands out an evaluation to one target, or to many at once.
type CreateInput struct {
	Terms
	Type      string   `json:"target_type,omitempty" enum:"user_id,email,group_id,public_link" doc:"Of the only target"`
	Ref       string   `json:"target_ref,omitempty" maxLength:"254" doc:"Of the only target" example:"ada@example.org"`
	Targets   []Target `json:"targets,omitempty" nullable:"false" maxItems:"10000" doc:"Many targets, instead of target_type and target_ref; they share a batch"`
	BatchID   *ids.ID  `json:"batch_id,omitempty" doc:"Submissions copy it; many targets get one of their own by default"`
	WithToken bool     `json:"withToken,omitempty" doc:"Make a token that redeems it; a public link always has one"`
	Invite    bool     `json:"invite,omitempty" doc:"Queue an invitation by mail to every invitee"`

	schedule *ids.ID
}

// Assignment is one way into an evaluation.
type Assignment struct {
	ID              ids.ID     `json:"id"`
	EvaluationID    ids.ID     `json:"evaluationId"`
	EvaluationTitle string     `json:"evaluationTitle"`
	TargetType      string     `json:"target_type" enum:"user_id,email,group_id,public_link"`
	TargetRef       string     `json:"target_ref,omitempty" doc:"Id of the user, invited user or group; absent for a public link"`
	TargetName      string     `json:"targetName,omitempty" doc:"Name of the group, or of the user as the address"`
	Email           string     `json:"email,omitempty" doc:"Address of the user; only with users.read, and not of people whose processing is restricted"`
	RunLabel        *string    `json:"run_label"`
	ValidFrom       *time.Time `json:"validFrom"`
	ValidUntil      *time.Time `json:"validUntil"`
	BatchID         *ids.ID    `json:"batch_id"`
	ScheduleID      *ids.ID    `json:"scheduleId"`
	SubjectID       *ids.ID    `json:"subjectId"`
	EngagementID    *ids.ID    `json:"engagementId"`
	Status          string     `json:"status" enum:"active,closed"`
	IsOpen          bool       `json:"isOpen" doc:"Active, and within its window now"`
	HasToken        bool       `json:"hasToken"`
	CreatedAt       time.Time  `json:"createdAt"`
	UpdatedAt       time.Time  `json:"updatedAt"`
}

// Created is the result of a call. The fields of the first assignment are at the top, so a call for
// one target returns that assignment.
type Created struct {
	Assignment
	Token string   `json:"token,omitempty" doc:"Redeems the first assignment; shown this once"`
	Items []Handed `json:"items" nullable:"false" doc:"All assignments, in the order of the targets"`
}

// Handed is one of many new assignments.
type Handed struct {
	ID         ids.ID `json:"id"`
	TargetType string `json:"target_type" enum:"user_id,email,group_id,public_link"`
	TargetRef  string `json:"target_ref,omitempty"`
	Token      string `json:"token,omitempty" doc:"Redeems it; shown this once"`
}

func assignmentOf(row models.Assignment, now time.Time) Assignment {
	return Assignment{ID: row.ID, EvaluationID: row.EvaluationID, TargetType: row.TargetType, TargetRef: orEmpty(row.TargetRef),
		RunLabel: row.RunLabel, ValidFrom: db.UTC(row.ValidFrom), ValidUntil: db.UTC(row.ValidUntil), BatchID: row.BatchID,
		ScheduleID: row.ScheduleID, SubjectID: row.SubjectID, EngagementID: row.EngagementID, Status: row.Status,
		IsOpen:   row.Status == models.AssignmentActive && within(row.ValidFrom, row.ValidUntil, now),
		HasToken: len(row.TokenHash) > 0, CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC()}
}
