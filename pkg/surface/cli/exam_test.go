package cli

import (
	"encoding/json"
	"fmt"
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

// examDesk is a desk whose tenant northwind, org unit north, has an evaluation geo-1 of an
// mcq and an mrq, taken by 60 people in two runs, and not projected yet. Three more people
// began and did not end.
func examDesk(t *testing.T) *desk {
	t.Helper()
	d := newDesk(t)
	d.must("tenant create northwind --name 'Northwind College'")
	d.must("org create north --name 'North campus' --tenant northwind")
	d.must("import questions commit testdata/import/questions.csv --create-terms --tenant northwind --org north")
	d.must("import evaluations commit testdata/import/evaluations.csv --tenant northwind --org north")
	store, err := db.Open(t.Context(), db.Options{URL: d.urls.App})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	e := exam{t: t, store: store, desk: session.NewDesk(), scope: operatorScope(t, store)}
	for person := range 63 {
		e.take(person)
	}
	return d
}

func operatorScope(t *testing.T, store *db.Store) db.Scope {
	t.Helper()
	tenant, err := store.TenantBySlug(t.Context(), "northwind")
	if err != nil {
		t.Fatal(err)
	}
	scope := db.Scope{Tenant: tenant, All: true, Actor: db.Actor{Kind: db.OperatorActor, Name: "tester"}}
	err = store.Read(t.Context(), scope, func(tx *db.Tx) error {
		unit, err := people.FindOrgUnit(t.Context(), tx, "north")
		scope.OrgUnit = unit.ID
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return scope
}

type exam struct {
	t     *testing.T
	store *db.Store
	desk  *session.Desk
	scope db.Scope
}

// take runs a whole attempt in one transaction.
func (e exam) take(person int) {
	e.t.Helper()
	ctx := e.t.Context()
	err := e.store.Write(ctx, e.scope, func(tx *db.Tx) error {
		user, err := people.CreateUser(ctx, tx, people.UserInput{Email: fmt.Sprintf("p%d@example.org", person)})
		if err != nil {
			return err
		}
		found, err := authoring.FindEvaluations(ctx, tx, []string{"geo-1"})
		if err != nil {
			return err
		}
		open, err := e.desk.Start(ctx, tx, session.StartInput{EvaluationID: found["geo-1"], UserID: &user.ID, RunLabel: runOf(person)})
		if err != nil || person >= 60 {
			return err
		}
		return e.answer(tx, open, person)
	})
	if err != nil {
		e.t.Fatal(err)
	}
}

func runOf(person int) *string {
	label := "autumn"
	if person < 30 {
		label = "spring"
	}
	return &label
}

func (e exam) answer(tx *db.Tx, open session.Session, person int) error {
	responses := []string{
		[]string{`["A"]`, `["A"]`, `["B"]`, ``, `["A"]`, `["C"]`}[person%6],
		[]string{`["A","C"]`, `["A"]`, `["A","B"]`, `["A","C"]`}[person%4],
	}
	var answers []session.Answer
	for i, item := range open.Sections[0].Items {
		if responses[i] == "" {
			continue
		}
		spent := int64(4000 + 100*person)
		answers = append(answers, session.Answer{ItemID: item.ItemID, Sequence: 1, TimeSpentMs: &spent,
			Response: json.RawMessage(`{"optionIds":` + responses[i] + `}`)})
	}
	evaluation, id := open.EvaluationID, open.ID
	_, err := e.desk.Save(e.t.Context(), tx, session.SaveInput{EvaluationID: evaluation, SessionID: id, Answers: answers})
	if err != nil {
		return err
	}
	_, err = e.desk.Submit(e.t.Context(), tx, session.SubmitInput{EvaluationID: evaluation, SessionID: id})
	return err
}

// unseen is an id that nothing has.
var unseen = ids.New()
