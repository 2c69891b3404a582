package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/config"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/centre"
	"assess/pkg/trust/compliance"
)

const (
	// forgetGoal is how long the work on a person with so many submissions may take, in s.
	forgetGoal, forgetSubmissions = 2, 200
	forgetRounds                  = 5
)

// office works on compliance jobs, with a blob store in a folder of its own.
func (h *house) office(ctx context.Context) (*compliance.Centre, func(), error) {
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return nil, nil, err
	}
	blobs, err := blob.Open(ctx, "file://"+filepath.Join(dir, "blob"))
	if err != nil {
		return nil, nil, err
	}
	done := func() {
		blobs.Close()     //nolint:errcheck // the folder goes
		os.RemoveAll(dir) //nolint:errcheck // a folder for temporary files
	}
	c := config.Default()
	c.Auth, c.Mail = auth(), config.Mail{Mode: config.MailFolder, Folder: filepath.Join(dir, "mail"), From: "bench@example.org"}
	return centre.New(h.store, blobs, c), done, os.MkdirAll(c.Mail.Folder, 0o700)
}

// ordered creates a job.
func ordered(ctx context.Context, office *compliance.Centre, as db.Scope, in compliance.Input) (compliance.Job, error) {
	var job compliance.Job
	err := office.Store.Write(ctx, as, func(tx *db.Tx) error {
		var err error
		job, err = office.Create(ctx, tx, in)
		return err
	})
	return job, err
}

// measureCompliance forgets people with many submissions, one after the other, among the attempts of others.
func measureCompliance(ctx context.Context, h *house) ([]result, error) {
	office, done, err := h.office(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	e, err := writeExam(ctx, h.store, h.authority, "forget", 1)
	if err != nil {
		return nil, err
	}
	err = e.load(ctx, h.super, h.size.many, h.size.many/forgetSubmissions, remediatedDays)
	if err != nil {
		return nil, err
	}
	var persons []ids.ID
	for i := range forgetRounds {
		persons = append(persons, e.user(i))
		for _, table := range []string{"sessions", "submissions"} {
			_, err := h.super.Exec(ctx, fmt.Sprintf(ownSQL, table), uuid(e.operator.Tenant), uuid(e.user(i)), uuids(persons))
			if err != nil {
				return nil, err
			}
		}
	}
	err = pgx.BeginFunc(ctx, h.super, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "set local session_replication_role = replica")
		if err == nil {
			_, err = tx.Exec(ctx, `update submission_items i set response = '{"text": "I am the candidate."}', qtype = 'essay'
				from submissions s where i.tenant_id = $1 and s.tenant_id = $1 and s.id = i.submission_id and s.user_id = any($2) and i.position = 0`,
				uuid(e.operator.Tenant), uuids(persons))
		}
		return err
	})
	if err == nil {
		_, err = h.super.Exec(ctx, "vacuum analyze")
	}
	if err != nil {
		return nil, err
	}
	var erasing, whole []float64
	for _, person := range persons {
		erased, all, err := forget(ctx, office, e.operator, person)
		if err != nil {
			return nil, err
		}
		erasing, whole = append(erasing, erased.Seconds()), append(whole, all.Seconds())
	}
	return []result{
		{Name: fmt.Sprintf("forgetting a person with %d submissions, without the search", forgetSubmissions), Unit: "s", Value: median(erasing), AtMost: forgetGoal,
			Note: fmt.Sprintf("the longest of %d took %.2f s; among %d attempts", forgetRounds, quantile(erasing, 1), h.size.many)},
		{Name: "the same with the search of every table and file", Unit: "s", Value: median(whole)},
	}, nil
}

// forget gives how long it took to erase a person, and how long with the search and the receipt.
func forget(ctx context.Context, office *compliance.Centre, as db.Scope, person ids.ID) (erased, all time.Duration, err error) {
	job, err := ordered(ctx, office, as, compliance.Input{Type: compliance.Forget, SubjectID: person})
	if err != nil {
		return 0, 0, err
	}
	start := time.Now()
	ended, err := office.Work(ctx, as.Tenant, job.ID, func(j compliance.Job) {
		if j.Progress.Step == "residue" && erased == 0 {
			erased = time.Since(start)
		}
	})
	if err == nil && (ended.Status != "completed" || ended.Counts["submission_items"] < forgetSubmissions) {
		err = fmt.Errorf("the job ended %s, %v", ended.Status, ended.Counts)
	}
	return erased, time.Since(start), err
}
