package httpapi

import (
	"bytes"
	"fmt"
	"html/template"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"assess/pkg/dev/browser"
	"assess/pkg/exam/lti"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/mail"
	"assess/pkg/people/access"
	"assess/pkg/people/people"
	reportpage "assess/pkg/report/page"
	"assess/pkg/trust/requests"
)

// plainPage is a page that is not a report, in one of its states.
type plainPage struct {
	drawn *template.Template
	state string
	of    any
}

var (
	may     = time.Date(2031, 5, 2, 9, 30, 0, 0, time.UTC)
	some    = ids.ID{0x01, 0x90, 0xb3, 0xc4, 6: 0x70, 8: 0x80, 15: 1}
	signed  = access.Named{Name: "ليلى الحسن", Tenant: "North & South College", TenantSlug: "north"}
	aSecret = strings.Repeat("dBjftJeZ4CVP-mB92K27", 8)
)

// plainPages are all plain pages, each in every state that changes its content.
func plainPages() []plainPage {
	var all []plainPage
	add := func(drawn *template.Template, states map[string]any) {
		for state, of := range states {
			all = append(all, plainPage{drawn, state, of})
		}
	}
	add(homePage, homes())
	add(problemPages, map[string]any{"signed out": problemStates("Sign in to see this page", true), "not theirs": problemStates("This page is not for you", false)})
	add(goOnPages, map[string]any{"": struct {
		To    string
		Style template.CSS
	}{"http://127.0.0.1:4711/?code=" + aSecret, plainStyle}})
	add(codePages, map[string]any{"": struct {
		Code  string
		Style template.CSS
	}{aSecret, plainStyle}})
	session := &access.Session{User: people.User{Name: "Ada"}, Token: access.Token{Token: aSecret, ExpiresAt: may}, StepUpProof: &access.Proof{ID: some}}
	add(pages, map[string]any{"the button": page{Token: aSecret, Style: plainStyle}, "loaded again": page{Style: plainStyle}, "signed in here": page{Session: session, ShowToken: true, Style: plainStyle},
		"signed in": page{Session: session, Style: plainStyle}, "used": page{Problem: "This sign-in link is unknown, expired or already used. Ask for a new one.", Again: access.Spent{To: "https://app.example.org/#again"}, Style: plainStyle},
		"used by staff": page{Problem: "This link signs in the browser that asked for it.", Again: access.Spent{To: access.Home, Tenant: "north", Email: "ada@example.org"}, Style: plainStyle}})
	add(doors, map[string]any{"a glass box": door{Code: aSecret, Browser: aSecret, Until: may, Style: plainStyle}, "a report": door{Code: aSecret, Until: may, Report: true, SharedBy: "Ada Byron", Style: plainStyle},
		"closed": door{Problem: "The link has expired; ask for a new one.", Style: plainStyle}})
	add(launchPages, map[string]any{"a window": launchPage{Title: "Final exam", Message: "The exam opens in a window of its own.", Href: "https://assess.example.org/", Button: "Open the exam", Style: plainStyle},
		"refused":   launchPage{Title: "The exam cannot be opened", Message: "Nobody has let this deployment in.", Subject: aSecret, Request: some.String(), Style: plainStyle},
		"connected": launchPage{Title: "Connected", Message: "https://lms.example.org is connected.", Closes: true, Script: closing, Style: plainStyle}})
	add(pickerPage, picks())
	add(answerPage, map[string]any{"": struct {
		lti.Picked
		Style  template.CSS
		Script template.JS
	}{lti.Picked{ReturnURL: "https://moodle.north.example/return", JWT: aSecret}, plainStyle, ""}}) // without its script, which would lead away
	add(sharePage, shares())
	add(privacyPage, privacies())
	return all
}

func problemStates(title string, signIn bool) any {
	return struct {
		Title, Message, Request string
		SignIn                  bool
		Style                   template.CSS
	}{title, "You are not signed in in this browser, or no longer.", some.String(), signIn, plainStyle}
}

func homes() map[string]any {
	mails := make([]shownMail, newestMails)
	for i := range mails {
		mails[i] = shownMail{mail.Received{Subject: "Ihre Einladung: Numbers and rivers", To: "eve@example.net", Date: may}, splitLinks(strings.Repeat("North College invites you to an exam. ", 20) + "http://127.0.0.1:8080/api/v1/auth/verify?token=" + aSecret)}
	}
	buttons := []button{{Name: "North & South", Href: "/x"}, {Name: "جامعة", Href: "/y"}}
	waits := &waiting{TerminalInput: access.TerminalInput{OrgUnit: "north", StepUp: true}, Shown: "dBjftJeZ"}
	var pages []reportpage.Link
	for _, l := range reportpage.Pages() {
		pages = append(pages, reportpage.Link{Text: l.Text, Href: prefix + l.At})
	}
	return map[string]any{
		"signed out":                   home{Style: plainStyle, Version: "1.0", App: "https://app.example.org/", Tenant: "north", Buttons: buttons, Terminal: waits},
		"without providers":            home{Style: plainStyle, Version: "1.0", Tenant: "north", Asked: true},
		"in development":               home{Style: plainStyle, Version: "1.0", Development: true, Folder: "/var/mail", Asked: true, Mails: mails},
		"signed in":                    home{Style: plainStyle, Version: "1.0", Reader: &reader{Named: signed, Pages: pages, Links: buttons}},
		"a terminal waits":             home{Style: plainStyle, Version: "1.0", Reader: &reader{Named: signed, Proven: true}, Terminal: waits},
		"a terminal waits for a proof": home{Style: plainStyle, Version: "1.0", Reader: &reader{Named: signed, StepUps: buttons}, Terminal: waits},
	}
}

func picks() map[string]any {
	one := picking{Picker: lti.Picker{Platform: "Moodle of North College", Course: "علم الأحياء", Page: 1, Pages: 1}, Action: "/x", Proof: aSecret, Style: plainStyle}
	none, many := one, one
	none.Search, none.Problem = "zoology", "Choose an exam."
	many.Multiple, many.Page, many.Pages = true, 2, 3
	for range 20 {
		many.Items = append(many.Items, lti.Pickable{ID: some, Title: "Numbers and rivers, الأعداد, with a title that is long enough for two lines on a telephone", UpdatedAt: may})
	}
	one.Items = many.Items[:2]
	return map[string]any{"one of two": one, "some of many": many, "nothing found": none}
}

func shares() map[string]any {
	made := sharing{Kind: "Evaluation summary", Name: "Numbers and rivers, الأعداد", Lines: []string{"Attempts of the run spring"}, Of: "report=evaluation_summary&evaluationVersionId=" + some.String(), Days: []int{1, 7, 30, 90},
		Proof: aSecret, Once: some.String(), Made: &madeLink{"https://assess.example.org/api/v1/reporting/links/" + some.String() + "?code=" + aSecret, may}, Style: plainStyle}
	for i := range 40 {
		made.Links = append(made.Links, shownLink{some, may.AddDate(0, 0, i), "read 3 times"})
	}
	refused := made
	refused.Made, refused.Links, refused.Box, refused.Problem = nil, nil, true, "The input is not valid."
	return map[string]any{"made": made, "refused": refused}
}

func privacies() map[string]any {
	open := privacy{Open: true, Proof: aSecret, Choices: []string{requests.Access, requests.Erasure}, Kinds: kindWords, States: stateWords, Style: plainStyle}
	open.Requests = []ownRequest{{Own: requests.Own{ID: some, Kind: requests.Access, State: requests.Verified, ReceivedAt: may, SLADueAt: may, MayWithdraw: true}, Files: []ownFile{{some.String(), "export.zip"}}},
		{Own: requests.Own{ID: some, Kind: requests.Erasure, State: requests.Decided, ReceivedAt: may, EndedAt: &may, MayContest: true}}}
	nothing := open
	nothing.Requests, nothing.Problem = nil, "You have an open request of this kind."
	return map[string]any{"the link": privacy{Token: aSecret, Forget: forget, Style: plainStyle}, "requests": open, "nothing yet": nothing,
		"signed out": privacy{Tenant: "north", Sent: true, Style: plainStyle}, "signed in": privacy{Reader: &reader{Named: signed}, Proof: aSecret, Style: plainStyle}}
}

// heaviest is the most that a page may weigh, in bytes.
const heaviest = 60 << 10

// Every page that is not a report is light, needs no script, and can be used by everybody, on a telephone and on a desk, in the light and in the dark.
func TestPlainPagesAreForEverybody(t *testing.T) {
	t.Parallel()
	all := plainPages()
	drawn := make([]string, len(all))
	for i, p := range all {
		var html bytes.Buffer
		err := p.drawn.Execute(&html, p.of)
		if err != nil {
			t.Fatal(err)
		}
		drawn[i] = html.String()
		if len(drawn[i]) > heaviest {
			t.Errorf("%s, %s: %d bytes", p.drawn.Name(), p.state, len(drawn[i]))
		}
		// The removed scripts take a secret out of the address, or tell a platform to close its frame; a browser without scripts does not need them.
		rest := strings.NewReplacer("<script>"+forget+"</script>", "", "<script>"+closing+"</script>", "").Replace(drawn[i])
		if found := outside.FindString(rest); found != "" {
			t.Errorf("%s, %s: the page has %q", p.drawn.Name(), p.state, found)
		}
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var i int
		_, err := fmt.Sscanf(r.URL.Path, "/%d", &i)
		if err != nil {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(strings.Replace(drawn[i], `<meta http-equiv="refresh"`, `<meta name="left-out"`, 1)))
	}))
	t.Cleanup(s.Close)
	b := browser.Open(t, browser.Look{})
	for i, p := range all {
		b.Visit(fmt.Sprintf("%s/%d", s.URL, i))
		b.Has("h1")
		browser.Read[bool](b, `document.querySelectorAll("details").forEach(d => { d.open = true }) ?? true`)
		t.Log(p.drawn.Name(), p.state)
		b.Usable()
	}
}

// outside matches markup that would fetch something from the network, or run something.
var outside = regexp.MustCompile(`(?i)<script|<iframe|<link rel="(stylesheet|preload)|<img|<object|<embed|@import|url\(|\s(src|on\w+|style)=`)

var namedTemplate = regexp.MustCompile(`template\.New\("([^"]+)"\)`)

// Anyone who adds a page names it in plainPages, in each of its states.
func TestEachPlainPageIsInTheTable(t *testing.T) {
	t.Parallel()
	var named []string
	for _, p := range plainPages() {
		named = append(named, p.drawn.Name())
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range namedTemplate.FindAllStringSubmatch(string(text), -1) {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			found++
			if !slices.Contains(named, m[1]) {
				t.Errorf("%s: the page %q is not in plainPages", file, m[1])
			}
		}
	}
	if found < 9 {
		t.Errorf("%d pages were found", found)
	}
}
