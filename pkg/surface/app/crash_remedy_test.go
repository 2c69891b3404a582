package app_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// remedy is a remediation of one question that was applied, and maybe taken back.
type remedy struct {
	id, question ids.ID
	rule         string
	reverted     bool
	// before are the sessions whose submit was acknowledged before it was applied; about are
	// the submissions that it turned out to be about.
	before, about []ids.ID
}

// remedy corrects a question of the exam, as stubbornly as a candidate sits it.
func (c *crash) remedy(t *testing.T, n int) *remedy {
	t.Helper()
	rules := []string{"full_credit", "rekey", "exempt_question", "adjust_item"}
	r := &remedy{question: c.questions[n%len(c.questions)], rule: rules[n%len(rules)], reverted: n%3 == 1}
	parameters := map[string]any{}
	switch r.rule {
	case "rekey":
		parameters["correctOptionIds"] = []string{"B"}
	case "adjust_item":
		parameters["score"] = 0.5
	}
	var made struct{ ID ids.ID }
	c.insist(t, "/remediations", fmt.Sprintf("draft-%d", n), map[string]any{"evaluationVersionId": c.version, "questionVersionId": r.question,
		"rule": r.rule, "parameters": parameters, "reason": "crash test",
		// Later submissions are corrected in an order of their own, so that nobody could say here which versions a score must have.
		"also_later": false}, &made)
	r.id = made.ID
	c.mu.Lock()
	r.before = slices.Clone(c.submitted)
	c.mu.Unlock()
	c.bring(t, r.id, "apply", "applied")
	if r.reverted {
		c.bring(t, r.id, "revert", "reverted")
	}
	return r
}

// bring requests the application or reversal of a remediation until it is done: the process that was working
// on it may have been killed.
func (c *crash) bring(t *testing.T, id ids.ID, verb, state string) {
	t.Helper()
	path := "/remediations/" + id.String()
	for n := range 60 {
		c.insist(t, path+"/"+verb, fmt.Sprintf("%s-%s-%d", verb, id, n), nil, nil)
		for end := time.Now().Add(time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			var got struct{ State string }
			status, err := c.try(http.MethodGet, path, "", nil, &got)
			if err == nil && status == http.StatusOK && got.State == state {
				return
			}
		}
	}
	t.Errorf("remediation %s is not %s within a minute", id, state)
}

// verifyRemedy compares a remediation with the database: it is in the state it was brought to, and so
// are all submissions that it is about, except voided ones, which do not change any more. All
// submissions from before it are among them.
func (c *crash) verifyRemedy(t *testing.T, r *remedy) {
	t.Helper()
	c.insistOn(t, c.scope, func(tx *db.Tx) error {
		var state string
		var done, half int
		err := tx.QueryRow(t.Context(), `
			select r.state, r.done_n, count(m.submission_id) filter (where m.active <> (r.state = 'applied') and s.status <> 'voided'),
				coalesce(array_agg(m.submission_id) filter (where m.submission_id is not null), '{}')
			from remediations r left join remediation_submissions m on m.tenant_id = r.tenant_id and m.remediation_id = r.id
			left join submissions s on s.tenant_id = m.tenant_id and s.id = m.submission_id
			where r.tenant_id = $1 and r.id = $2 group by r.tenant_id, r.id`, tx.Tenant(), r.id).Scan(&state, &done, &half, &r.about)
		if err != nil {
			return err
		}
		want := "applied"
		if r.reverted {
			want = "reverted"
		}
		if state != want || done != len(r.about) || half != 0 {
			t.Errorf("remediation %s: %s, %d done of %d, %d half way; want %s", r.id, state, done, len(r.about), half, want)
		}
		return nil
	})
	voided := map[ids.ID]bool{}
	for _, a := range slices.Concat(c.attempts...) {
		voided[a.session] = a.voided
	}
	for _, id := range r.before {
		if !voided[id] && !slices.Contains(r.about, id) {
			t.Errorf("remediation %s is not about %s, which was submitted before", r.id, id)
		}
	}
}
