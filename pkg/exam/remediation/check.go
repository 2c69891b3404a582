package remediation

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// target is the target of a remediation: the keys that the question has in the snapshots of its submissions.
type target struct {
	orgUnit     ids.ID
	submissions []ids.ID
	keys        []scoring.Key
}

// aim finds the submissions of the input and the keys of its question.
func aim(ctx context.Context, tx *db.Tx, in Input) (target, error) {
	if (in.EvaluationVersionID == nil) == (len(in.SubmissionIDs) == 0) {
		return target{}, invalid("evaluationVersionId", "required", "give either an evaluation version or submissions")
	}
	if in.EvaluationVersionID != nil {
		return aimAtVersion(ctx, tx, *in.EvaluationVersionID, in.QuestionVersionID)
	}
	wanted := slices.Clone(in.SubmissionIDs)
	slices.SortFunc(wanted, func(a, b ids.ID) int { return slices.Compare(a[:], b[:]) })
	return aimAtSubmissions(ctx, tx, slices.Compact(wanted), in.QuestionVersionID)
}

// aimAgain finds the target of a draft.
func aimAgain(ctx context.Context, tx *db.Tx, row models.Remediation) (target, error) {
	if row.EvaluationVersionID != nil {
		return aimAtVersion(ctx, tx, *row.EvaluationVersionID, row.QuestionVersionID)
	}
	chosen, err := collectIDs(ctx, tx, `
		select submission_id from remediation_submissions where tenant_id = $1 and remediation_id = $2 order by 1`, tx.Tenant(), row.ID)
	if err != nil {
		return target{}, fmt.Errorf("read submissions: %w", err)
	}
	return aimAtSubmissions(ctx, tx, chosen, row.QuestionVersionID)
}

func aimAtVersion(ctx context.Context, tx *db.Tx, version, question ids.ID) (target, error) {
	var t target
	var hash *string
	err := tx.QueryRow(ctx, "select org_unit_id, snapshot_hash from evaluation_versions where tenant_id = $1 and id = $2 and ($3 or org_unit_id = $4)",
		tx.Tenant(), version, tx.Scope().All, tx.Scope().OrgUnit).Scan(&t.orgUnit, &hash)
	switch {
	case err == pgx.ErrNoRows: //nolint:errorlint // pgx gives it as it is
		return t, errs.New(errs.NotFound, "There is no such evaluation version in your scope.")
	case err != nil:
		return t, fmt.Errorf("find evaluation version: %w", err)
	case hash == nil:
		return t, invalid("evaluationVersionId", "not_published", "the version was never published, so it has no submissions")
	}
	return t, t.addKeys(ctx, tx, []string{*hash}, question)
}

func aimAtSubmissions(ctx context.Context, tx *db.Tx, wanted []ids.ID, question ids.ID) (target, error) {
	t := target{submissions: wanted}
	rows, err := tx.Query(ctx, `
		select org_unit_id, snapshot_hash, count(*) from submissions
		where tenant_id = $1 and id = any($2) and ($3 or org_unit_id = $4) group by 1, 2 order by 1, 2`,
		tx.Tenant(), wanted, tx.Scope().All, tx.Scope().OrgUnit)
	if err != nil {
		return t, fmt.Errorf("find submissions: %w", err)
	}
	var hashes []string
	var hash string
	var found, n int
	units := map[ids.ID]bool{}
	_, err = pgx.ForEachRow(rows, []any{&t.orgUnit, &hash, &n}, func() error {
		units[t.orgUnit] = true
		if !slices.Contains(hashes, hash) {
			hashes = append(hashes, hash)
		}
		found += n
		return nil
	})
	switch {
	case err != nil:
		return t, fmt.Errorf("find submissions: %w", err)
	case found < len(wanted):
		return t, invalid("submissionIds", "not_found", fmt.Sprintf("%d of them do not exist in your scope", len(wanted)-found))
	case len(units) > 1:
		return t, invalid("submissionIds", "several_org_units", "choose submissions of one org unit")
	}
	err = refuseChosen(ctx, tx, wanted)
	if err != nil {
		return t, err
	}
	return t, t.addKeys(ctx, tx, hashes, question)
}

// addKeys reads the keys of the question in each snapshot; all of them have to have it.
func (t *target) addKeys(ctx context.Context, tx *db.Tx, hashes []string, question ids.ID) error {
	for _, hash := range hashes {
		snapshot, err := authoring.SnapshotByHash(ctx, tx, hash)
		if err != nil {
			return fmt.Errorf("find snapshot: %w", err)
		}
		before := len(t.keys)
		for _, section := range snapshot.Sections {
			for _, item := range section.Items {
				if item.QuestionVersionID == question {
					t.keys = append(t.keys, item.Key)
				}
			}
		}
		if len(t.keys) == before {
			return invalid("questionVersionId", "unknown_question", "not every submission's evaluation version has this question version")
		}
	}
	return nil
}

// maxText bounds reasons and comments, in characters.
const maxText = 2000

func invalid(path, code, message string) error {
	return errs.Invalid(errs.Field{Path: path, Code: code, Message: message})
}

// checkLater refuses to cover later submissions where submissions were chosen: there are no later ones of these.
func checkLater(alsoLater *bool, version *ids.ID) []errs.Field {
	if alsoLater == nil || !*alsoLater || version != nil {
		return nil
	}
	return []errs.Field{{Path: "also_later", Code: "unsupported", Message: "goes with an evaluation version, not with chosen submissions"}}
}

// check lists what is wrong with the parameters of a rule for the question of the target.
func check(r rule, t target) []errs.Field {
	var bad []errs.Field
	addIf := func(wrong bool, path, code, message string) {
		if wrong {
			bad = append(bad, errs.Field{Path: path, Code: code, Message: message})
		}
	}
	rules := []string{RuleExempt, RuleRekey, RuleFullCredit, RuleAdjust}
	addIf(!slices.Contains(rules, r.name), "rule", "out_of_range", "there is no such rule")
	asked := t.keys[0].QType.Type()
	takes := func(p scoring.Part) bool { return r.name == RuleRekey && asked.Has(p) }
	addIf(r.name == RuleRekey && asked.ByPeople(), "rule", "unsupported", asked.String()+" has no key")
	for _, part := range []struct {
		path         string
		given, taken bool
		needed       bool
	}{
		{"parameters.correctOptionIds", len(r.CorrectOptionIDs) > 0, takes(scoring.PartOptions) && asked.Chooses(), true},
		{"parameters.order", len(r.Order) > 0, takes(scoring.PartOrder), true},
		{"parameters.pairs", len(r.Pairs) > 0, takes(scoring.PartPairs), true},
		{"parameters.gaps", len(r.Gaps) > 0, takes(scoring.PartGaps), true},
		{"parameters.acceptedAnswers", len(r.AcceptedAnswers) > 0, takes(scoring.PartAcceptedAnswers), true},
		{"parameters.value", r.Value != nil, takes(scoring.PartValue), true},
		{"parameters.tolerance", r.Tolerance != nil, takes(scoring.PartTolerance), false},
		{"parameters.score", r.Score != nil, r.name == RuleAdjust, true},
	} {
		addIf(part.given && !part.taken, part.path, "unsupported", "does not go with the rule and this type of question")
		addIf(!part.given && part.taken && part.needed, part.path, "required", "the rule needs it")
	}
	for i, id := range r.CorrectOptionIDs {
		known := !slices.ContainsFunc(t.keys, func(k scoring.Key) bool {
			return !slices.ContainsFunc(k.Options, func(o scoring.OptionKey) bool { return o.ID == id })
		})
		addIf(!known, fmt.Sprintf("parameters.correctOptionIds[%d]", i), "unknown_option", "the question has no such option")
	}
	addIf(len(r.Order) > 0 && asked.Has(scoring.PartOrder) && !t.ordered(r.Order), "parameters.order", "incomplete_order", "the order names every option once, and nothing else")
	if asked.Has(scoring.PartPairs) {
		bad = append(bad, t.checkPairs("parameters.pairs", r.Pairs)...)
	}
	if asked.Has(scoring.PartGaps) {
		bad = append(bad, t.checkGaps("parameters.gaps", r)...)
	}
	for i, answer := range r.AcceptedAnswers {
		addIf(!t.takesText(answer),
			fmt.Sprintf("parameters.acceptedAnswers[%d]", i), "invalid_text", "expected text of 1 to 1000 characters")
	}
	addIf(r.Value != nil && !finite(*r.Value), "parameters.value", "invalid_number", "expected a finite number")
	addIf(r.Tolerance != nil && (!finite(*r.Tolerance) || *r.Tolerance < 0), "parameters.tolerance", "out_of_range", "a finite number from 0 on")
	if r.Score != nil {
		least := t.leastWeight()
		addIf(!(*r.Score >= 0 && *r.Score <= least), "parameters.score", "out_of_range", fmt.Sprintf("from 0 to the weight of the item, %v", least))
	}
	return bad
}

// ordered says whether the ids name all options, each once.
func (t target) ordered(ids []string) bool {
	sorted := slices.Sorted(slices.Values(ids))
	return !slices.ContainsFunc(t.keys, func(k scoring.Key) bool {
		var all []string
		for _, o := range k.Options {
			all = append(all, o.ID)
		}
		slices.Sort(all)
		return !slices.Equal(all, sorted)
	})
}

// checkPairs checks the right pairs against each key, just as it checks an answer: it must be possible to give
// the right answer.
func (t target) checkPairs(path string, pairs []scoring.Pair) []errs.Field {
	for _, k := range t.keys {
		bad := k.Check("", &scoring.Response{Pairs: pairs})
		for i := range bad {
			bad[i].Path = strings.Replace(bad[i].Path, "pairs", path, 1)
		}
		if len(bad) > 0 {
			return bad
		}
		k.Pairs, k.Method = pairs, scoring.AllOrNothing
		if item := scoring.Score(k, scoring.Config{}, &scoring.Response{Pairs: pairs}); len(pairs) > 0 && item.InvalidCode != "" {
			return []errs.Field{{Path: path, Code: item.InvalidCode, Message: "no answer may have all of these pairs"}}
		}
	}
	return nil
}

func (t target) takesText(answer string) bool {
	return t.keys[0].Folding.Fold(answer) != "" && utf8.ValidString(answer) && !strings.ContainsRune(answer, 0) && utf8.RuneCountInString(answer) <= 1000
}

// checkGaps compares the right answers of gaps with each key.
func (t target) checkGaps(path string, r rule) []errs.Field {
	var bad []errs.Field
	for i, g := range r.Gaps {
		at := fmt.Sprintf("%s[%d]", path, i)
		if slices.ContainsFunc(r.Gaps[:i], func(other GapKey) bool { return other.ID == g.ID }) {
			bad = append(bad, errs.Field{Path: at + ".id", Code: "duplicate_gap", Message: "the gap is named twice"})
			continue
		}
		for _, k := range t.keys {
			if wrong := t.checkGap(at, g, k); len(wrong) > 0 {
				bad = append(bad, wrong...)
				break
			}
		}
	}
	return bad
}

func (t target) checkGap(path string, g GapKey, k scoring.Key) []errs.Field {
	i := slices.IndexFunc(k.Gaps, func(of scoring.GapKey) bool { return of.ID == g.ID })
	if i < 0 {
		return []errs.Field{{Path: path + ".id", Code: scoring.CodeUnknownGap, Message: "the question has no such gap"}}
	}
	of, options := k.Gaps[i], k.Gaps[i].Options
	if of.Kind == scoring.GapPool {
		options = k.Pool
	}
	var bad []errs.Field
	addIf := func(wrong bool, field, code, message string) {
		if wrong {
			bad = append(bad, errs.Field{Path: path + field, Code: code, Message: message})
		}
	}
	for _, field := range []struct {
		name                 string
		given, taken, needed bool
	}{
		{".correctOptionIds", len(g.CorrectOptionIDs) > 0, scoring.ChosenGap(of.Kind), true},
		{".acceptedAnswers", len(g.AcceptedAnswers) > 0, of.Kind == scoring.GapText, true},
		{".value", g.Value != nil, of.Kind == scoring.GapNumber, true},
		{".tolerance", g.Tolerance != nil, of.Kind == scoring.GapNumber, false},
	} {
		addIf(field.given && !field.taken, field.name, "unsupported", "a gap of kind "+of.Kind+" has none")
		addIf(!field.given && field.taken && field.needed, field.name, "required", "a gap of kind "+of.Kind+" needs it")
	}
	for j, id := range g.CorrectOptionIDs {
		addIf(scoring.ChosenGap(of.Kind) && !slices.Contains(options, id), fmt.Sprintf(".correctOptionIds[%d]", j), "unknown_option", "there is no such option for the gap")
	}
	for j, answer := range g.AcceptedAnswers {
		addIf(!t.takesText(answer), fmt.Sprintf(".acceptedAnswers[%d]", j), "invalid_text", "expected text of 1 to 1000 characters")
	}
	addIf(g.Value != nil && !finite(*g.Value), ".value", "invalid_number", "expected a finite number")
	addIf(g.Tolerance != nil && (!finite(*g.Tolerance) || *g.Tolerance < 0), ".tolerance", "out_of_range", "a finite number from 0 on")
	return bad
}

func (t target) leastWeight() float64 {
	least := math.Inf(1)
	for _, k := range t.keys {
		least = min(least, scoring.Score(k, scoring.Config{}, nil).MaxScore)
	}
	return least
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func collectIDs(ctx context.Context, tx *db.Tx, sql string, args ...any) ([]ids.ID, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[ids.ID])
}
