package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
	"assess/pkg/people/access"
	"assess/pkg/people/people"
)

// candidates is how many people take the exam.
const candidates = 64

// exam is a tenant with a published evaluation and the people around it.
type exam struct {
	// operator can reach all of the tenant; everything is in its org unit.
	operator   db.Scope
	evaluation ids.ID
	// version is the newest one, with its snapshot; versions and snapshots hold the earlier ones too.
	version   ids.ID
	snapshot  string
	versions  []ids.ID
	snapshots []string
	places    []place
	// question gives the question version of an item.
	question map[[16]byte]pgtype.UUID
	people   []candidate
	// groups and the assignments to them, run by run; none unless they were made.
	groups, assignments []ids.ID
	// analyst is the token of a user who reads reports.
	analyst string
	// profiled is a person with figures of skills; none unless they were made.
	profiled ids.ID
	// heft multiplies the content of the questions.
	heft int
}

// place is an item of the evaluation.
type place struct{ item, question ids.ID }

// candidate is a person who takes the exam, and their token; pass is the token at the server by hand.
type candidate struct {
	scope       db.Scope
	token, pass string
}

func writeExam(ctx context.Context, store *db.Store, authority *access.Authority, name string, heft int) (exam, error) {
	e := exam{heft: heft, question: map[[16]byte]pgtype.UUID{}, operator: db.Scope{Tenant: ids.New(), All: true, Actor: db.Actor{Kind: db.OperatorActor, Name: "bench"}}}
	steps := []func(ctx context.Context, tx *db.Tx) error{
		func(ctx context.Context, tx *db.Tx) error { return e.found(ctx, tx, name) },
		e.author,
		func(ctx context.Context, tx *db.Tx) error { return e.invite(ctx, tx, authority) },
	}
	for _, step := range steps {
		err := store.Write(ctx, e.operator, func(tx *db.Tx) error { return step(ctx, tx) })
		if err != nil {
			return exam{}, fmt.Errorf("set up the exam: %w", err)
		}
	}
	return e, e.admit(ctx, authority)
}

func (e *exam) found(ctx context.Context, tx *db.Tx, name string) error {
	_, err := people.CreateTenant(ctx, tx, people.TenantInput{Slug: name, Name: "Bench " + name})
	if err != nil {
		return err
	}
	unit, err := people.CreateOrgUnit(ctx, tx, people.OrgUnitInput{Slug: "main", Name: "Main"})
	e.operator.OrgUnit = unit.ID
	return err
}

// author publishes the questions and the evaluation.
func (e *exam) author(ctx context.Context, tx *db.Tx) error {
	var section authoring.SectionInput
	for i := range items {
		q, err := authoring.CreateQuestion(ctx, tx, questionInput(i, e.heft))
		if err != nil {
			return err
		}
		_, err = authoring.PublishQuestion(ctx, tx, q.ID)
		if err != nil {
			return err
		}
		section.Items = append(section.Items, authoring.ItemInput{QuestionID: q.ID})
	}
	half := 50.0
	made, err := authoring.CreateEvaluation(ctx, tx, authoring.EvaluationInput{Title: "Exam",
		Sections: []authoring.SectionInput{section}, Settings: authoring.Settings{PassMarkPercent: &half}})
	if err != nil {
		return err
	}
	_, err = authoring.PublishEvaluation(ctx, tx, made.ID)
	if err != nil {
		return err
	}
	return e.look(ctx, tx, made.ID)
}

// look reads back what was published.
func (e *exam) look(ctx context.Context, tx *db.Tx, evaluation ids.ID) error {
	published, err := authoring.PublishedVersion(ctx, tx, evaluation)
	if err != nil {
		return err
	}
	e.evaluation, e.version, e.snapshot = evaluation, published.EvaluationVersionID, published.SnapshotHash
	e.versions, e.snapshots, e.places = append(e.versions, e.version), append(e.snapshots, e.snapshot), nil
	frozen, err := authoring.LoadSnapshot(ctx, tx, e.version)
	if err != nil {
		return err
	}
	for _, section := range frozen.Sections {
		for _, item := range section.Items {
			e.places = append(e.places, place{item.ItemID, item.QuestionVersionID})
			e.question[item.ItemID] = uuid(item.QuestionVersionID)
		}
	}
	return nil
}

// questionInput makes an mcq of about 2 KB of content, times heft, with the right answer A.
func questionInput(i, heft int) authoring.QuestionInput {
	in := authoring.QuestionInput{QType: scoring.MCQ, Stem: document(fmt.Sprintf("Question %d: ", i) + words(150*heft))}
	for _, id := range []string{"A", "B", "C", "D"} {
		in.Options = append(in.Options, authoring.OptionInput{ID: id, Content: document(words(20 * heft)), IsCorrect: id == "A"})
	}
	return in
}

func words(n int) string { return strings.TrimSpace(strings.Repeat("reading ", n)) }

func document(text string) json.RawMessage {
	// A document of plain text always has a JSON form.
	raw, _ := json.Marshal(content.FromPlain("en", text))
	return raw
}

// invite makes the people and their tokens.
func (e *exam) invite(ctx context.Context, tx *db.Tx, authority *access.Authority) error {
	for i := range candidates {
		_, token, err := e.enrol(ctx, tx, authority, fmt.Sprintf("candidate-%d", i), "candidate")
		if err != nil {
			return err
		}
		e.people = append(e.people, candidate{token: token})
	}
	var err error
	_, e.analyst, err = e.enrol(ctx, tx, authority, "analyst", "analyst")
	return err
}

func (e *exam) enrol(ctx context.Context, tx *db.Tx, authority *access.Authority, name, role string) (ids.ID, string, error) {
	user, err := people.CreateUser(ctx, tx, people.UserInput{Email: name + "@bench.test", Name: name, Roles: []string{role}})
	if err != nil {
		return ids.None, "", err
	}
	token, err := authority.IssueToken(ctx, tx, user.ID, e.operator.OrgUnit)
	return user.ID, token.Token, err
}

// admit finds out the scope of each candidate, as the service sees it.
func (e *exam) admit(ctx context.Context, authority *access.Authority) error {
	for i := range e.people {
		scope, err := authority.Authenticate(ctx, e.people[i].token)
		if err != nil {
			return err
		}
		e.people[i].scope = scope
	}
	return nil
}

// person gives the candidate of a turn.
func (e *exam) person(i int) candidate { return e.people[i%len(e.people)] }

func (e *exam) user(i int) ids.ID { return e.people[i%len(e.people)].scope.Actor.ID }

// columns lists items and questions, side by side.
func (e *exam) columns() ([]ids.ID, []ids.ID) {
	var items, questions []ids.ID
	for _, p := range e.places {
		items, questions = append(items, p.item), append(questions, p.question)
	}
	return items, questions
}
