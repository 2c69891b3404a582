package main

import (
	"context"
	"fmt"

	"assess/pkg/exam/assignment"
	"assess/pkg/kernel/db"
	"assess/pkg/people/people"
)

// runs is how many runs the attempts of the reports are made in.
const runs = 3

// assignGroups assigns the exam to so many groups, in every run.
func (e *exam) assignGroups(ctx context.Context, store *db.Store, groups int) error {
	return store.Write(ctx, e.operator, func(tx *db.Tx) error {
		targets := make([]assignment.Target, groups)
		for i := range targets {
			made, err := people.CreateGroup(ctx, tx, people.GroupInput{Name: fmt.Sprintf("Group %d", i)})
			if err != nil {
				return err
			}
			targets[i] = assignment.Target{Type: "group_id", Ref: made.ID.String()}
			e.groups = append(e.groups, made.ID)
		}
		for run := range runs {
			made, err := assignment.Create(ctx, tx, assignment.CreateInput{Targets: targets,
				Terms: assignment.Terms{EvaluationID: e.evaluation, RunLabel: fmt.Sprintf("run %d", run)}})
			if err != nil {
				return err
			}
			for _, a := range made.Items {
				e.assignments = append(e.assignments, a.ID)
			}
		}
		return nil
	})
}
