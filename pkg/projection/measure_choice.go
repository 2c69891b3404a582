package projection

import (
	"context"
	"fmt"

	"assess/pkg/db"
	"assess/pkg/ids"
)

// ChoiceCounts says how often something was chosen, by the kinds and codes of
// report_question_choice_day.
type ChoiceCounts map[string]map[string]int64

const choicesSQL = `
select question_version_id, kind, code, sum(n)::bigint from choice group by 1, 2, 3`

// Choices counts the choices of the attempts that the filter chooses.
func Choices(ctx context.Context, tx *db.Tx, f Filter) (map[ids.ID]ChoiceCounts, error) {
	orgs, err := OrgUnits(ctx, tx)
	if err != nil {
		return nil, err
	}
	s := f.source(tx, orgs)
	return readChoices(ctx, tx, "with "+s.cells+choicesSQL, s.args...)
}

func readChoices(ctx context.Context, tx *db.Tx, sql string, args ...any) (map[ids.ID]ChoiceCounts, error) {
	all := map[ids.ID]ChoiceCounts{}
	var question ids.ID
	var kind, code string
	var n int64
	err := each(ctx, tx, sql, args, []any{&question, &kind, &code, &n}, func() {
		if all[question] == nil {
			all[question] = ChoiceCounts{}
		}
		if all[question][kind] == nil {
			all[question][kind] = map[string]int64{}
		}
		all[question][kind][code] += n
	})
	if err != nil {
		return nil, fmt.Errorf("read choices: %w", err)
	}
	return all, nil
}
