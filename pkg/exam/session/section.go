package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// StartSectionInput names a section of a session.
type StartSectionInput struct {
	EvaluationID ids.ID `json:"-"`
	SessionID    ids.ID `json:"-"`
	SectionID    ids.ID `json:"-"`
	View         *int   `json:"view,omitempty" minimum:"1" doc:"The view that start or resume gave; 1 when absent"`
	Client       Client `json:"-"`
}

// SectionTime says since when a section runs, and how long.
type SectionTime struct {
	SectionID  ids.ID     `json:"sectionId"`
	StartedAt  time.Time  `json:"startedAt" doc:"Where no section has a time limit: now"`
	DeadlineAt *time.Time `json:"deadlineAt" doc:"When the time of the section is over; null without a limit"`
}

const startSectionSQL = `
update sessions set section_starts = $5::jsonb || coalesce(section_starts, '{}'), furthest = greatest(furthest, $6),
	last_activity_at = greatest(last_activity_at, $3)
where tenant_id = $1 and id = $2 and state || '' = 'open' and (deadline_at is null or deadline_at >= $3) and view = $4
returning section_starts, extra_time_seconds`

// StartSection begins a section: its clock, which is the server's, runs from here. Beginning
// it again changes nothing and answers the same. The first section begins with the session,
// and any other at the latest with the first answer in it. Under linear navigation the
// sections before it are left. Where no section has a time limit, no clock is kept. Errors: not_found, session_not_open, session_superseded, lockdown_required.
func (d *Desk) StartSection(ctx context.Context, tx *db.Tx, in StartSectionInput) (SectionTime, error) {
	err := requireTaker(tx)
	if err != nil {
		return SectionTime{}, err
	}
	o, f, err := d.enter(ctx, tx, in.EvaluationID, in.SessionID)
	if err != nil {
		return SectionTime{}, err
	}
	err = f.checkLockdown(tx, o.user, o.assignment, in.Client)
	if err != nil {
		return SectionTime{}, err
	}
	section, begins, err := f.section(o.deal, in.SectionID)
	if err != nil {
		return SectionTime{}, err
	}
	var begun *string
	if f.timed {
		raw, err := json.Marshal(map[ids.ID]time.Time{section.id: tx.Now()})
		if err != nil {
			return SectionTime{}, fmt.Errorf("start section: %w", err)
		}
		text := string(raw)
		begun = &text
	}
	var s models.Session
	view := viewOf(in.View)
	err = tx.QueryRow(ctx, startSectionSQL, tx.Tenant(), in.SessionID, tx.Now(), view, begun, begins).
		Scan(&s.SectionStarts, &s.ExtraTimeSeconds)
	if errors.Is(err, pgx.ErrNoRows) {
		return SectionTime{}, refusal(ctx, tx, in.SessionID, view, nil)
	}
	if err != nil {
		return SectionTime{}, fmt.Errorf("start section: %w", err)
	}
	if !f.timed {
		return SectionTime{SectionID: section.id, StartedAt: tx.Now()}, nil
	}
	return SectionTime{section.id, s.SectionStarts[section.id].UTC(), section.deadline(s)}, nil
}

// section finds a section of a session, and under linear navigation the place of its first
// item.
func (f *form) section(d deal, id ids.ID) (formSection, *int, error) {
	before := 0
	for _, section := range f.order(d) {
		if section.id == id && f.linear {
			return section.formSection, &before, nil
		}
		if section.id == id {
			return section.formSection, nil, nil
		}
		before += len(section.items)
	}
	return formSection{}, nil, errs.New(errs.NotFound, "The session has no such section.")
}

// firstSection says when the sections begin that begin with the session, as JSON: the first
// one, where any has a time limit.
func (f *form) firstSection(now time.Time) map[ids.ID]time.Time {
	if !f.timed {
		return nil
	}
	return map[ids.ID]time.Time{f.sections[0].id: now}
}
