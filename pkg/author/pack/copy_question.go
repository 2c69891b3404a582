package pack

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/ids"
)

// The arrays that a kind adds to the common ones have the names of the columns that they fill.
var (
	questionCopies = newCopyKind(kindQuestion, []ownColumn{{"qtype", "text", ""}, {"contributes_to_score", "bool", ""}, {"term_ids", "text", "::uuid[]"}},
		[]string{"qtype", "contributes_to_score"}, []string{"qtype", "term_ids"})
	passageCopies = newCopyKind(kindPassage, []ownColumn{{"title", "text", ""}}, []string{"title"}, []string{"title"})
)

// copyQuestions copies the questions of the pack piece by piece, so that memory does not grow with it.
func (i *installer) copyQuestions(ctx context.Context) error {
	has, err := i.holdings(ctx, kindQuestion)
	if err != nil {
		return err
	}
	for from := 0; from < i.revision.Questions; from += piece {
		all, lines, err := sources[questionLine](ctx, i, kindQuestion, from, has)
		if err != nil {
			return err
		}
		err = i.copyQuestionPiece(ctx, i.choose(all, has), lines)
		if err != nil {
			return err
		}
	}
	moved, err := i.moveHeads(ctx, kindQuestion)
	if err != nil {
		return err
	}
	i.done.Changed.Questions = len(moved)
	err = i.fitMoved(ctx, moved)
	if err != nil {
		return err
	}
	return i.orderPassages(ctx, append(i.fitted, moved...))
}

// placesSQL gives the places of the questions that belong to the same passages as the questions $2: the questions of the pack ($3) in
// its order ($4), the org unit's own after them.
const placesSQL = `
	with about as materialized (
		select distinct l.passage_id from unnest($2::uuid[]) w (id)
		cross join lateral (select passage_id from passage_questions where tenant_id = $1 and question_id = w.id offset 0) l
	)
	select passage_id, question_id, org_unit_id, place::int from (
		select l.passage_id, l.question_id, l.org_unit_id, l.position, row_number() over (partition by l.passage_id order by w.place nulls last, l.position, l.question_id) - 1 as place
		from about cross join lateral (select passage_id, question_id, org_unit_id, position from passage_questions where tenant_id = $1 and passage_id = about.passage_id offset 0) l
		left join unnest($3::uuid[], $4::int[]) w (id, place) on w.id = l.question_id) p
	where place <> position order by question_id`

// orderPassages sorts the questions about the passages of new or changed ones in the order of the pack.
func (i *installer) orderPassages(ctx context.Context, questions []ids.ID) error {
	if len(questions) == 0 {
		return nil
	}
	copies, places, err := i.places(ctx)
	if err != nil {
		return err
	}
	rows, err := i.tx.Query(ctx, placesSQL, i.tx.Tenant(), questions, copies, places)
	if err != nil {
		return fmt.Errorf("order questions of passages: %w", err)
	}
	var passage, question, org ids.ID
	var place int
	var passages, moved, orgs []ids.ID
	var to []int
	_, err = pgx.ForEachRow(rows, []any{&passage, &question, &org, &place}, func() error {
		passages, moved, orgs, to = append(passages, passage), append(moved, question), append(orgs, org), append(to, place)
		return nil
	})
	if err == nil && len(moved) > 0 {
		_, err = i.tx.Exec(ctx, "delete from passage_questions where tenant_id = $1 and question_id = any($2)", i.tx.Tenant(), moved)
	}
	if err == nil && len(moved) > 0 {
		_, err = i.tx.Exec(ctx, `insert into passage_questions (tenant_id, passage_id, question_id, org_unit_id, position)
			select $1, * from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::int[]) returning true`, i.tx.Tenant(), passages, moved, orgs, to)
	}
	if err != nil {
		return fmt.Errorf("order questions of passages: %w", err)
	}
	return nil
}

// places gives the copies of the pack's questions that are about passages, with their places there.
func (i *installer) places(ctx context.Context) ([]ids.ID, []int, error) {
	has, err := i.holdings(ctx, kindQuestion)
	if err != nil {
		return nil, nil, err
	}
	rows, err := i.tx.Query(ctx, `
		select source_id, coalesce((line::json ->> 'place')::int, 0) from library_entries
		where tenant_id = $1 and revision_id = $2 and kind = 'question' and line::json ->> 'passageVersionId' is not null order by number`,
		i.tx.Tenant(), i.revision.ID)
	if err != nil {
		return nil, nil, fmt.Errorf("read places: %w", err)
	}
	at := map[ids.ID]int{}
	var source ids.ID
	var place int
	_, err = pgx.ForEachRow(rows, []any{&source, &place}, func() error {
		at[has.copies[source].record] = place
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read places: %w", err)
	}
	var copies []ids.ID
	var places []int
	for id, place := range at {
		copies, places = append(copies, id), append(places, place)
	}
	return copies, places, nil
}

func (i *installer) copyQuestionPiece(ctx context.Context, b batch, lines []questionLine) error {
	if len(b.picked) == 0 {
		return nil
	}
	var files [][]string
	var passages []*ids.ID
	var externalIDs, qtypes, terms []string
	var contributes []bool
	pinned, err := i.passageVersions(ctx, b, lines)
	if err != nil {
		return err
	}
	for _, n := range b.picked {
		l := lines[n]
		var passage *ids.ID
		if l.PassageVersionID != nil {
			passage = ids.Ref(pinned[*l.PassageVersionID])
		}
		passages, files, externalIDs = append(passages, passage), append(files, l.Assets), append(externalIDs, l.ExternalID)
		qtypes, contributes, terms = append(qtypes, string(l.QType)), append(contributes, l.ContributesToScore), append(terms, arrayOf(i.termIDs(l.Terms)))
	}
	bodies, err := i.bodies(ctx, b.hashes, files, passages)
	if err != nil {
		return err
	}
	for _, c := range bodies {
		b.bodies, b.newHashes, b.pins = append(b.bodies, c.body), append(b.newHashes, c.hash), append(b.pins, c.pins)
	}
	err = i.free(ctx, kindQuestion, &b, externalIDs)
	if err != nil {
		return err
	}
	err = i.write(ctx, questionCopies, b, qtypes, contributes, terms)
	if err != nil {
		return err
	}
	var made []ids.ID
	for n, isNew := range b.isNew {
		if isNew {
			made = append(made, b.records[n])
		}
	}
	i.done.Created.Questions += len(made)
	i.fitted = append(i.fitted, made...)
	return i.fit(ctx, made)
}

// passageVersions gives the org unit's versions of the passages that a batch pins. For a passage that the org unit kept, it
// gives the version in use.
func (i *installer) passageVersions(ctx context.Context, b batch, lines []questionLine) (map[ids.ID]ids.ID, error) {
	wanted := map[ids.ID]bool{}
	for _, n := range b.picked {
		if v := lines[n].PassageVersionID; v != nil {
			wanted[*v] = true
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	found, err := i.versionsOf(ctx, kindPassage, inOrder(wanted))
	if err != nil {
		return nil, err
	}
	versions := make(map[ids.ID]ids.ID, len(found))
	for id, p := range found {
		versions[id] = p.version
	}
	return versions, nil
}

// fitMoved updates the rows that belong to a question to its new version.
func (i *installer) fitMoved(ctx context.Context, moved []ids.ID) error {
	for _, sql := range []string{
		"delete from question_terms where tenant_id = $1 and question_id = any($2)",
		"delete from passage_questions where tenant_id = $1 and question_id = any($2)",
		`update questions q set qtype = v.qtype, contributes_to_score = (v.body ->> 'contributesToScore')::bool
			from question_versions v where v.tenant_id = $1 and v.id = q.published_id and q.tenant_id = $1 and q.id = any($2)`,
	} {
		if len(moved) == 0 {
			return nil
		}
		_, err := i.tx.Exec(ctx, sql, i.tx.Tenant(), moved)
		if err != nil {
			return fmt.Errorf("use new versions of questions: %w", err)
		}
	}
	return i.fit(ctx, moved)
}

// fit sets the terms of questions and the passages that they are about, from their published versions. orderPassages sets
// the order about a passage.
func (i *installer) fit(ctx context.Context, questions []ids.ID) error {
	for _, sql := range []string{
		`insert into question_terms (tenant_id, question_id, term_id, org_unit_id, is_newest, is_published)
		select $1, q.id, t.id, q.org_unit_id, true, true
		from unnest($2::uuid[]) w (id)
		cross join lateral (select id, org_unit_id, published_id from questions where tenant_id = $1 and id = w.id offset 0) q
		cross join lateral (select term_ids from question_versions where tenant_id = $1 and id = q.published_id offset 0) v
		cross join lateral unnest(v.term_ids) t (id)
		on conflict do nothing`,
		`insert into passage_questions (tenant_id, passage_id, question_id, org_unit_id, position)
		select $1, p.passage_id, q.id, q.org_unit_id, coalesce(before.position, -1) + row_number() over (partition by p.passage_id order by w.n)
		from unnest($2::uuid[]) with ordinality w (id, n)
		cross join lateral (select id, org_unit_id, published_id from questions where tenant_id = $1 and id = w.id offset 0) q
		cross join lateral (select passage_version_id from question_versions where tenant_id = $1 and id = q.published_id and passage_version_id is not null offset 0) v
		cross join lateral (select passage_id from passage_versions where tenant_id = $1 and id = v.passage_version_id offset 0) p
		left join lateral (select max(position) as position from passage_questions where tenant_id = $1 and passage_id = p.passage_id offset 0) before on true
		returning true`,
	} {
		if len(questions) == 0 {
			return nil
		}
		_, err := i.tx.Exec(ctx, sql, i.tx.Tenant(), questions)
		if err != nil {
			return fmt.Errorf("fit questions in: %w", err)
		}
	}
	return nil
}

// copyPassages copies the passages before the questions, which pin them.
func (i *installer) copyPassages(ctx context.Context) error {
	has, err := i.holdings(ctx, kindPassage)
	if err != nil {
		return err
	}
	for from := 0; from < i.revision.Passages; from += piece {
		all, lines, err := sources[passageLine](ctx, i, kindPassage, from, has)
		if err != nil {
			return err
		}
		b := i.choose(all, has)
		if len(b.picked) == 0 {
			continue
		}
		var files [][]string
		var externalIDs, titles []string
		for _, n := range b.picked {
			files, externalIDs, titles = append(files, lines[n].Assets), append(externalIDs, lines[n].ExternalID), append(titles, lines[n].Title)
		}
		bodies, err := i.bodies(ctx, b.hashes, files, make([]*ids.ID, len(files)))
		if err != nil {
			return err
		}
		for _, c := range bodies {
			b.bodies, b.newHashes, b.pins = append(b.bodies, c.body), append(b.newHashes, c.hash), append(b.pins, c.pins)
		}
		err = i.free(ctx, kindPassage, &b, externalIDs)
		if err != nil {
			return err
		}
		err = i.write(ctx, passageCopies, b, titles)
		if err != nil {
			return err
		}
		for _, isNew := range b.isNew {
			if isNew {
				i.done.Created.Passages++
			}
		}
	}
	moved, err := i.moveHeads(ctx, kindPassage)
	if err != nil {
		return err
	}
	i.done.Changed.Passages = len(moved)
	_, err = i.tx.Exec(ctx, `update passages p set title = v.title from passage_versions v
		where v.tenant_id = $1 and v.id = p.published_id and p.tenant_id = $1 and p.id = any($2)`, i.tx.Tenant(), moved)
	if err != nil {
		return fmt.Errorf("use new versions of passages: %w", err)
	}
	return nil
}

// arrayOf writes ids in the form in which PostgreSQL reads an array of them: arrays of several lengths cannot be sent as one.
func arrayOf(all []ids.ID) string {
	words := make([]string, len(all))
	for n, id := range all {
		words[n] = id.String()
	}
	return "{" + strings.Join(words, ",") + "}"
}
