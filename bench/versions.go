package main

import (
	"context"
	"fmt"
	"time"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/db"
	"assess/pkg/report/reporting"
)

// versions is how many versions the evaluation of many people has. Each of the people came
// attemptsOfMany times, to any version.
const (
	versions       = 3
	attemptsOfMany = 3
)

// fewItems is how many items the attempts of many people have: the measurement is about the people.
const fewItems = 4

// ofVersions are the reports over all versions of an evaluation. The cost of the summary grows
// neither with the attempts nor with the people; the lists have more cells than few attempts fill.
var ofVersions = []reading{
	{"evaluation summary of all versions", 300, false,
		func(ctx context.Context, tx *db.Tx, e *exam) error {
			_, err := reporting.Summary(ctx, tx, reporting.SummaryInput{EvaluationVersionID: e.version, AllVersions: true})
			return err
		},
		func(e *exam) string { return summaryPath(e, allVersions) }},
	{"cohorts of all versions, all blocks", 300, true, nil, func(e *exam) string { return listPath(e, "cohorts", allVersions+allBlocks) }},
	{"groups of all versions, all blocks", 300, true, nil, func(e *exam) string { return listPath(e, "groups", allVersions+allBlocks) }},
	{"evaluation summary of all versions, a run", 300, true, nil, func(e *exam) string { return summaryPath(e, allVersions+ofRun) }},
	{"evaluation summary of all versions, a month", 300, true, nil, func(e *exam) string { return summaryPath(e, allVersions+ofMonth) }},
	{"evaluation summary of all versions, some weeks", 300, true, nil, func(e *exam) string { return summaryPath(e, allVersions+ofWeeks) }},
	{"evaluation summary of all versions, a group in a run and some weeks", 300, true, nil,
		func(e *exam) string { return summaryPath(e, allVersions+ofWeeks+ofGroup(e)+ofRun) }},
	{"cohorts of all versions, some weeks, all blocks", 300, true, nil,
		func(e *exam) string { return listPath(e, "cohorts", allVersions+ofWeeks+allBlocks) }},
	{"groups of all versions, some weeks, all blocks", 300, true, nil,
		func(e *exam) string { return listPath(e, "groups", allVersions+ofWeeks+allBlocks) }},
}

const allVersions = "&scope=allVersions"

// measureVersions reads reports over all versions of two evaluations; one has ten times the
// attempts and the people of the other.
func measureVersions(ctx context.Context, h *house) ([]result, error) {
	few, err := h.writeVersions(ctx, "few-people", h.size.many/10)
	if err != nil {
		return nil, err
	}
	many, err := h.writeVersions(ctx, "many-people", h.size.many)
	if err != nil {
		return nil, err
	}
	rebuilt, err := h.rebuild(ctx, &few, &many)
	if err != nil {
		return nil, err
	}
	found, err := h.read(ctx, ofVersions, &few, &many)
	return append([]result{{Name: fmt.Sprintf("full rebuild of %d submissions of %d items and %d people", h.size.many, fewItems, h.size.many/attemptsOfMany),
		Unit: "submissions/s", Value: float64(h.size.many) / rebuilt.Seconds(), Note: rebuilt.Round(time.Second).String()}}, found...), err
}

func (h *house) writeVersions(ctx context.Context, name string, n int) (exam, error) {
	e, err := writeExam(ctx, h.store, h.authority, name, 1)
	if err != nil {
		return exam{}, err
	}
	for range versions - 1 {
		err = e.revise(ctx, h.store)
		if err != nil {
			return exam{}, err
		}
	}
	e.places = e.places[:fewItems]
	return e, h.fill(ctx, &e, n, n/attemptsOfMany)
}

// revise publishes another version with the same content.
func (e *exam) revise(ctx context.Context, store *db.Store) error {
	return store.Write(ctx, e.operator, func(tx *db.Tx) error {
		_, err := authoring.CreateEvaluationVersion(ctx, tx, e.evaluation)
		if err != nil {
			return err
		}
		_, err = authoring.PublishEvaluation(ctx, tx, e.evaluation)
		if err != nil {
			return err
		}
		return e.look(ctx, tx, e.evaluation)
	})
}
