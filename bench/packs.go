package main

import (
	"context"
	_ "embed"
	"fmt"
	"runtime"
	"time"

	"assess/pkg/author/authoring"
	"assess/pkg/author/pack"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
	"assess/pkg/people/people"
)

// The installed pack: as many questions as the bank of the tests has, in exams of a hundred.
const (
	packQuestions = 1841
	packExam      = 100
	packRounds    = 3
)

// The same copy by hand: every row and the snapshots too, with an id map and no checks.
//
//go:embed packs.sql
var packByHand string

// packs is a head office with a published library.
type packs struct {
	head     db.Scope
	revision pack.Revision
}

// measurePacks installs a pack and a copy of the same rows by hand, in turns, each into an org unit of its own; and looks
// at the memory of installing a small one and one ten times as large.
func measurePacks(ctx context.Context, h *house) ([]result, error) {
	_, err := h.super.Exec(ctx, "grant temporary on database "+database+" to public") // for the maps of ids of the copy by hand
	if err != nil {
		return nil, err
	}
	large, err := h.writePack(ctx, "pack", packQuestions)
	if err != nil {
		return nil, err
	}
	var ours, byHand []float64
	for round := range packRounds + 1 {
		took, err := h.installPack(ctx, large, fmt.Sprintf("ours-%d", round))
		if err != nil {
			return nil, err
		}
		beside, err := h.copyPack(ctx, large, fmt.Sprintf("hand-%d", round))
		if err != nil {
			return nil, err
		}
		if round > 0 { // the first fills caches
			ours, byHand = append(ours, packQuestions/took.Seconds()), append(byHand, packQuestions/beside.Seconds())
		}
	}
	small, err := h.writePack(ctx, "small-pack", packQuestions/10)
	if err != nil {
		return nil, err
	}
	few, err := h.packMemory(ctx, small, "few")
	if err != nil {
		return nil, err
	}
	many, err := h.packMemory(ctx, large, "many")
	if err != nil {
		return nil, err
	}
	lineage, err := h.measureLineage(ctx)
	if err != nil {
		return nil, err
	}
	return []result{
		compared(fmt.Sprintf("installing %d questions, beside a copy by hand", packQuestions), "questions/s", ours, byHand, 0.5),
		{Name: "memory of installing ten times the questions", Unit: "MiB", Value: many, Beside: few, AtMost: few + 32,
			Note: "the largest heap while installing; an exam at a time is whole in memory"},
		lineage,
	}, nil
}

func (h *house) writePack(ctx context.Context, name string, questions int) (packs, error) {
	head, err := h.foundCrowd(ctx, name)
	if err != nil {
		return packs{}, err
	}
	p := packs{head: head}
	err = h.store.Write(ctx, head, func(tx *db.Tx) error {
		l, err := pack.CreateLibrary(ctx, tx, pack.LibraryInput{Name: name, Offered: true})
		if err != nil {
			return err
		}
		for from := 0; from < questions; from += packExam {
			exam, err := writePackExam(ctx, tx, from, min(packExam, questions-from))
			if err != nil {
				return err
			}
			_, err = pack.AddItem(ctx, tx, pack.ItemInput{ByLibrary: pack.ByLibrary{LibraryID: l.ID}, EvaluationID: exam})
			if err != nil {
				return err
			}
		}
		p.revision, err = pack.Publish(ctx, tx, pack.ByLibrary{LibraryID: l.ID})
		return err
	})
	return p, err
}

// writePackExam publishes an evaluation of new questions with four options each.
func writePackExam(ctx context.Context, tx *db.Tx, from, n int) (ids.ID, error) {
	inputs := make([]authoring.QuestionInput, n)
	for i := range inputs {
		inputs[i] = authoring.QuestionInput{ExternalID: fmt.Sprintf("q%d", from+i), QType: scoring.MCQ,
			Stem: document(fmt.Sprintf("Question %d: which of these words is the right one, and why is it the right one?", from+i))}
		for _, option := range []string{"A", "B", "C", "D"} {
			inputs[i].Options = append(inputs[i].Options, authoring.OptionInput{ID: option, Content: document("The answer " + option), IsCorrect: option == "B"})
		}
	}
	made, err := sample.UpsertQuestions(ctx, tx, inputs)
	if err != nil {
		return ids.None, err
	}
	section := authoring.SectionInput{Title: "All"}
	wanted := make([]ids.ID, n)
	for i, q := range made {
		wanted[i] = q.ID
		section.Items = append(section.Items, authoring.ItemInput{QuestionID: q.ID})
	}
	_, err = authoring.PublishQuestions(ctx, tx, wanted)
	if err != nil {
		return ids.None, err
	}
	e, err := authoring.CreateEvaluation(ctx, tx, authoring.EvaluationInput{ExternalID: fmt.Sprintf("exam%d", from), Title: "Exam",
		Sections: []authoring.SectionInput{section}})
	if err != nil {
		return ids.None, err
	}
	_, err = authoring.PublishEvaluationDraft(ctx, tx, authoring.PublishInput{ID: e.ID})
	return e.ID, err
}

// school makes an org unit and gives the scope of an operator there.
func (h *house) school(ctx context.Context, p packs, slug string) (db.Scope, error) {
	scope := p.head
	err := h.store.Write(ctx, db.Scope{Tenant: p.head.Tenant, All: true, Actor: p.head.Actor}, func(tx *db.Tx) error {
		unit, err := people.CreateOrgUnit(ctx, tx, people.OrgUnitInput{Slug: slug, Name: slug})
		scope.OrgUnit, scope.All = unit.ID, false
		return err
	})
	return scope, err
}

func (h *house) installPack(ctx context.Context, p packs, slug string) (time.Duration, error) {
	school, err := h.school(ctx, p, slug)
	if err != nil {
		return 0, err
	}
	start := time.Now()
	err = h.store.Write(ctx, school, func(tx *db.Tx) error {
		_, err := pack.Install(ctx, tx, pack.InstallInput{RevisionInput: pack.ByRevision(p.revision.LibraryID, p.revision.ID), OrgUnitID: school.OrgUnit})
		return err
	})
	return time.Since(start), err
}

// copyPack copies the library of the head office with one file of statements, logged in like the programs but over all
// org units.
func (h *house) copyPack(ctx context.Context, p packs, slug string) (time.Duration, error) {
	school, err := h.school(ctx, p, slug)
	if err != nil {
		return 0, err
	}
	conn, err := h.plain.Acquire(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Release()
	start := time.Now()
	tx, err := conn.Begin(ctx)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback(ctx) //nolint:errcheck // it has ended by then
	_, err = tx.Exec(ctx, "select set_config('app.tenant_id', $1, true), set_config('app.scope_all', 'on', true), set_config('bench.from', $2, true), set_config('bench.to', $3, true)",
		p.head.Tenant.String(), p.head.OrgUnit.String(), school.OrgUnit.String())
	if err == nil {
		_, err = tx.Conn().PgConn().Exec(ctx, packByHand).ReadAll()
	}
	if err == nil {
		err = tx.Commit(ctx)
	}
	return time.Since(start), err
}

// packMemory gives the largest heap while a pack is installed, in MiB.
func (h *house) packMemory(ctx context.Context, p packs, slug string) (float64, error) {
	runtime.GC()
	done, peak := make(chan struct{}), make(chan uint64)
	go func() {
		var most uint64
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				peak <- most
				return
			case <-tick.C:
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapInuse)
			}
		}
	}()
	_, err := h.installPack(ctx, p, slug)
	close(done)
	return float64(<-peak) / (1 << 20), err
}
