package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// given is the score of an item. hits is 1 if the answer is the right option of the newest key.
type given struct {
	score, max float64
	correct    bool
	hits       int
}

// base is the score of an answer by the key of the exam.
func base(option string) given {
	if option == "A" {
		return given{1, 1, true, 1}
	}
	return given{0, 1, false, 0}
}

// by is the score after a rule.
func (g given) by(rule, option string) given {
	switch rule {
	case "exempt_question":
		return given{0, 0, false, g.hits}
	case "full_credit":
		return given{1, 1, true, g.hits}
	case "adjust_item":
		return given{0.5, 1, false, g.hits}
	}
	if option == "B" {
		return given{1, 1, true, 1}
	}
	return given{0, 1, false, 0}
}

// expected plays the remediations in the order in which they were done, and gives the versions
// of the scores that this makes, each as its number, its cause and its total.
func (c *crash) expected(a *attempt, questions map[ids.ID]ids.ID) []string {
	option, now := map[ids.ID]string{}, map[ids.ID]given{}
	for item, answer := range a.saved {
		option[questions[item]], now[questions[item]] = answer.option, base(answer.option)
	}
	total := func() string {
		var sum given
		for _, g := range now {
			sum.score, sum.max = sum.score+g.score, sum.max+g.max
		}
		return fmt.Sprintf("%v of %v", sum.score, sum.max)
	}
	versions := []string{"1 submitted: " + total()}
	var active []*remedy
	turn := func(r *remedy, reason string) {
		g := base(option[r.question])
		for _, one := range active {
			if one.question == r.question {
				g = base(option[r.question]).by(one.rule, option[r.question])
			}
		}
		if g != now[r.question] {
			now[r.question] = g
			versions = append(versions, fmt.Sprintf("%d %s %s: %s", len(versions)+1, reason, r.id, total()))
		}
	}
	for _, r := range c.remedies {
		if !slices.Contains(r.about, a.session) {
			continue
		}
		active = append(active, r)
		turn(r, "remediation_applied")
		if r.reverted {
			active = active[:len(active)-1]
			turn(r, "remediation_reverted")
		}
	}
	return versions
}

// verifyScores compares a submission and the versions of its scores with the expected ones. A
// voided one has only the first ones.
func (c *crash) verifyScores(t *testing.T, tx *db.Tx, a *attempt) error {
	t.Helper()
	questions := map[ids.ID]ids.ID{}
	rows, err := tx.Query(t.Context(), "select item_id, question_version_id from submission_items where tenant_id = $1 and submission_id = $2", tx.Tenant(), a.session)
	if err != nil {
		return err
	}
	var item, question ids.ID
	_, err = pgx.ForEachRow(rows, []any{&item, &question}, func() error {
		questions[item] = question
		return nil
	})
	if err != nil {
		return err
	}
	var got []string
	var standing, status string
	err = tx.QueryRow(t.Context(), `
		select array(select number || ' ' || reason || coalesce(' ' || remediation_id, '') || ': ' || score::float8 || ' of ' || max_score::float8
				from score_versions where tenant_id = $1 and submission_id = $2 order by number),
			score_version || ': ' || score::float8 || ' of ' || max_score::float8, status
		from submissions where tenant_id = $1 and id = $2`, tx.Tenant(), a.session).Scan(&got, &standing, &status)
	if err != nil {
		return err
	}
	want := c.expected(a, questions)
	if len(got) == 0 {
		got = []string{"1 submitted: " + strings.TrimPrefix(standing, "1: ")} // Corrections alone write versions down.
	}
	if a.voided {
		want = want[:min(len(got), len(want))]
	}
	number, sum, _ := strings.Cut(standing, ": ")
	newest := got[len(got)-1]
	if !slices.Equal(got, want) || !strings.HasPrefix(newest, number+" ") || !strings.HasSuffix(newest, ": "+sum) || (status == "voided") != a.voided {
		t.Errorf("submission %s, voided %v: %s at %s with versions %q, want %q", a.session, a.voided, status, standing, got, want)
	}
	if told := fmt.Sprintf("1 submitted: %v of 5", a.score); !a.overdue && want[0] != told {
		t.Errorf("submission %s: submit answered %s, want %s", a.session, told, want[0])
	}
	return nil
}
