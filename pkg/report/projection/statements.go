package projection

import (
	"context"
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

//go:embed sql/*.sql
var files embed.FS

var placeholder = regexp.MustCompile(`{{[a-z_ ]+}}`)

// statement reads sql/NAME.sql. A name in double braces there is replaced by text that several
// statements share (see shared), by another file, or by one of the words: names, each followed by its text in this call.
func statement(name string, words ...string) string {
	text, err := files.ReadFile("sql/" + name + ".sql")
	if err != nil {
		panic(err)
	}
	return fill(string(text), words...)
}

func fill(text string, words ...string) string {
	return placeholder.ReplaceAllStringFunc(text, func(name string) string {
		name = strings.Trim(name, "{}")
		if at := slices.Index(words, name); at >= 0 {
			return words[at+1]
		}
		if known, ok := shared[name]; ok {
			return known
		}
		return statement(name)
	})
}

const (
	// noGroup is the group of attempts that are counted whatever their group.
	noGroup = `'00000000-0000-0000-0000-000000000000'::uuid`
	// ofItsUnit brings the tenant to rows r that a part of a statement has found: if they were read by themselves, they
	// would be sent to every node of a cluster, and each would have to be up.
	ofItsUnit = "join org_units u on u.tenant_id = $1 and u.id = r.org_unit_id"
	// choiceColumns are what choice_kinds needs of flat rows f, besides the cell.
	choiceColumns = `f.tenant_id, f.submission_id, f.submission_item_id, f.question_version_id, f.qtype, f.score_status,
		f.score_awarded, f.max_score, f.selected_option, f.choice_ids, f.invalid_code`
)

// shared is text that occurs in several statements. For each set of measures it has the names, what they
// count, the sums of these, and what adds a new row to an existing one, with a sign (see added). The number
// of attempts of a row fits an integer, and adding integers takes PostgreSQL a fraction of the memory and
// the time of anything wider.
var shared = func() map[string]string {
	all := map[string]string{
		"time bits": timeBits, "duration bits": DurationBits, "band bits": BandBits,
		"no group": noGroup, "of its unit": ofItsUnit, "one unit": oneUnit, "newest items": submission.NewestItems("$1"), "choice columns": choiceColumns,
		// The question types whose answers are options: their names are letters and underscores.
		"types of one option": quoted(scoring.QTypes(scoring.OneOption)), "types of several options": quoted(scoring.QTypes(scoring.SeveralOptions)),
		"types of any options": quoted(scoring.QTypes(scoring.OneOption, scoring.SeveralOptions, scoring.AllInOrder, scoring.PromptPairs, scoring.FilledGaps)),
		"types of an order":    quoted(scoring.QTypes(scoring.AllInOrder)),
		"types of pairs":       quoted(scoring.QTypes(scoring.PromptPairs)),
		"not blank":            notBlank(),
		"kinds of chosen gaps": quoted(scoring.ChosenGapKinds()),
		"types of gaps":        quoted(scoring.QTypes(scoring.FilledGaps)),
		// Types whose answers are sets of options, of pairs or of gaps, or sequences: a pattern tells one answer from another.
		"types of patterns": quoted(scoring.QTypes(scoring.SeveralOptions, scoring.AllInOrder, scoring.PromptPairs, scoring.FilledGaps)),
		// A lateral table c of the cuts that a row r of report_session_starts or report_submissions belongs to.
		"cuts": `lateral (values ('all', '', ` + noGroup + `), ('run', r.run_label, ` + noGroup + `),
		('group', '', r.group_id), ('run_group', r.run_label, r.group_id)) c (cut, run_label, group_id)`,
		// What the cells of a question have in common, of picked items f and of flat rows r.
		"cell of f": "f.org_unit_id, f.question_version_id, f.evaluation_version_id, f.run_label, f.day",
		"cell of r": "r.org_unit_id, r.question_version_id, r.evaluation_version_id, coalesce(r.run_label, ''), (r.completed_at at time zone 'UTC')::date",
	}
	for rows, of := range map[string][2]string{"submissions": {"submissions", "id"}, "sessions": {"sessions", "id"},
		"item attempts": {"report_item_attempts_flat", "submission_id"}, "shown submissions": {"report_submissions", "submission_id"},
		"starts": {"report_session_starts", "session_id"}} {
		all[rows], all[rows+" or all"] = ofSubjects(of[0], of[1]), ofSubjectsOrAll(of[0], of[1])
	}
	for set, measures := range map[string][]SummaryMeasure{"item": ItemMeasures, "day": dayMeasures, "start": StartMeasures,
		"completion": append(CompletionMeasures[:len(CompletionMeasures):len(CompletionMeasures)], CompletionSums...)} {
		all[set+" names"] = joined(measures, "%[1]s")
		all[set+" counted"] = joined(measures, "%[2]s as %[1]s")
		all[set+" added"] = joined(measures, "%[1]s = d.%[1]s + $sign * excluded.%[1]s")
		all[set+" summed"] = strings.ReplaceAll(joined(measures, "sum(%[1]s) as %[1]s"), "_n)", "_n::int)")
	}
	return all
}()

// ofSubjects are the rows of the subjects $2. Each is looked up by its key: for many ids in one condition PostgreSQL may
// expect more rows than the tenant has.
func ofSubjects(table, key string) string {
	return fmt.Sprintf("(select f.* from unnest($2::uuid[]) n (id) cross join lateral (select * from %s where tenant_id = $1 and %s = n.id offset 0) f)", table, key)
}

// ofSubjectsOrAll are the same, or all of a tenant for null.
func ofSubjectsOrAll(table, key string) string {
	return fmt.Sprintf("(select * from %s f union all select * from %s where tenant_id = $1 and $2::uuid[] is null)", ofSubjects(table, key), table)
}

// notBlank is the pattern of a text that answers something: PostgreSQL's own white space leaves out no-break spaces, and differs
// from one locale to another, while scoring goes by Unicode.
func notBlank() string {
	var b strings.Builder
	for r := range rune(0x10000) {
		if unicode.IsSpace(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return "'[^" + b.String() + "]'"
}

func quoted(names []string) string { return "'" + strings.Join(names, "', '") + "'" }

// operation is one set-based statement over subjects: $1 is the tenant, $2 the ids.
type operation struct{ what, sql string }

// added has rows go into the cells, and removed out of them again. The sign is not a parameter: the statement that a
// cluster makes of it would list only this parameter, and leave the types of the others open.
func added(of []operation) []operation   { return withSign(of, "1") }
func removed(of []operation) []operation { return withSign(of, "-1") }

func withSign(of []operation, sign string) []operation {
	all := make([]operation, len(of))
	for i, o := range of {
		all[i] = operation{o.what, strings.ReplaceAll(o.sql, "$sign", sign)}
	}
	return all
}

// execute runs the operations over the subjects, if there are any.
func execute(ctx context.Context, tx *db.Tx, subjects []ids.ID, operations []operation) error {
	if len(subjects) == 0 {
		return nil
	}
	return executeAll(ctx, tx, subjects, operations)
}

// executeAll runs the operations for nil too; the ones that know nil take it as all of the tenant.
func executeAll(ctx context.Context, tx *db.Tx, subjects []ids.ID, operations []operation) error {
	for _, o := range operations {
		_, err := tx.Exec(ctx, o.sql, tx.Tenant(), subjects)
		if err != nil {
			return fmt.Errorf("%s: %w", o.what, err)
		}
	}
	return nil
}
