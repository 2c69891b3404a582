package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"assess/pkg/kernel/errs"
	"assess/pkg/surface/demo"
)

// started is the part of a started session that a replay needs (decisions, section 9).
type started struct {
	ID                  string
	EvaluationVersionID string
	Sections            []struct {
		Items []struct{ ItemID, QuestionID, QuestionVersionID string }
	}
}

// savedAnswer is an answer on its way. A nil Response says that the item was seen and left out.
type savedAnswer struct {
	ItemID      string    `json:"itemId"`
	Sequence    int       `json:"sequence"`
	Response    *response `json:"response"`
	TimeSpentMs *int64    `json:"timeSpentMs,omitempty"`
}

type response struct {
	OptionIDs []string `json:"optionIds"`
}

// sit runs the session of person i from start to submit.
func (r *run) sit(ctx context.Context, i int) (Session, started, error) {
	person := r.Dataset.Persons[i]
	c, seat, err := r.seat(ctx, person)
	if err != nil {
		return Session{}, started{}, fmt.Errorf("sign %s in: %w", person.ID, err)
	}
	s, err := r.start(ctx, c, person, seat)
	if err != nil {
		return Session{}, s, fmt.Errorf("start the session of %s: %w", person.ID, err)
	}
	answers := r.answersOf(person, s)
	revision, err := r.save(ctx, c, s.ID, answers, r.batch(i))
	if errors.Is(err, errs.SessionNotOpen) {
		// An earlier replay came as far as the submit.
		revision, answers, err = nil, nil, nil
	}
	if err != nil {
		return Session{}, s, fmt.Errorf("save the answers of %s: %w", person.ID, err)
	}
	session, err := r.submit(ctx, c, s.ID, person, revision)
	if err != nil {
		return Session{}, s, fmt.Errorf("submit the session of %s: %w", person.ID, err)
	}
	session.answers = len(answers)
	return session, s, nil
}

func (r *run) start(ctx context.Context, c *client, person demo.Person, seat map[string]string) (started, error) {
	var s started
	_, err := c.post(ctx, r.path("sessions"), r.key(person.ID), seat, &s)
	if err != nil || r.Begun == nil {
		return s, err
	}
	var took time.Duration
	for _, ms := range person.TimesMs {
		took += time.Duration(ms) * time.Millisecond
	}
	return s, r.Begun(ctx, s.ID, took)
}

// answersOf gives the person's answers in the order of the session. Items that were
// omitted are left out, unless the time on them is known.
func (r *run) answersOf(person demo.Person, s started) []savedAnswer {
	column := map[string]int{}
	for i, item := range r.Dataset.Items {
		column[item.ID] = i
	}
	var answers []savedAnswer
	for _, section := range s.Sections {
		for _, item := range section.Items {
			at, known := column[r.found.items[item.QuestionID]]
			if !known {
				continue
			}
			a := savedAnswer{ItemID: item.ItemID, Sequence: 1}
			if letters := person.Responses[at]; letters != "" {
				a.Response = &response{strings.Split(letters, "")}
			}
			if person.TimesMs != nil && person.TimesMs[at] > 0 {
				a.TimeSpentMs = &person.TimesMs[at]
			}
			if a.Response != nil || a.TimeSpentMs != nil {
				answers = append(answers, a)
			}
		}
	}
	return answers
}

func (r *run) batch(i int) int {
	switch {
	case r.Batch > 0:
		return min(r.Batch, maxBatch)
	case i%oneByOneEvery == oneByOneEvery-1:
		return 1
	}
	return maxBatch
}

// save sends the answers and gives the revision that acknowledges the last of them; 0 for
// a person who answered nothing.
func (r *run) save(ctx context.Context, c *client, session string, answers []savedAnswer, batch int) (*int64, error) {
	var receipt struct{ Revision int64 }
	for part := range slices.Chunk(answers, batch) {
		_, err := c.post(ctx, r.path("sessions", session, "answers"), "", map[string]any{"answers": part}, &receipt)
		if err != nil {
			return nil, err
		}
	}
	return &receipt.Revision, nil
}

// submit names the revision that it means; none when the session was submitted before.
// The revision belongs to the key, since it grows when an interrupted replay goes on.
func (r *run) submit(ctx context.Context, c *client, session string, person demo.Person, revision *int64) (Session, error) {
	in, key := map[string]any{}, r.key(person.ID)
	if revision != nil {
		in["revision"] = *revision
		key = r.key(person.ID, fmt.Sprint(*revision))
	}
	var out Session
	replayed, err := c.post(ctx, r.path("sessions", session, "submit"), key, in, &out)
	out.Person, out.AlreadyComplete = person.ID, out.AlreadyComplete || replayed
	return out, err
}

func (r *run) path(parts ...string) string {
	return "/evaluations/" + r.found.evaluation + "/" + strings.Join(parts, "/")
}
