package apptest_test

// What proctors, reviewers, the clock and the jobs do to the model.

func (m *model) close(s *attempt, _ call) answer {
	if code := s.refuses(s.view); code != "" {
		return refuse(code)
	}
	s.state = "closed"
	m.ledger["session.closed"]++
	return facts("closed")
}

func (m *model) extend(s *attempt, _ call) answer {
	switch {
	case s.state != "open":
		return refuse("session_not_open")
	case s.exam != "timed":
		return refuse("no_time_limit")
	}
	s.extra += 60
	m.ledger["session.extended"]++
	return facts("extra %d", s.extra)
}

// overrun lets the time of a session be over.
func (m *model) overrun(s *attempt, _ call) answer {
	if s.state == "open" && s.exam == "timed" {
		s.state = "overdue"
	}
	return answer{}
}

// rest lets nothing happen in a session for more than a day.
func (m *model) rest(s *attempt, _ call) answer {
	s.idle = true
	return answer{}
}

func (m *model) expire(call) answer {
	for _, s := range m.sessions {
		if s.state == "overdue" {
			m.finish(s, "expired", "auto_submitted")
		}
	}
	return answer{}
}

func (m *model) abandon(call) answer {
	for _, s := range m.sessions {
		if s.state == "open" && s.exam == "untimed" && s.idle {
			s.state = "abandoned"
		}
	}
	return answer{}
}

func (m *model) void(s *attempt, _ call) answer {
	switch s.status() {
	case "":
		return refuse("not_found")
	case "voided":
		return refuse("submission_voided")
	}
	s.voided = true
	m.ledger["submission.voided"]++
	return facts("voided")
}

// mark is the mark that a person gives an item. It is a version of the scores even if it leaves
// them as they are.
func (m *model) mark(s *attempt, c call) answer {
	switch s.status() {
	case "":
		return refuse("not_found")
	case "voided":
		return refuse("submission_voided")
	}
	s.marks[c.item] = c.share * paper[c.item].weight
	if !m.rescore(s, c.item, "scored_by_person", "") {
		m.record(s, version{reason: "scored_by_person", total: total(s.scores)})
	}
	m.ledger["submission.item.scored"]++
	_, by := m.worth(s, c.item)
	return facts("version %d, item %s, remediated by %q, %s", len(s.versions), s.scores[c.item], by, total(s.scores))
}

func (m *model) draft(c call) answer {
	r := &remedy{name: c.key, exam: c.exam, rule: c.rule, word: c.word, item: c.item, share: c.share, whole: len(c.chosen) == 0,
		about: map[string]bool{}, state: "draft"}
	for _, name := range c.chosen {
		r.about[name] = false
	}
	m.remedies[c.key] = r
	m.ledger["remediation.created"]++
	return facts("remediation %s", c.key)
}

// apply only queues: a job does the work. Its turn among the others depends on the time of the request.
func (m *model) apply(c call) answer {
	r := m.remedies[c.remedy]
	switch r.state {
	case "reverting":
		return refuse("remediation_under_way")
	case "draft", "reverted":
		m.begun++
		r.state, r.number = "applying", m.begun
	}
	return facts("%s", r.state)
}

func (m *model) revert(c call) answer {
	r := m.remedies[c.remedy]
	switch r.state {
	case "draft":
		return refuse("remediation_not_applied")
	case "applying":
		return refuse("remediation_under_way")
	case "applied":
		r.state = "reverting"
	}
	return facts("%s", r.state)
}

// work is the job. Applying for an exam includes everybody who handed in meanwhile.
func (m *model) work(c call) answer {
	r := m.remedies[c.remedy]
	applying := r.state == "applying"
	if !applying && r.state != "reverting" {
		return facts("%s, changed %d", r.state, r.changed)
	}
	if applying && r.whole {
		for _, s := range m.sessions {
			if s.exam == r.exam && s.status() == "completed" {
				r.about[s.name] = false
			}
		}
	}
	r.changed, r.state = 0, map[bool]string{true: "applied", false: "reverted"}[applying]
	for name := range r.about {
		r.about[name] = applying
		if m.rescore(m.sessions[name], r.item, "remediation_"+r.state, r.name) {
			r.changed++
		}
	}
	m.ledger["remediation."+r.state]++
	return facts("%s, changed %d", r.state, r.changed)
}
