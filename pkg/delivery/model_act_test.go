package delivery_test

import (
	"time"

	"pgregory.net/rapid"

	"assess/pkg/db"
	"assess/pkg/delivery"
	"assess/pkg/errs"
	"assess/pkg/ids"
	"assess/pkg/review"
)

// What happens to sessions besides what candidates do.

func modelEvent(t *rapid.T, m *modelled) {
	view := m.device(t)
	err := m.store.Write(m.t.Context(), m.candidate, func(tx *db.Tx) error {
		_, err := m.desk.RecordEvents(m.t.Context(), tx, delivery.EventsInput{EvaluationID: m.snapshot.EvaluationID, SessionID: m.id,
			View: &view, Events: []delivery.Event{{Type: "focus_lost"}, {Type: "focus_gained"}}})
		return err
	})
	if wants(t, m, err, m.refusal(view)) {
		m.events += 2
	}
}

func modelOverrun(t *rapid.T, m *modelled) {
	if !m.timed {
		t.Skip("no time limit")
	}
	m.overrun(m.id)
	if m.state == "open" {
		m.state = "overdue"
	}
}

func modelExpire(t *rapid.T, m *modelled) {
	var done bool
	err := m.store.Write(m.t.Context(), m.operator, func(tx *db.Tx) error {
		var err error
		done, err = m.desk.Expire(m.t.Context(), tx, m.id)
		return err
	})
	if err != nil || done != (m.state == "overdue") {
		t.Fatalf("%s session: expired %v, %v", m.state, done, err)
	}
	if done {
		m.state = "expired"
	}
}

func modelAbandon(t *rapid.T, m *modelled) {
	m.idle(m.id, 30)
	var n int
	err := m.store.Write(m.t.Context(), m.operator, func(tx *db.Tx) error {
		var err error
		n, err = delivery.Abandon(m.t.Context(), tx, []ids.ID{m.id}, tx.Now().Add(-24*time.Hour))
		return err
	})
	gone := m.state == "open" && !m.timed
	if err != nil || (n == 1) != gone {
		t.Fatalf("%s session: %d abandoned, %v", m.state, n, err)
	}
	if gone {
		m.state = "abandoned"
	}
}

func modelClose(t *rapid.T, m *modelled) {
	_, err := m.close(m.operator, m.id, "because")
	if wants(t, m, err, m.refusal(m.view)) {
		m.state = "closed"
	}
}

func modelExtend(t *rapid.T, m *modelled) {
	_, err := m.extend(m.operator, m.id, 60)
	refusal := m.refusal(m.view)
	if refusal == "" && !m.timed {
		refusal = errs.NoTimeLimit
	}
	wants(t, m, err, refusal)
}

func modelVoid(t *rapid.T, m *modelled) {
	err := m.store.Write(m.t.Context(), m.operator, func(tx *db.Tx) error {
		_, err := review.Void(m.t.Context(), tx, review.Input{SubmissionID: m.id, Comment: "because"})
		return err
	})
	var refusal errs.Code
	switch {
	case m.wanted() == "none":
		refusal = errs.NotFound
	case m.voided:
		refusal = errs.SubmissionVoided
	}
	if wants(t, m, err, refusal) {
		m.voided = true
	}
}
