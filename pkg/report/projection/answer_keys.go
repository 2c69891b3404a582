package projection

import (
	"context"
	"fmt"
	"slices"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Key says which options of a question are right, by the key in force. That is the key of the
// snapshot, unless a remediation replaced it for a whole evaluation version; keys for chosen
// submissions change nothing here. Where evaluation versions differ, an option is right if it is
// right in one of them: looking at the attempts of all versions, nobody would call it wrong.
type Key struct {
	// Options are the options of the snapshot, in its order.
	Options []KeyOption
	// Parts are the parts of the answer, in their order; none where an answer has no parts.
	Parts []KeyPart
	// Corrected says that a remediation set the key of one of the evaluation versions.
	Corrected bool
}

// KeyOption is an option, right or wrong.
type KeyOption struct {
	ID      string
	Correct bool
}

// KeyPart is a part of the answer with the values that are right there; where evaluation versions differ,
// right in one of them.
type KeyPart struct {
	ID    string
	Right []string
}

// newKeysSQL finds the questions whose keys change. The type of a question without attempts is not
// known here; then it has no row, and the row that is made for the lock goes away again.
const newKeysSQL = `
select distinct org_unit_id, question_version_id, '' from remediations where tenant_id = $1 and id = any($2)`

// A key or an exemption is in force from when its remediation is applied until somebody starts to take it back.
const (
	writeKeysSQL = `
insert into report_question_keys as k
	(tenant_id, org_unit_id, question_version_id, remediation_id, rule, evaluation_version_id, option_ids, part_values, submissions_n, applied_number, applied_at)
select tenant_id, org_unit_id, question_version_id, id, rule, evaluation_version_id,
	array(select jsonb_array_elements_text(coalesce(parameters -> 'correctOptionIds', parameters #> '{order}'))),
	coalesce(
		(select jsonb_object_agg(o.id, jsonb_build_array(o.place::text)) from jsonb_array_elements_text(parameters #> '{order}') with ordinality o (id, place)),
		(select jsonb_object_agg(p.id, jsonb_build_array(p.chosen)) from (select e ->> 0 as id, string_agg(e ->> 1, '+' order by (e ->> 1) collate "C") as chosen
			from jsonb_array_elements(parameters -> 'pairs') e group by 1) p),
		-- A new key of gaps names those that change; the empty id says that the others stay.
		(select jsonb_object_agg(g ->> 'id', coalesce(g -> 'correctOptionIds', '["right"]')) || '{"": []}'
			from jsonb_array_elements(parameters -> 'gaps') g)),
	submissions_n, applied_number, applied_at
from remediations
where tenant_id = $1 and ($2::uuid[] is null or id = any($2)) and rule in ('rekey', 'exempt_question') and state = 'applied'
order by 1, 2, 3, 4
on conflict (tenant_id, org_unit_id, question_version_id, remediation_id) do update set
	submissions_n = excluded.submissions_n, applied_number = excluded.applied_number, applied_at = excluded.applied_at`

	dropKeysSQL = `
delete from report_question_keys k using remediations r
where k.tenant_id = $1 and k.remediation_id = any($2) and r.tenant_id = $1 and r.id = k.remediation_id
	and k.org_unit_id = r.org_unit_id and k.question_version_id = r.question_version_id and r.state <> 'applied'`
)

var writeKeys = []operation{{"drop keys", dropKeysSQL}, {"write keys", writeKeysSQL}}

// withNewKeys are the questions whose key the remediations change.
func withNewKeys(ctx context.Context, tx *db.Tx, remediations []ids.ID) ([]typedQuestion, error) {
	if len(remediations) == 0 {
		return nil, nil
	}
	all, err := questionsOf(ctx, tx, newKeysSQL, tx.Tenant(), remediations)
	if err != nil {
		return nil, fmt.Errorf("find rekeyed questions: %w", err)
	}
	return all, nil
}

// Keys gives the keys of questions that were attempted, over all evaluation versions.
func Keys(ctx context.Context, tx *db.Tx, orgs, questions []ids.ID) (map[ids.ID]Key, error) {
	all := countsByQuestion{}
	for _, question := range questions {
		all.at(ids.None, question)
	}
	err := readFacts(ctx, tx, filteredFacts(tx, orgs, questions, nil), all)
	if err != nil {
		return nil, err
	}
	keys := map[ids.ID]Key{}
	for k, t := range all {
		keys[k.Version] = t.key
	}
	return keys, nil
}

// facts are CTEs about the questions themselves, over the values; $1 is the tenant. shown (unit, org_unit_id,
// question_version_id, evaluation_version_id, contributes) has the evaluation versions that showed them, rekeys
// (org_unit_id, question_version_id, evaluation_version_id, option_ids, part_values, applied_number) the keys that replaced
// the snapshot's, options (unit, question_version_id, option_id, position, is_correct) the snapshot's options, parts (unit,
// question_version_id, part_id, position, right_values) its parts.
type facts struct {
	ctes string
	*Values
}

func storedFacts(tx *db.Tx, keys []rollupKey) facts {
	orgs, questions := columns(keys)
	return facts{statement("stored_facts"), &Values{Args: []any{tx.Tenant(), orgs, questions}}}
}

// filteredFacts are the facts of questions whose org units are counted together, in the given
// evaluation versions; in all for nil.
func filteredFacts(tx *db.Tx, orgs, questions []ids.ID, in *shownIn) facts {
	values, versions := &Values{Args: []any{tx.Tenant(), orgs, questions}}, "true"
	if in != nil {
		versions = "(f.question_version_id, f.evaluation_version_id) in (select * from unnest(" + values.Arg(in.questions) + "::uuid[], " +
			values.Arg(in.versions) + "::uuid[]))"
	}
	return facts{statement("filtered_facts", "shown in", versions), values}
}

// shownIn are pairs of a question version and an evaluation version that showed it, in two slices.
type shownIn struct{ questions, versions []ids.ID }

// distinct gives each version once.
func (in *shownIn) distinct() []ids.ID {
	versions := []ids.ID{}
	seen := map[ids.ID]bool{}
	for _, version := range in.versions {
		if !seen[version] {
			versions, seen[version] = append(versions, version), true
		}
	}
	return versions
}

// A row without an option is about the question itself.
const factsSQL = `{{facts}}, newest as (
	select distinct on (org_unit_id, question_version_id, evaluation_version_id) org_unit_id, question_version_id, evaluation_version_id, option_ids, part_values
	from rekeys where evaluation_version_id is not null order by 1, 2, 3, applied_number desc
), held as (
	select distinct s.unit, question_version_id, s.contributes, n.option_ids, n.part_values
	from shown s left join newest n using (org_unit_id, question_version_id, evaluation_version_id)
)
select unit, question_version_id, null::text as option_id, bool_or(not contributes), bool_or(option_ids is not null), 0 as what, 0 as position, '{}'::text[]
from held group by 1, 2
union all
select o.unit, o.question_version_id, o.option_id,
	bool_or(case when h.option_ids is null then o.is_correct else o.option_id = any(h.option_ids) end), false, 1, min(o.position), '{}'
from options o left join held h using (unit, question_version_id)
group by 1, 2, 3
union all
select distinct p.unit, p.question_version_id, p.part_id, false, false, 2, p.position,
	case when h.part_values is null or h.part_values ? '' and not h.part_values ? p.part_id then p.right_values else array(select jsonb_array_elements_text(h.part_values -> p.part_id)) end
from parts p left join held h using (unit, question_version_id)
order by unit, question_version_id, what, position, option_id, 8`

// readFacts adds to the counts what the rules need to know about the questions.
func readFacts(ctx context.Context, tx *db.Tx, f facts, all countsByQuestion) error {
	var unit, question ids.ID
	var option *string
	var first, corrected bool
	var what int
	var right []string
	return f.Read(ctx, tx, "read facts of questions", fill(factsSQL, "facts", f.ctes), []any{&unit, &question, &option, &first, &corrected, &what, nil, &right}, func() {
		t := all[rollupKey{unit, question}]
		switch {
		case t == nil:
		case option == nil:
			t.survey, t.key.Corrected = first, corrected
		case what == 1:
			t.key.Options = append(t.key.Options, KeyOption{*option, first})
		default:
			t.key.addPart(*option, right)
		}
	})
}

// addPart adds the right values of a part. A part comes once for each key that differs there.
func (k *Key) addPart(id string, right []string) {
	last := len(k.Parts) - 1
	if last < 0 || k.Parts[last].ID != id {
		k.Parts = append(k.Parts, KeyPart{ID: id})
		last++
	}
	for _, value := range right {
		if !slices.Contains(k.Parts[last].Right, value) {
			k.Parts[last].Right = append(k.Parts[last].Right, value)
		}
	}
}
