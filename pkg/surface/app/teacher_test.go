package app_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"assess/pkg/dev/browser"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
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

// export takes the file of a page along.
const export = `.links a[href*="/export"]`

// TestATeacherGoesFromTheMailToASharedReport signs in at /, in a browser, and goes from the list of reports to a question and an attempt,
// takes both along and shares a report, on a desk and on a telephone; signing out ends it, and the link signs in no other browser.
func TestATeacherGoesFromTheMailToASharedReport(t *testing.T) {
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
		teacher := sample.User(t, tx, capability.NamedAnalyst)
		email = teacher.Email
		name := "Ada Byron"
		_, err := people.UpdateUser(t.Context(), tx, teacher.ID, people.UserPatch{Name: &name})
		return err
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
			elsewhere.Click("button=Send me a new link")
			elsewhere.See("the mail is on its way")
			h.nextMail(t)
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
		p.See("Attempts at ")
		look("question")
		p.Click(`.links a[href*="/session-attempts"]`)
		p.See("1 attempt, the newest first.")
		look("attempts")
		p.Click("th.label a")
		p.See("In the order in which they were seen.")
		look("attempt")
		if name, lines := p.Download(export); !strings.HasSuffix(name, ".csv") || !strings.Contains(lines, "scoringExplanation") {
			t.Errorf("the attempt comes as %s: %.300s", name, lines)
		}
		p.Click(`.crumbs li:nth-child(2) a`)
		p.See("From the invitation to the end")
		if name, lines := p.Download(export); !strings.HasSuffix(name, ".csv") || strings.Count(lines, "\n") != 2 {
			t.Errorf("the summary comes as %s: %.300s", name, lines)
		}
		p.Click(`.links a[href^="/share"]`)
		p.See("It names none of the people in it.")
		look("share")
		p.DoubleClick("button=Make a link")
		p.See("Here is the link.")
		look("shared")
		if n := browser.Read[int](p, `document.querySelectorAll("form[action='/share/end']").length`); n != i+1 {
			t.Errorf("there are %d links, want %d: a double click makes one", n, i+1)
		}
		address := browser.Read[string](p, `document.querySelector("code.copy").innerText`)
		elsewhere.Visit(address)
		elsewhere.See("Ada Byron shared this report with you.")
		elsewhere.Accessible()
		elsewhere.Click("button=Open")
		elsewhere.See("From the invitation to the end")
		elsewhere.See("Ada Byron shared this report with you.")
		elsewhere.Accessible()
		elsewhere.Await(`!document.querySelector("nav, .links")`, "no way to other pages")
		p.Visit(home)
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
