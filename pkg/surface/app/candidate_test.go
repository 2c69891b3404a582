package app_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/await"
	"assess/pkg/dev/browser"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/seb"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
	"assess/pkg/people/people"
)

// client is examples/candidate on an origin of its own, and the requests that it got.
type client struct {
	url  string
	mu   sync.Mutex
	seen []string
	// enclosed is the script of a browser that tells the page which keys it has.
	enclosed string
}

// serveClient serves the page with the address of the interface written into it.
func serveClient(t *testing.T, api string) *client {
	t.Helper()
	c := &client{}
	folder := filepath.Join("..", "..", "..", "examples", "candidate")
	files := http.FileServer(http.Dir(folder))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		c.seen = append(c.seen, r.URL.String()+" "+r.Referer())
		enclosed := c.enclosed
		c.mu.Unlock()
		if r.URL.Path == "/enclosed.js" {
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = w.Write([]byte(enclosed))
			return
		}
		if r.URL.Path != "/" {
			files.ServeHTTP(w, r)
			return
		}
		page, err := os.ReadFile(filepath.Join(folder, "index.html"))
		if err != nil {
			t.Error(err)
		}
		text := strings.Replace(string(page), "http://127.0.0.1:8080/api/v1", api, 1)
		if enclosed != "" {
			text = strings.Replace(text, "<script", `<script src="enclosed.js"></script><script`, 1)
		}
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(s.Close)
	c.url = s.URL + "/"
	return c
}

// startWithClient runs the service with the page as its application.
func (h *house) startWithClient(t *testing.T) (*daemon, *client) {
	t.Helper()
	c := serveClient(t, "http://"+h.address+"/api/v1")
	d := h.run(t, "ASSESS_DATABASE_URL="+h.pg.AppURL(database), "ASSESS_AUTH_APP_URL="+c.url,
		"ASSESS_HTTP_CORS_ORIGINS="+strings.TrimSuffix(c.url, "/"), "ASSESS_LOG_LEVEL=debug")
	return d, c
}

// setExam publishes an exam with a question of each type.
func (h *house) setExam(t *testing.T, changes ...func(*authoring.Settings)) ids.ID {
	t.Helper()
	nine := 9.81
	rich := json.RawMessage(`{"defaultLocale":"en","locales":{"en":{"schemaVersion":"passage-rich-content/v1","type":"doc","blocks":[
		{"type":"paragraph","children":[{"text":"Which one is "},{"text":"not","marks":[{"type":"bold"}]},{"text":" <b>prime</b>?"}]},
		{"type":"list","items":[{"children":[{"text":"One of them is even."}]}]},
		{"type":"table","caption":"Divisors","headerRows":1,"rows":[{"cells":[{"children":[{"text":"Number"}]}]},{"cells":[{"children":[{"text":"4"}]}]}]}]}}}`)
	option := func(id, text string, right bool) authoring.OptionInput {
		return authoring.OptionInput{ID: id, Content: sample.Content(text, text), IsCorrect: right}
	}
	var evaluation ids.ID
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		var questions []ids.ID
		primes := sample.Term(t, tx, "topic", "primes")
		for _, in := range []authoring.QuestionInput{
			{QType: scoring.MCQ, Stem: rich, TaxonomyTermIDs: []ids.ID{primes}, Explanation: sample.Content("Two times two is four.", "Zwei mal zwei ist vier."), Options: []authoring.OptionInput{option("A", "Four", true), option("B", "Five", false)}},
			{QType: scoring.MRQ, Stem: sample.Content("Which ones are even?", "Welche sind gerade?"),
				Options: []authoring.OptionInput{option("A", "Two", true), option("B", "Three", false), option("C", "Four", true)}},
			{QType: scoring.Numeric, Stem: sample.Content("How fast does a body fall?", "Wie schnell?"), Scoring: &authoring.QuestionScoring{Value: &nine, Tolerance: 0.01}},
			{QType: scoring.ShortText, Stem: sample.Content("Which river flows through Basel?", "Welcher Fluss?"),
				Scoring: &authoring.QuestionScoring{AcceptedAnswers: []string{"Rhine"}}},
			{QType: scoring.Essay, Stem: sample.Content("Why do rivers bend?", "Warum?"), Scoring: &authoring.QuestionScoring{}},
			{QType: scoring.Order, Stem: sample.Content("Put them in order, the smallest first.", "Der Größe nach."), Scoring: &authoring.QuestionScoring{Order: []string{"B", "C", "A"}},
				Options: []authoring.OptionInput{option("A", "Ten", false), option("B", "Two", false), option("C", "Six", false)}},
			{QType: scoring.Match, Stem: sample.Content("Which city is the capital?", "Welche Stadt ist die Hauptstadt?"), Scoring: &authoring.QuestionScoring{Pairs: []scoring.Pair{{"p1", "A"}, {"p2", "B"}}, MaxPerOption: 1},
				Options: []authoring.OptionInput{option("A", "Rome", false), option("B", "Paris", false)},
				Prompts: []authoring.PromptInput{{Content: sample.Content("Italy", "Italien")}, {Content: sample.Content("France", "Frankreich")}}},
			{QType: scoring.Gap, Stem: sample.Gapped("g1", "g2", "g3", "g4"), Pool: []authoring.PromptInput{{Content: sample.Content("Sun", "Sonne")}, {Content: sample.Content("Moon", "Mond")}},
				Gaps: []authoring.GapInput{{Kind: scoring.GapText, AcceptedAnswers: []string{"Rhine"}}, {Kind: scoring.GapNumber, Value: &nine, Tolerance: 0.01},
					{Kind: scoring.GapPool, CorrectOptionIDs: []string{"A"}}, {Kind: scoring.GapPool, CorrectOptionIDs: []string{"B"}}}},
		} {
			q, err := authoring.CreateQuestion(t.Context(), tx, in)
			if err == nil {
				_, err = authoring.PublishQuestion(t.Context(), tx, q.ID)
			}
			if err != nil {
				return err
			}
			questions = append(questions, q.ID)
		}
		in, limit, mark := sample.EvaluationInput(questions...), 1800, 50.0
		in.Title, in.Settings.TimeLimitSeconds, in.Settings.PassMarkPercent = "Numbers and rivers", &limit, &mark
		in.Settings.FeedbackMode, in.Settings.FeedbackPolicy.ShowCorrect = "items", true
		for _, change := range changes {
			change(&in.Settings)
		}
		e, err := authoring.CreateEvaluation(t.Context(), tx, in)
		if err == nil {
			_, err = authoring.PublishEvaluation(t.Context(), tx, e.ID)
		}
		evaluation = e.ID
		return err
	})
	return evaluation
}

// inviteTo hands the exam out by mail and gives the link in it.
func (h *house) inviteTo(t *testing.T, evaluation ids.ID, email string) string {
	t.Helper()
	status, err := h.try(http.MethodPost, "/assignments", ids.New().String(),
		map[string]any{"evaluationId": evaluation, "target_type": "email", "target_ref": email, "invite": true}, nil)
	if err != nil || status != http.StatusCreated {
		t.Fatalf("invite: %d, %v", status, err)
	}
	return verifyLink.FindString(h.nextMail(t))
}

// TestACandidateGetsFromTheMailToTheSubmittedExam drives examples/candidate in a real browser, on a desk
// and on a telephone: reloading in the middle and clicking twice lose nothing and do nothing twice, and
// no secret stays in an address, a log or a referrer.
func TestACandidateGetsFromTheMailToTheSubmittedExam(t *testing.T) {
	t.Parallel()
	looks := []browser.Look{{Width: 1280}, {Width: 390, Dark: true}}
	pages := make([]*browser.Page, len(looks))
	for i, look := range looks {
		pages[i] = browser.Open(t, look) // skips the test where there is none, before anything is built
	}
	h := newHouse(t)
	d, c := h.startWithClient(t)
	evaluation := h.setExam(t)
	var secrets []string
	for i, look := range looks {
		email := "eve" + strconv.Itoa(look.Width) + "@example.net"
		link := h.inviteTo(t, evaluation, email)
		s := sitting{pages[i], strconv.Itoa(look.Width), look.Width == 1280}
		secrets = append(secrets, strings.SplitAfter(link, "token=")[1])
		secrets = append(secrets, s.fromMailToStart(t, link, c)...)
		s.answer()
		s.submit()
		h.checkSubmission(t, evaluation, email)
		s.replay(c, secrets)
		checkNoSecrets(t, "what the browser keeps", secrets, pages[i].History())
		for _, r := range pages[i].Requests() {
			checkNoSecrets(t, "a referrer", secrets, []string{r.Referrer})
		}
	}
	c.mu.Lock()
	checkNoSecrets(t, "what the page's server was asked for", secrets, c.seen)
	c.mu.Unlock()
	d.terminate(t)
	checkNoSecrets(t, "the log", secrets, []string{d.log.String()})
}

// sitting is one candidate at a page.
type sitting struct {
	*browser.Page
	name string
	// keys takes the exam only with the keyboard.
	keys bool
}

// use clicks, or goes there and presses a key.
func (s sitting) use(selector, key string) {
	if s.keys {
		s.Press(selector, key)
		return
	}
	s.Click(selector)
}

// look checks every view; for one of the two sittings it checks them in all ways.
func (s sitting) look(view string) {
	if s.keys {
		look(s.Page, view)
	}
	s.Accessible()
	s.Fits()
	s.Picture("candidate-" + view + "-" + s.name)
}

// views are the views of the candidate's page, each with its title as the scripts have it: a regular expression where it has values.
var views = map[string]string{
	"sign-in":   "Sign in",
	"mail":      "Look into your mail",
	"exams":     "Hello .*",
	"choice":    questionTitle,
	"several":   questionTitle,
	"number":    questionTitle,
	"text":      questionTitle,
	"essay":     questionTitle,
	"order":     questionTitle,
	"match":     questionTitle,
	"gaps":      questionTitle,
	"offline":   questionTitle,
	"elsewhere": "This exam is open in another window",
	"end":       "Before you submit",
	"submitted": "Your answers are submitted",
	"refused":   "Sign in",
	"over":      "Time is over",
	"closed":    "This exam was closed",
}

const questionTitle = `Question \d+ of \d+`

// look holds that a view can be used by everybody, on a telephone and on a desk, in the light and in the dark.
func look(p *browser.Page, view string) {
	p.Await(`/^`+views[view]+`$/.test(document.querySelector("h1").innerText)`, "the view "+view)
	p.Usable()
}

var (
	viewTitle = regexp.MustCompile(`\bshow\(([^"]*?\? )?t\("([^"]*)"(?:\) : t\("([^"]*)")?`)
	value     = regexp.MustCompile(`\{\w+\}`)
	lookedAt  = regexp.MustCompile(`look\((?:\w+, )?"([\w-]+)"\)`)
)

// A new view of the page must be in the table and be looked at.
func TestEachViewOfTheCandidatesPageIsLookedAt(t *testing.T) {
	t.Parallel()
	scripts, err := filepath.Glob(filepath.Join("..", "..", "..", "examples", "candidate", "*.js"))
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, file := range scripts {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range viewTitle.FindAllStringSubmatch(string(text), -1) {
			for _, title := range m[2:] {
				if title == "" {
					continue
				}
				shown++
				spoken := value.ReplaceAllString(title, "7")
				if !slices.ContainsFunc(slices.Collect(maps.Values(views)), func(known string) bool { return regexp.MustCompile("^" + known + "$").MatchString(spoken) }) {
					t.Errorf("%s shows %q, which is not in views", file, title)
				}
			}
		}
		if n := strings.Count(string(text), "show("); n != len(viewTitle.FindAllString(string(text), -1)) && filepath.Base(file) != "page.js" {
			t.Errorf("%s: not all of its %d views were found", file, n)
		}
	}
	source, err := os.ReadFile("candidate_test.go")
	if err != nil || shown < 9 {
		t.Fatalf("%d views, %v", shown, err)
	}
	var looked []string
	for _, m := range lookedAt.FindAllStringSubmatch(string(source), -1) {
		looked = append(looked, m[1])
	}
	for view := range views {
		if !slices.Contains(looked, view) {
			t.Errorf("no test looks at the view %s", view)
		}
	}
}

// fromMailToStart follows the link and begins the exam; it gives the secrets that came by.
func (s sitting) fromMailToStart(t *testing.T, link string, c *client) []string {
	t.Helper()
	s.Visit(link)
	s.Usable()
	s.Click("button=Sign in")
	s.See("Numbers and rivers")
	s.look("exams")
	token, address := browser.Read[string](s.Page, "sessionStorage.token"), browser.Read[string](s.Page, "location.href")
	if address != c.url {
		t.Errorf("the address is %s", address)
	}
	secrets := []string{token}
	for _, r := range s.Requests() {
		var trade struct{ Code string }
		if strings.HasSuffix(r.URL, "/auth/token") && json.Unmarshal([]byte(r.Body), &trade) == nil && trade.Code != "" {
			secrets = append(secrets, trade.Code)
		}
	}
	if len(secrets) != 2 {
		t.Fatalf("there came %d secrets by", len(secrets))
	}
	s.DoubleClick("button=Start")
	s.See("Question 1 of 8")
	s.Await(`document.activeElement.matches("h1") && document.title === "Question 1 of 8 – Numbers and rivers"`, "the focus on the question, and its title")
	s.ClickAgain("input[value=A]")
	s.Await(`document.activeElement.matches("h1") && !document.querySelector("input:checked")`, "a late second click that does nothing")
	s.Has("header [lang=en][dir=ltr]")
	s.Has("legend [lang=en][dir=ltr]")
	s.Has("fieldset[dir=ltr] .option [lang=en]")
	s.Await(`/^(30 min|29 min \d+ s) left$/.test(document.querySelector("[role=timer]").innerText)`, "a clock")
	s.Await(`(window.spokenOf ?? import("./content.js").then(m => { window.spokenOf = m.spoken }), window.spokenOf?.("ar-EG").dir === "rtl" &&
		spokenOf("he").dir === "rtl" && spokenOf("az-Arab").dir === "rtl" && spokenOf("az").dir === "ltr" && spokenOf("uk").lang === "uk")`,
		"languages that are written from the right are not shown so")
	s.Await(`(window.shownOf ?? import("./question.js").then(m => { window.shownOf = m }), window.shownOf?.control({ qtype: "unheard_of" }, null, {})[0].innerText.includes("cannot show") &&
		shownOf.reading({ qtype: "unheard_of" }, {})[0].innerText.includes("cannot show"))`, "a type that the page does not know")
	s.Await(`(window.formulaOf ?? import("./math.js").then(m => { window.formulaOf = m.formula }),
		window.formulaOf?.("\\frac{a}{b} \\le x^{2}").outerHTML.includes("<mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow></mfrac><mo>≤</mo><msup><mi>x</mi><mrow><mn>2</mn></mrow></msup>") &&
		formulaOf("x^2").getAttribute("alttext") === "x^2" && ["\\unheardof", "x^", "{x", "\\frac{a}", "x^2^3", "{".repeat(100000)].every(tex => formulaOf(tex) === null))`,
		"a formula that is drawn, and TeX that is not known")
	s.Await(onPicture, "areas of a picture that are a list with a click on the picture")
	s.look("choice")
	return secrets
}

// onPicture asks a question with areas: its options are a list, and a click on an area is a click on its line.
const onPicture = `(() => {
	let said
	const option = (id, area) => ({ id, content: { blocks: [] }, area })
	const item = { qtype: "mrq", stem: { blocks: [{ type: "image", assetId: "x", alt: "A map" }] }, options: [option("A", { shape: "rect", coords: [0, 0, 500, 500] }), option("B", { shape: "circle", coords: [700, 700, 100] })] }
	const field = document.createElement("fieldset")
	field.append(...shownOf.control(item, { optionIds: ["B"] }, { answer: response => { said = response }, image: () => new Promise(() => {}) }))
	document.body.append(field)
	field.querySelector("rect").dispatchEvent(new MouseEvent("click", { bubbles: true }))
	const fine = said.optionIds.join() === "A,B" && field.querySelectorAll(".part.chosen").length === 2 && field.querySelectorAll("label input").length === 2 &&
		field.querySelector("img").alt === "A map" && shownOf.asking(item, () => new Promise(() => {})).length === 0
	field.remove()
	return fine
})()`

// answer answers everything, with a reload before the first answer has a receipt, and another after.
func (s sitting) answer() {
	s.use("input[value=A]", " ")
	s.Reload()
	s.Has("input[value=A]:checked")
	s.See("Everything is saved.")
	s.use("button=Next", "\r")
	s.See("Question 2 of 8")
	s.use("input[value=A]", " ")
	s.use("input[value=C]", " ")
	s.See("Everything is saved.")
	s.Reload()
	s.Has("input[value=C]:checked")
	s.look("several")
	s.use("button=Next", "\r")
	const number = "input[inputmode=decimal]"
	s.Fill(number, "fast")
	s.See("This is no number. You have no answer yet.")
	s.Await(`!document.body.innerText.includes("Everything is saved")`, "no word of what is saved")
	s.look("number")
	s.Fill(number, "9,81")
	s.See("Everything is saved.")
	s.Reload()
	s.Fill(number, "1,500") // one and a half, or a thousand and a half
	s.See("This is no number. Your answer is still 9.81.")
	s.use("button=Next", "\r")
	s.See("Not saved: question 3.")
	s.Has("input[type=text][lang=en][dir=auto]")
	s.Fill("input[type=text]", "rhine")
	s.look("text")
	s.use("button=Come back to this", " ")
	s.use("button=Next", "\r")
	s.Fill("textarea[dir=auto]", "Because water takes its time.")
	s.look("essay")
	s.use("button=Next", "\r")
	s.order()
	s.use("button=Next", "\r")
	s.match()
	s.use("button=Next", "\r")
	s.gaps()
	s.use("button=To the end", "\r")
	s.See("You have answered every question.")
	s.See("What you typed in question 3 is no number")
	s.See("You wanted to come back to question 4.")
	s.look("end")
	s.use(`nav button[aria-label="Question 3: answered"]`, "\r")
	s.Await("document.querySelector('"+number+"').value === '9.81'", "the number that counts")
	s.Fill(number, "9.81")
	s.See("Everything is saved.")
	s.use(`nav button[aria-label="Question 6: answered"]`, "\r")
	s.Reload()
	s.Await(ordered, "the order that was saved")
	s.use("button=Next", "\r")
	s.Await(matched, "the pairs that were saved")
	s.use("button=Next", "\r")
	s.Await(filled, "the gaps that were saved")
	s.use("button=To the end", "\r")
}

// order puts options in their order, from any order in which they came; the focus stays where it was.
func (s sitting) order() {
	s.See("You have no answer yet: move an option, or keep this order.")
	for _, way := range []string{"Up: Two", "Up: Two", "Down: Ten", "Down: Ten"} {
		s.use(`button[aria-label="`+way+`"]`, " ")
	}
	if s.keys {
		s.Await(`document.activeElement.ariaLabel === "Down: Ten"`, "the focus on the button that was pressed")
	}
	s.use("button.keep", " ")
	s.See("This is your order")
	s.Await(ordered, "the order")
	s.look("order")
}

// ordered is true when the options are in their right order.
const ordered = `[...document.querySelectorAll("ol.ordering > li")].map(l => l.dataset.id).join("") === "BCA"`

// match chooses an option for each prompt by typing its first letter; one that is used up cannot be chosen again.
func (s sitting) match() {
	s.Press("label.prompt:nth-of-type(1) select", "R")
	s.Await(`document.querySelector("label.prompt:nth-of-type(2) option[value=A]").disabled`, "an option that goes with one prompt alone")
	s.Press("label.prompt:nth-of-type(2) select", "P")
	s.Await(matched, "the pairs")
	s.look("match")
}

// matched says that each prompt has its option.
const matched = `[...document.querySelectorAll("label.prompt select")].map(s => s.value).join("") === "AB"`

// gaps fills the gaps of a text. A gap that is not a number does not keep the others from being saved, and an option of the pool goes into one gap.
func (s sitting) gaps() {
	s.See("Fill the gaps.")
	s.Has(`input[aria-label="Gap 1 of 4: Fill and"]`)
	s.Fill(`input[aria-label^="Gap 2 of 4"]`, "fast")
	s.See("This is no number.")
	s.Fill(`input[aria-label^="Gap 1 of 4"]`, "rhine")
	s.See("Not saved: question 3, question 8.")
	s.Fill(`input[aria-label^="Gap 2 of 4"]`, "9,81")
	s.Press(`select[aria-label^="Gap 3 of 4"]`, "S")
	s.Await(`document.querySelector("select[aria-label^='Gap 4 of 4'] option[value=A]").disabled`, "an option that goes into one gap alone")
	s.Press(`select[aria-label^="Gap 4 of 4"]`, "M")
	s.See("Not saved: question 3.")
	s.Await(filled, "what is in the gaps")
	s.look("gaps")
}

// filled is true when each gap has its answer.
const filled = `[...document.querySelectorAll(".gap > *")].map(f => f.value.replace(",", ".")).join() === "rhine,9.81,A,B"`

// answered is what the result says of each question: one's own answer, and what is right.
var answered = [][]string{
	{"You answered Four 1 of 1 points Right is Four"},
	{"You answered Two Four 1 of 1 points Right is Two Four"},
	{"You answered 9.81 1 of 1 points Right is 9.81"},
	{"You answered rhine 1 of 1 points Right is Rhine"},
	{"You answered Because water takes its time. A person scores this answer."},
	{"You answered Two Six Ten 1 of 1 points Right is Two Six Ten"},
	{"You answered Italy Rome France Paris 1 of 1 points Right is Italy Rome France Paris"},
	{"You answered Fill and rhine and 9.81 and Sun and Moon 1 of 1 points Right is Fill and Rhine and 9.81 and Sun and Moon"},
}

func (s sitting) submit() {
	s.DoubleClick("button=Submit my answers")
	s.See("Your answers are submitted")
	s.See("A person has still to score one of your answers.")
	s.See("Because water takes its time.")
	for n, words := range answered {
		for _, one := range words {
			s.Await(`document.querySelectorAll("ol.answers > li")[`+strconv.Itoa(n)+`].innerText.replace(/\s+/g, " ").includes(`+strconv.Quote(one)+`)`, one+" in the result of question "+strconv.Itoa(n+1))
		}
	}
	s.look("submitted")
	s.Expect("409 (Conflict)") // what was submitted is not resumed
	s.Reload()
	s.See("Your answers are submitted")
	s.Click("button=My exams")
	s.See("Numbers and rivers")
}

// replay tries the used secrets again.
func (s sitting) replay(c *client, secrets []string) {
	s.Expect("401")
	s.Visit(c.url + "?again#code=" + secrets[len(secrets)-1])
	s.See("That link was used, or its time is over.")
	s.look("refused")
	s.Visit(c.url + "#code=" + secrets[len(secrets)-1] + "&state=forged")
	s.See("asked for in another browser")
}

// checkSubmission holds that there is one submission of everything, however often it was clicked.
func (h *house) checkSubmission(t *testing.T, evaluation ids.ID, email string) {
	t.Helper()
	var sessions, submissions, answers int
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		user, err := people.UserByEmail(t.Context(), tx, email)
		if err != nil {
			return err
		}
		return tx.QueryRow(t.Context(), `select
			(select count(*) from sessions where tenant_id = $1 and evaluation_id = $2 and user_id = $3),
			(select count(*) from submissions where tenant_id = $1 and evaluation_id = $2 and user_id = $3),
			(select count(*) from session_answers a join sessions s on s.tenant_id = a.tenant_id and s.id = a.session_id
				where a.tenant_id = $1 and s.evaluation_id = $2 and s.user_id = $3)`,
			tx.Tenant(), evaluation, user.ID).Scan(&sessions, &submissions, &answers)
	})
	if sessions != 1 || submissions != 1 || answers != 8 {
		t.Errorf("%d sessions, %d submissions, %d answers; want 1, 1 and 8", sessions, submissions, answers)
	}
}

func checkNoSecrets(t *testing.T, where string, secrets, texts []string) {
	t.Helper()
	for _, text := range texts {
		if slices.ContainsFunc(secrets, func(s string) bool { return strings.Contains(text, s) }) {
			t.Errorf("%s has a secret in it: %.300s", where, text)
		}
	}
}

// TestACandidateSignsInByMail requests a link in the page itself. The link works in the browser that
// requested it; a page on another origin gets nothing.
func TestACandidateSignsInByMail(t *testing.T) {
	t.Parallel()
	p, elsewhere := browser.Open(t, browser.Look{Width: 390}), browser.Open(t, browser.Look{})
	h := newHouse(t)
	_, c := h.startWithClient(t)
	p.Visit(c.url)
	p.See("We send you a link by mail.")
	look(p, "sign-in")
	p.Picture("candidate-sign-in-390")
	p.Fill("input[name=tenant]", h.slug)
	p.Fill("input[name=email]", h.email)
	p.Click("button=Send me a link")
	p.See("Look into your mail")
	look(p, "mail")
	link := verifyLink.FindString(h.nextMail(t))
	elsewhere.Visit(link) // a browser that did not ask
	elsewhere.Click("button=Sign in")
	elsewhere.See("asked for in another browser")

	p.Visit(c.url)
	p.Fill("input[name=email]", h.email)
	browser.Read[bool](p, `(() => { const real = fetch; let full = true; window.fetch = (...call) => full ?
		(full = false, Promise.resolve(new Response("{}", { status: 429, headers: { "Retry-After": "1" } }))) : real(...call); return true })()`)
	p.Click("button=Send me a link")
	p.See("Look into your mail") // it waited and went on by itself
	link = verifyLink.FindString(h.nextMail(t))
	p.Visit(link)
	p.Reload() // the address has no token any more
	p.See("Open the link again")
	p.Visit(link)
	p.Click("button=Sign in")
	p.See("Nothing is assigned to you.")
	again := p.Tab()
	again.Expect("401")
	again.Visit(link)
	again.Click("button=Sign in")
	again.See("This did not work")
	again.Accessible()
	again.Click("a.button")
	again.See("That link was used")
	again.Await(`document.querySelector("[name=tenant]").value === "`+h.slug+`" && document.querySelector("[name=email]").value === "`+h.email+`"`, "the organisation and the address")
	token := browser.Read[string](p, "sessionStorage.token")
	if status := h.holds(t, token); status != http.StatusOK {
		t.Fatalf("signed in: %d", status)
	}
	p.Click("button=Sign out")
	p.See("You are signed out.")
	await.Until(t, "the end of the token", func() bool { return h.holds(t, token) == http.StatusUnauthorized })

	foreign := serveClient(t, "http://"+h.address+"/api/v1")
	p.Expect("blocked by CORS policy")
	p.Expect("net::ERR_FAILED")
	p.Visit(foreign.url)
	p.Fill("input[name=tenant]", h.slug)
	p.Fill("input[name=email]", h.email)
	p.Click("button=Send me a link")
	p.See("The service does not answer.")
}

// holds gives the status of a call with a token.
func (h *house) holds(t *testing.T, token string) int {
	t.Helper()
	status, err := h.try(http.MethodGet, "/users/me", "", nil, nil, "Authorization", "Bearer "+token)
	if err != nil {
		t.Fatal(err)
	}
	return status
}

// TestACandidateLosesNothing sits an exam in two tabs, without a network, and past its end: each says what happened to the
// answers, and how to go on.
func TestACandidateLosesNothing(t *testing.T) {
	t.Parallel()
	p := browser.Open(t, browser.Look{})
	h := newHouse(t)
	_, c := h.startWithClient(t)
	evaluation := h.setExam(t)
	p.Visit(h.inviteTo(t, evaluation, "eve@example.net"))
	p.Click("button=Sign in")
	p.Click("button=Start")
	p.Click("input[value=A]")
	p.See("Everything is saved.")

	second := p.Tab()
	second.Visit(c.url)
	second.Click("button=Go on") // signed in, as the first tab is
	second.Has("input[value=A]:checked")
	look(p, "elsewhere")
	p.Click("button=Go on here")
	second.See("This exam is open in another window")

	p.Click("button=Next")
	p.Expect("net::ERR_INTERNET_DISCONNECTED")
	p.Offline(true)
	p.Click("input[value=C]")
	p.See("Not sent yet: question 2. It is kept on this device.")
	p.See("There is no connection.")
	look(p, "offline")
	p.Offline(false)
	p.See("Everything is saved.")

	h.endIn(t, evaluation, "5 minutes 2 seconds")
	p.Reload()
	p.See("5 min left.")
	h.endIn(t, evaluation, "4 seconds")
	p.Reload()
	p.Has("input[value=C]:checked")
	p.Offline(true) // a change made now comes too late
	p.Click("input[value=B]")
	p.Await(`document.querySelector("fieldset").disabled`, "the end of the time")
	p.Await(`!document.body.innerText.includes("Everything is saved")`, "no word of what is saved")
	await.Until(t, "the end by the server's clock", func() bool {
		var over bool
		sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), "select bool_and(deadline_at < clock_timestamp()) from sessions where tenant_id = $1 and evaluation_id = $2",
				tx.Tenant(), evaluation).Scan(&over)
		})
		return over
	})
	p.Expect("409 (Conflict)")
	p.Offline(false)
	p.See("Time is over")
	p.See("This counted: 2 of 8 questions with an answer.")
	p.See("Your last change came too late and does not count: question 2.")
	look(p, "over")
}

// TestACandidateIsToldThatTheExamWasClosed closes the session as a proctor does, while somebody is at it.
func TestACandidateIsToldThatTheExamWasClosed(t *testing.T) {
	t.Parallel()
	p := browser.Open(t, browser.Look{})
	h := newHouse(t)
	h.startWithClient(t)
	evaluation := h.setExam(t)
	p.Visit(h.inviteTo(t, evaluation, "eve@example.net"))
	p.Click("button=Sign in")
	p.Click("button=Start")
	p.See("Question 1 of 8")
	h.closeSessions(t, evaluation)
	p.Expect("409 (Conflict)")
	p.Click("input[value=A]")
	p.See("Whoever watches over the exam has closed it")
	look(p, "closed")
	p.Click("button=My exams")
	p.See("Numbers and rivers")
}

// closeSessions closes the sessions of an evaluation without a submission.
func (h *house) closeSessions(t *testing.T, evaluation ids.ID) {
	t.Helper()
	list := struct{ Items []struct{ ID ids.ID } }{}
	status, err := h.try(http.MethodGet, "/evaluations/"+evaluation.String()+"/sessions", "", nil, &list)
	if err != nil || status != http.StatusOK || len(list.Items) == 0 {
		t.Fatalf("list the sessions: %d, %v", status, err)
	}
	for _, s := range list.Items {
		status, err = h.try(http.MethodPost, "/evaluations/"+evaluation.String()+"/sessions/"+s.ID.String()+"/close", ids.New().String(), map[string]any{"reason": "fire alarm"}, nil)
		if err != nil || status != http.StatusOK {
			t.Fatalf("close a session: %d, %v", status, err)
		}
	}
}

// TestACandidateTakesAnExamInSafeExamBrowser is offered the file in any other browser, and takes the exam where the browser has the
// keys of that file: new versions give them at once, and old ones when the page calls for them.
func TestACandidateTakesAnExamInSafeExamBrowser(t *testing.T) {
	t.Parallel()
	p := browser.Open(t, browser.Look{})
	h := newHouse(t)
	_, c := h.startWithClient(t)
	evaluation := h.setExam(t, func(s *authoring.Settings) { s.Lockdown.SEBFile = true })
	p.Visit(h.inviteTo(t, evaluation, "eve@example.net"))
	p.Click("button=Sign in")
	p.See("Numbers and rivers")
	p.Await(`![...document.querySelectorAll("button")].some(b => b.innerText === "Start")`, "no way to start here")
	p.Click("button=Open in Safe Exam Browser")
	p.See("Open the file exam.seb.")
	p.Accessible()
	var file string
	for _, r := range p.Requests() {
		if strings.HasSuffix(r.URL, "/seb") {
			file = r.URL
		}
	}
	assigned, err := ids.Parse("", strings.TrimSuffix(file[strings.LastIndex(strings.TrimSuffix(file, "/seb"), "/")+1:], "/seb"))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	hash := seb.Hash(c.url, seb.Exam(c.url, assigned).ConfigKey())
	enclose := func(script string) {
		c.mu.Lock()
		c.enclosed = script
		c.mu.Unlock()
		p.Visit("about:blank") // so that the page is loaded anew
		p.Visit(c.url + "#assignment=" + assigned.String())
	}
	enclose(`SafeExamBrowser = { security: { configKey: "` + seb.Hash(c.url, "another") + `", browserExamKey: "", updateKeys: told => told() } }`)
	p.Expect("403 (Forbidden)")
	p.Click("button=Start")
	p.See("The settings of Safe Exam Browser are not those of the exam")
	enclose(`SafeExamBrowser = { security: { configKey: "` + hash + `", browserExamKey: "", updateKeys: told => told() } }`)
	p.Click("button=Start")
	p.Click("input[value=A]")
	p.See("Everything is saved.")
	enclose(`SafeExamBrowser = { security: { updateKeys(told) { setTimeout(() => { this.configKey = "` + hash + `"; told() }) } } }`)
	p.Has("input[value=A]:checked")
	p.Click("nav li:last-child button")
	p.Click("button=To the end")
	p.Click("button=Submit my answers")
	p.See("Your answers are submitted")
	p.Expect("409 (Conflict)") // any other browser shows the page there, which goes on with what was submitted
	p.Click("button=Close Safe Exam Browser")
	p.Await(`location.search === "?quit=seb"`, "the address that the browser ends at")
	p.See("Your answers are submitted")
}

// TestTheCandidatesPageSpeaksTheLanguageOfTheExam lists in the language of the browser, and takes an exam in the language of its
// content; an answer that a person reads goes on in it.
func TestTheCandidatesPageSpeaksTheLanguageOfTheExam(t *testing.T) {
	t.Parallel()
	p := browser.Open(t, browser.Look{Width: 390})
	h := newHouse(t)
	_, c := h.startWithClient(t)
	evaluation := h.setExam(t)
	c.enclosed = `Object.defineProperty(navigator, "language", { value: "de" })` // of the content, and not of the page
	p.Visit(h.inviteTo(t, evaluation, "eve@example.net"))
	p.Click("button=Sign in")
	p.See("Hello")
	p.Click("button=Start")
	p.See("Frage 1 von ")
	p.Await(`document.documentElement.lang === "de" && document.documentElement.dir === "ltr"`, "the language of the page")
	p.Await(`/^Noch (30 Min\.|29 Min\. \d+ Sek\.)$/.test(document.querySelector("[role=timer]").innerText)`, "a clock in German")
	p.Click("input[value=A]")
	p.See("Alles ist gespeichert.")
	p.Accessible()
	p.Fits()
	p.Picture("candidate-german-390")
	p.Click("nav li:last-child button")
	p.Click("button=Zum Ende")
	p.See("Fragen haben keine Antwort")
	p.Click("button=Meine Antworten abgeben")
	p.See("Ihre Antworten sind abgegeben")
	p.Expect("404")
	refused := `import("./server.js").then(m => m.call("GET", "/submissions/` + ids.New().String() + `")).catch(problem => problem.message)`
	if said := browser.Read[string](p, refused); said != "Das gibt es nicht mehr, oder es ist nicht für Sie. Fragen Sie die, die Sie eingeladen haben." {
		t.Errorf("a refusal in German: %s", said)
	}
	if said := browser.Read[string](p, `import("./refused.js").then(m => m.wordsFor({ code: "unheard_of", message: "As the service says it." }))`); said != "As the service says it." {
		t.Errorf("a code that the page does not know: %s", said)
	}
	if !browser.Read[bool](p, `import("./words.js").then(async m => { await m.speak("ar-EG"); const arabic = document.documentElement.dir === "rtl"; await m.speak("zh"); return arabic &&
		document.documentElement.lang === "en" && m.t("Question {n}", { n: 3 }) === "Question 3" })`) {
		t.Error("words from the right, and English where there are no others")
	}
	p.Click("button=Meine Prüfungen")
	p.See("Hello")
}

// endIn sets the end of the sessions of an evaluation.
func (h *house) endIn(t *testing.T, evaluation ids.ID, in string) {
	t.Helper()
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "update sessions set deadline_at = clock_timestamp() + $3::interval where tenant_id = $1 and evaluation_id = $2",
			tx.Tenant(), evaluation, in)
		return err
	})
}

// nextMail waits for a mail, takes it out of the folder and gives its text.
func (h *house) nextMail(t *testing.T) string {
	t.Helper()
	var mails []string
	await.Until(t, "a mail", func() bool {
		var err error
		mails, err = filepath.Glob(filepath.Join(h.mails, "*.eml"))
		if err != nil {
			t.Fatal(err)
		}
		return len(mails) > 0
	})
	text, err := os.ReadFile(mails[0])
	if err != nil {
		t.Fatal(err)
	}
	err = os.Remove(mails[0])
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer("=\r\n", "", "=3D", "=").Replace(string(text))
}
