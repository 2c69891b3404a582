package reporting

import (
	"context"
	"testing"

	"assess/pkg/kernel/db"
	"assess/pkg/report/projection"
)

// Of many answer sets only the most frequent are read, and the others counted together.
func TestRareAnswerSetsAreCountedTogether(t *testing.T) {
	t.Parallel()
	c := newCohort(t, 120)
	question := c.questions[3]
	c.write(t, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, `
			insert into report_question_choice_day (tenant_id, org_unit_id, question_version_id, evaluation_version_id, run_label, day, kind, code, n)
			select $1, $2, $3, $4, '', '2026-03-02', 'pattern', 'A+' || lpad(g::text, 4, '0'), 1 + (g <= 900)::int from generate_series(1, 1100) g returning true`,
			c.tenant, c.orgs[0], question, c.versions[0])
		return err
	})
	m := report(t, c, c.analyst(c.orgs[0]), func(tx *db.Tx) (QuestionHealthDetail, error) {
		return QuestionHealth(t.Context(), tx, question, HealthFilter{})
	}).Analysis.ChoiceMulti
	// Two sets are of the cohort itself and come first; 900 were chosen twice; of the others 98
	// have room.
	if len(m.TopPatterns) != projection.MaxPatterns || m.PatternsN != 1102 || m.OtherPatterns.PatternsN != 102 || m.OtherPatterns.N != 102 {
		t.Errorf("%d sets of %d are shown, the others are %+v", len(m.TopPatterns), m.PatternsN, m.OtherPatterns)
	}
	if last := m.TopPatterns[len(m.TopPatterns)-1]; last.N != 1 || last.OptionIDs[1] != "0998" {
		t.Errorf("the last one shown is %+v", last)
	}
	_, rows := unzip(t, c.export(t, HealthFilter{}))
	line := lineOf(rows["question_health_choice_multi.csv"], question)
	if got := len(rows["choice_multi_pattern_breakdown.csv"]) - 1; got != projection.MaxPatterns || line["patternsN"] != "1102" || line["otherPatternsAttempts"] != "102" {
		t.Errorf("the export has %d sets: %v", got, line)
	}
}
