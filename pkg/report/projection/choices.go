package projection

import (
	"context"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// ChoiceCounts says how often something was chosen, by the kinds and codes of
// report_question_choice_day. It has only the most frequent patterns; the kind "rest" has the
// number of the others ("patterns") and of their attempts ("attempts").
type ChoiceCounts map[string]map[string]int64

// MaxPatterns bounds the patterns of a question: of ten options there are a thousand.
const MaxPatterns = 1000

const choicesSQL = `{{attempts}}, counted as (
	select question_version_id, kind, code, sum(n)::bigint as n from choice group by 1, 2, 3
), ranked as (
	select *, kind = 'pattern' and row_number() over (partition by question_version_id, kind order by n desc, code collate "C") > {{most}} as is_rest
	from counted
)
select question_version_id, kind, code, n from ranked where not is_rest
union all
select question_version_id, 'rest', 'patterns', count(*) from ranked where is_rest group by 1
union all
select question_version_id, 'rest', 'attempts', sum(n)::bigint from ranked where is_rest group by 1`

// Choices counts the choices of the attempts that the filter chooses.
func Choices(ctx context.Context, tx *db.Tx, f Filter) (map[ids.ID]ChoiceCounts, error) {
	orgs, err := OrgUnits(ctx, tx)
	if err != nil {
		return nil, err
	}
	a := f.attempts(tx, orgs)
	all := map[ids.ID]ChoiceCounts{}
	var question ids.ID
	var kind, code string
	var n int64
	sql := fill(choicesSQL, "attempts", a.cells, "most", a.Arg(MaxPatterns))
	err = a.Read(ctx, tx, "read choices", sql, []any{&question, &kind, &code, &n}, func() {
		if all[question] == nil {
			all[question] = ChoiceCounts{}
		}
		if all[question][kind] == nil {
			all[question][kind] = map[string]int64{}
		}
		all[question][kind][code] += n
	})
	return all, err
}
