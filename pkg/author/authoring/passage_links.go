package authoring

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// PassageLinks are the questions that a passage is to have, in order.
type PassageLinks struct {
	PassageID ids.ID
	Questions []ids.ID
}

// LinkPlan keeps track of which question belongs to which passage while passages get new
// questions one after the other, before any of it is written.
type LinkPlan struct {
	org       ids.ID
	questions map[ids.ID]*models.Question
	owner     map[ids.ID]ids.ID
	// before are the passages that questions belong to in the database.
	before map[ids.ID]ids.ID
	holds  map[ids.ID][]ids.ID
	// archived are the questions of archived passages, which therefore keep them.
	archived map[ids.ID][]ids.ID
	// moved are the passages whose questions the plan has set: their state in the database
	// no longer counts.
	moved map[ids.ID]bool
}

// NewLinkPlan begins a plan for passages of the home org unit. It needs questions.write and
// questions.read.
func NewLinkPlan(tx *db.Tx) (*LinkPlan, error) {
	err := tx.Require(capability.QuestionsRead)
	if err != nil {
		return nil, err
	}
	org, err := questionStore.home(tx)
	return &LinkPlan{org: org, questions: map[ids.ID]*models.Question{}, owner: map[ids.ID]ids.ID{}, before: map[ids.ID]ids.ID{}, holds: map[ids.ID][]ids.ID{},
		archived: map[ids.ID][]ids.ID{}, moved: map[ids.ID]bool{}}, err
}

// Load reads everything that the plan has to know about questions and passages, in three statements.
func (l *LinkPlan) Load(ctx context.Context, tx *db.Tx, wanted, passages []ids.ID) error {
	fresh := slices.DeleteFunc(slices.Clone(wanted), func(id ids.ID) bool { _, known := l.questions[id]; return known })
	rows, err := questionStore.find(ctx, tx, fresh)
	if err != nil {
		return err
	}
	for _, row := range rows {
		l.questions[row.ID] = row
	}
	found, err := tx.Query(ctx, `
		select question_id, passage_id from passage_questions where tenant_id = $1 and question_id = any($2)`, tx.Tenant(), fresh)
	if err != nil {
		return fmt.Errorf("look for passages of questions: %w", err)
	}
	var question, passage ids.ID
	_, err = pgx.ForEachRow(found, []any{&question, &passage}, func() error {
		l.before[question] = passage
		if !l.moved[passage] {
			l.hold(passage, question)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("look for passages of questions: %w", err)
	}
	return l.loadArchived(ctx, tx, passages)
}

func (l *LinkPlan) loadArchived(ctx context.Context, tx *db.Tx, passages []ids.ID) error {
	found, err := tx.Query(ctx, `
		select p.id, array(select q.question_id from passage_questions q where q.tenant_id = $1 and q.passage_id = p.id order by q.position)
		from passages p where p.tenant_id = $1 and p.id = any($2) and p.status = $3`, tx.Tenant(), passages, models.AuthoringArchived)
	if err != nil {
		return fmt.Errorf("look for archived passages: %w", err)
	}
	var passage ids.ID
	var holds []ids.ID
	_, err = pgx.ForEachRow(found, []any{&passage, &holds}, func() error {
		l.archived[passage] = slices.Clone(holds)
		return nil
	})
	if err != nil {
		return fmt.Errorf("look for archived passages: %w", err)
	}
	return nil
}

// Problems names what keeps a passage from having these questions; paths start at
// questionIds[0].
func (l *LinkPlan) Problems(one PassageLinks) []errs.Field {
	p := linkProblems(l.org, l.questions, one.Questions, func(id ids.ID) bool { return l.before[id] == one.PassageID })
	held, archived := l.archived[one.PassageID]
	p.addIf(archived && !slices.Equal(held, one.Questions), "questionIds", "archived", "the passage is archived")
	for i, id := range one.Questions {
		owner, owned := l.owner[id]
		p.addIf(owned && owner != one.PassageID, element("", "questionIds", i), string(errs.QuestionInOtherPassage),
			"the question belongs to another passage")
	}
	return p
}

// Move says that the passage has these questions from now on, and no others.
func (l *LinkPlan) Move(one PassageLinks) {
	l.moved[one.PassageID] = true
	for _, question := range l.holds[one.PassageID] {
		delete(l.owner, question)
	}
	delete(l.holds, one.PassageID)
	for _, id := range one.Questions {
		l.hold(one.PassageID, id)
	}
}

func (l *LinkPlan) hold(passage, question ids.ID) {
	l.owner[question] = passage
	l.holds[passage] = append(l.holds[passage], question)
}

// linkProblems names the questions that cannot belong to a passage of the org unit. An archived question stays
// with the passage that has it.
func linkProblems(org ids.ID, stored map[ids.ID]*models.Question, wanted []ids.ID, held func(ids.ID) bool) problems {
	var p problems
	if len(wanted) > maxPassageQuestions {
		p.add("questionIds", "too_many", fmt.Sprintf("at most %d questions", maxPassageQuestions))
		return p
	}
	for i, id := range wanted {
		at := element("", "questionIds", i)
		row, known := stored[id]
		switch {
		case !known || row.OrgUnitID != org:
			p.add(at, "unknown_question", "there is no such question in the passage's org unit")
		case row.Status == models.AuthoringArchived && !held(id):
			p.add(at, "archived", "the question is archived")
		case slices.Contains(wanted[:i], id):
			p.add(at, "duplicate_question", "the question is named twice")
		}
	}
	return p
}

// SetQuestionsOfPassages is SetPassageQuestions for many passages, each named once, in a
// handful of statements. A question may move between these passages. Errors: not_found,
// validation_failed with paths from passages[0].questionIds[0]; then nothing is written.
func SetQuestionsOfPassages(ctx context.Context, tx *db.Tx, sets []PassageLinks) error {
	plan, err := NewLinkPlan(tx)
	if err != nil || len(sets) == 0 {
		return err
	}
	var passages, questions []ids.ID
	for _, one := range sets {
		passages, questions = append(passages, one.PassageID), append(questions, one.Questions...)
		plan.moved[one.PassageID] = true
	}
	locked, err := passageStore.lock(ctx, tx, passages)
	if err != nil {
		return err
	}
	err = plan.Load(ctx, tx, questions, passages)
	if err != nil {
		return err
	}
	var bad []errs.Field
	for i, one := range sets {
		for _, f := range plan.Problems(one) {
			f.Path = member(element("", "passages", i), f.Path)
			bad = append(bad, f)
		}
		plan.Move(one)
	}
	err = errs.Invalid(bad...)
	if err != nil {
		return err
	}
	return storeLinks(ctx, tx, locked, sets)
}

func storeLinks(ctx context.Context, tx *db.Tx, locked []*models.Passage, sets []PassageLinks) error {
	rows := make(map[ids.ID]*models.Passage, len(locked))
	for _, row := range locked {
		rows[row.ID] = row
	}
	var passages, orgs, holders, questions []ids.ID
	var positions []int
	var events []ledger.Event
	for _, one := range sets {
		row := rows[one.PassageID]
		passages = append(passages, row.ID)
		for place, question := range one.Questions {
			holders, orgs, questions, positions = append(holders, row.ID), append(orgs, row.OrgUnitID), append(questions, question), append(positions, place)
		}
		events = append(events, linksEvent(row, one.Questions))
	}
	for _, step := range []struct {
		sql  string
		args []any
	}{
		{"delete from passage_questions where tenant_id = $1 and passage_id = any($2)", []any{passages}},
		{`insert into passage_questions (tenant_id, passage_id, question_id, org_unit_id, position)
			select $1, l.passage, l.question, l.org, l.place from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::int[])
				as l (passage, question, org, place) order by l.question returning true`, []any{given(holders), given(questions), given(orgs), positions}},
		{`update passages set updated_at = greatest($3, just_after(updated_at)) where tenant_id = $1 and id = any($2)`,
			[]any{passages, tx.Now()}},
	} {
		_, err := tx.Exec(ctx, step.sql, append([]any{tx.Tenant()}, step.args...)...)
		if err != nil {
			return fmt.Errorf("save the questions of passages: %w", err)
		}
	}
	return ledger.Append(ctx, tx, events...)
}

func linksEvent(passage *models.Passage, questions []ids.ID) ledger.Event {
	return ledger.Event{Type: "passage.questions_set", SubjectType: "passage", SubjectID: passage.ID, OrgUnit: passage.OrgUnitID,
		Payload: map[string]any{"questionIds": questions}}
}
