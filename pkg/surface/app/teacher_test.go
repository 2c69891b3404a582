package app_test

import (
	"encoding/json"
	"strconv"
	"testing"

	"assess/pkg/dev/browser"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// sitOne takes an evaluation, with the first option of the first question.
func (h *house) sitOne(t *testing.T, evaluation, user ids.ID) {
	t.Helper()
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		desk := session.NewDesk()
		s, err := desk.Start(t.Context(), tx, session.StartInput{EvaluationID: evaluation, UserID: &user})
		if err != nil {
			return err
		}
		_, err = desk.Save(t.Context(), tx, session.SaveInput{EvaluationID: evaluation, SessionID: s.ID, Answers: []session.Answer{
			{ItemID: s.Sections[0].Items[0].ItemID, Sequence: 1, Response: json.RawMessage(`{"optionIds":["A"]}`)}}})
		if err == nil {
			_, err = desk.Submit(t.Context(), tx, session.SubmitInput{EvaluationID: evaluation, SessionID: s.ID})
		}
		return err
	})
}

// TestATeacherGoesFromTheMailToTheQuestion signs in at /, in a browser, and goes from the list of reports to a question, on a
// desk and on a telephone; signing out ends it, and the link signs in no other browser.
func TestATeacherGoesFromTheMailToTheQuestion(t *testing.T) {
	t.Parallel()
	looks := []browser.Look{{Width: 1280}, {Width: 390, Dark: true}}
	pages := make([]*browser.Page, len(looks))
	for i, look := range looks {
		pages[i] = browser.Open(t, look)
	}
	elsewhere := browser.Open(t, browser.Look{})
	h := newHouse(t)
	h.start(t)
	h.sitOne(t, h.evaluation, h.users[0])
	h.reported(t, 1)
	var email string
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		email = sample.User(t, tx, capability.NamedAnalyst).Email
		return nil
	})
	home := "http://" + h.address + "/"
	for i, p := range pages {
		name := strconv.Itoa(looks[i].Width)
		look := func(view string) {
			p.Accessible()
			p.Fits()
			p.Picture("teacher-" + view + "-" + name)
		}
		p.Visit(home)
		look("start")
		p.Fill("input[name=tenant]", h.slug)
		p.Fill("input[name=email]", email)
		p.Click("button=Send a link")
		p.See("the mail is on its way")
		link := verifyLink.FindString(h.nextMail(t))
		if i == 0 {
			elsewhere.Expect("401")
			elsewhere.Visit(link)
			elsewhere.Click("button=Sign in")
			elsewhere.See("This link signs in the browser that asked for it.")
			elsewhere.Click("a.button")
			elsewhere.Has("input[name=tenant]")
			p.Visit(home)
			p.Fill("input[name=tenant]", h.slug)
			p.Fill("input[name=email]", email)
			p.Click("button=Send a link")
			p.See("the mail is on its way")
			link = verifyLink.FindString(h.nextMail(t))
		}
		p.Visit(link)
		p.Click("button=Sign in")
		p.See("You are signed in")
		look("signed-in")
		p.Click(`main a[href$="/reporting/evaluations"]`)
		p.See("Evaluations with attempts")
		look("reports")
		p.Click("th.label a")
		p.See("From the invitation to the end")
		look("summary")
		p.Click(".links a") // its questions
		p.See("How hard they are")
		look("questions")
		p.Click("th.label a")
		p.See("Week by week")
		look("question")
		p.Click(".crumbs a")
		p.See("How hard they are")
		p.Click(".end a")
		p.Click("button=Sign out")
		p.Has("input[name=tenant]")
		p.Expect("401")
		p.Visit(home + "api/v1/reporting/evaluations")
		p.See("Sign in to see this page")
		look("refused")
		p.Click("a.button")
		p.Has("input[name=tenant]")
	}
}
