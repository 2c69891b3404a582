package apptest_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// model is what the service should hold. It is made by doing calls one after the other, and
// knows nothing of the service except what the specification says: a few maps, and in score_test.go
// how answers are scored.
type model struct {
	// items are the ids of the items of an exam, which receipts are made of.
	items map[string][]string
	// sessions and remedies have the names of the calls that made them.
	sessions map[string]*attempt
	remedies map[string]*remedy
	// kept are the answers to calls that went well, by their Idempotency-Key.
	kept map[string]answer
	// ledger counts the events of each type.
	ledger map[string]int
	// begun counts how often a remediation began to be applied.
	begun int
	// fault is the fault of this model, for the test of the histories.
	fault fault
}

// attempt is a session and, once it was handed in, its submission. Its state is overdue
// while its time is over and nobody has noticed.
type attempt struct {
	name, exam, owner string
	state             string
	idle              bool
	view, extra       int
	revision          int64
	receipt           string
	answers           map[int]saved
	events            map[string]string
	focusLost         int
	// Of the submission:
	method   string
	voided   bool
	awaits   bool
	marks    map[int]float64
	scores   []worth
	versions []version
}

type saved struct {
	sequence int64
	word     string
}

// remedy is a remediation. It is about the submissions that it was drafted for, or about the
// submissions of the exam that were there when it was applied, and counts for the ones with true in about.
type remedy struct {
	name, exam, rule, word string
	item                   int
	share                  float64
	whole                  bool
	about                  map[string]bool
	state                  string
	number, changed        int
}

// call is what somebody asks of the service, or a job that runs. Each kind uses the fields
// that it needs.
type call struct {
	kind string
	// key is the Idempotency-Key, and names what the call makes.
	key string
	// by is the owner of the session, a stranger, or a proctor.
	by      string
	session string
	exam    string
	view    int
	// revision is the one that a submit means, none if it is below 0.
	revision int64
	answers  []sent
	events   map[string]string
	remedy   string
	rule     string
	item     int
	word     string
	share    float64
	chosen   []string
}

type sent struct {
	item     int
	sequence int64
	word     string
}

// answer is what comes back: facts, or the code of the refusal.
type answer struct {
	code, facts string
	replayed    bool
	// message is for people who read a failure.
	message string
}

func (a answer) same(b answer) bool {
	return a.code == b.code && a.facts == b.facts && a.replayed == b.replayed
}

func refuse(code string) answer { return answer{code: code} }

func facts(format string, args ...any) answer { return answer{facts: fmt.Sprintf(format, args...)} }

// after gives the model after calls, and the answer to each call.
func after(items map[string][]string, calls []call) (*model, []answer) {
	return afterWith("", items, calls)
}

func afterWith(wrong fault, items map[string][]string, calls []call) (*model, []answer) {
	m := &model{fault: wrong, items: items, sessions: map[string]*attempt{}, remedies: map[string]*remedy{}, kept: map[string]answer{}, ledger: map[string]int{}}
	var answers []answer
	for _, c := range calls {
		answers = append(answers, m.do(c))
	}
	return m, answers
}

// do does a call. One that went well is not done again under its key.
func (m *model) do(c call) answer {
	kept, known := m.kept[c.key]
	if known {
		kept.replayed = true
		return kept
	}
	a := m.does()[c.kind](c)
	if a.code == "" && c.key != "" {
		m.kept[c.key] = a
	}
	return a
}

func (m *model) does() map[string]func(call) answer {
	return map[string]func(call) answer{
		"start": m.start, "save": m.on(m.save), "event": m.on(m.event), "resume": m.on(m.resume), "submit": m.on(m.submit),
		"close": m.on(m.close), "extend": m.on(m.extend), "overrun": m.on(m.overrun), "rest": m.on(m.rest), "expire": m.expire, "abandon": m.abandon,
		"void": m.on(m.void), "mark": m.on(m.mark), "draft": m.draft, "apply": m.apply, "revert": m.revert, "work": m.work,
		"project": func(call) answer { return answer{} },
	}
}

// on finds the session of a call. For strangers there is none.
func (m *model) on(do func(*attempt, call) answer) func(call) answer {
	return func(c call) answer {
		if c.by == "stranger" {
			return refuse("not_found")
		}
		return do(m.sessions[c.session], c)
	}
}

func (m *model) start(c call) answer {
	m.sessions[c.key] = &attempt{name: c.key, exam: c.exam, owner: c.by, state: "open", view: 1,
		answers: map[int]saved{}, events: map[string]string{}, marks: map[int]float64{}}
	return facts("session %s", c.key)
}

// refuses says why a device of a view cannot write; empty when it can.
func (s *attempt) refuses(view int) string {
	switch {
	case s.state != "open":
		return "session_not_open"
	case view != s.view:
		return "session_superseded"
	}
	return ""
}

func (m *model) save(s *attempt, c call) answer {
	if code := s.refuses(c.view); code != "" {
		return refuse(code)
	}
	var chain, counted, late []string
	for _, a := range c.answers {
		have := s.answers[a.item]
		if a.sequence > have.sequence || a.sequence == have.sequence && a.word == have.word {
			s.answers[a.item] = saved{a.sequence, a.word}
			counted = append(counted, fmt.Sprintf("%d:%d", a.item, a.sequence))
		} else {
			late = append(late, fmt.Sprintf("%d:%d", a.item, a.sequence))
		}
		chain = append(chain, fmt.Sprintf(`{"itemId":%q,"response":%s,"sequence":%d}`, m.items[s.exam][a.item], paper[a.item].response(a.word), a.sequence))
	}
	before, _ := hex.DecodeString(s.receipt)
	sum := sha256.Sum256(append(before, "["+strings.Join(chain, ",")+"]"...))
	s.idle = false
	s.revision, s.receipt = s.revision+1, hex.EncodeToString(sum[:])
	return facts("revision %d, receipt %s, saved %v, superseded %v", s.revision, s.receipt, counted, late)
}

func (m *model) event(s *attempt, c call) answer {
	if code := s.refuses(c.view); code != "" {
		return refuse(code)
	}
	s.idle = false
	for id, kind := range c.events {
		if kind == "focus_lost" && (s.events[id] == "" || m.fault == eventsTwice) {
			s.focusLost++
		}
		s.events[id] = kind
	}
	return facts("accepted %d", len(c.events))
}

func (m *model) resume(s *attempt, _ call) answer {
	if code := s.refuses(s.view); code != "" {
		return refuse(code)
	}
	s.view, s.idle = s.view+1, false
	return facts("view %d, revision %d", s.view, s.revision)
}

func (m *model) submit(s *attempt, c call) answer {
	already := s.state == "submitted" || s.state == "expired"
	switch {
	case already:
	case s.state == "overdue":
		m.finish(s, "expired", "auto_submitted")
	case s.state != "open":
		return refuse("session_not_open")
	case c.view != s.view && !(c.by == "proctor" && c.view == 0):
		return refuse("session_superseded")
	case c.revision >= 0 && c.revision != s.revision:
		return refuse("revision_mismatch")
	case c.by == "proctor":
		m.finish(s, "submitted", "proctor_submitted")
	default:
		m.finish(s, "submitted", "submitted")
	}
	return facts("already %v, %s, %s", already, s.status(), total(s.scores))
}
