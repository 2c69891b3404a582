package app_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"assess/pkg/dev/apptest"
	"assess/pkg/dev/await"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
	"assess/pkg/people/people"
)

// desk is a place where somebody runs assessctl: with a folder of their own for its files.
type desk struct {
	*testing.T
	h      *house
	folder string
	org    string
	// proof is the step-up proof that the person's browser keeps; none without.
	proof ids.ID
}

// result is the result of a call of assessctl.
type result struct {
	out, err string
	exit     int
}

func (d *desk) command(args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(apptest.Programs(d.T), "assessctl"), args...)
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "ASSESS_") {
			cmd.Env = append(cmd.Env, pair)
		}
	}
	cmd.Env = append(cmd.Env, "XDG_CONFIG_HOME="+d.folder, "ASSESS_AUTH_KEY_SECRET="+sample.KeySecret)
	return cmd
}

func (d *desk) run(args ...string) result {
	d.Helper()
	var out, said bytes.Buffer
	cmd := d.command(args...)
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	if cmd.ProcessState == nil {
		d.Fatal(err)
	}
	return result{out.String(), said.String(), cmd.ProcessState.ExitCode()}
}

func (d *desk) server() string { return "http://" + d.h.address }

// there runs a command over HTTP, here with the database.
func (d *desk) there(args ...string) result {
	d.Helper()
	return d.run(append([]string{"--server", d.server()}, args...)...)
}

func (d *desk) here(args ...string) result {
	d.Helper()
	where := []string{"--database-url", d.h.pg.AppURL(database), "--tenant", d.h.slug}
	if args[0] != "compliance" { // that works on the whole tenant
		where = append(where, "--org", d.org)
	}
	return d.run(append(where, args...)...)
}

// person makes a user with these roles, and the token that a browser of theirs keeps.
func (h *house) person(t *testing.T, roles ...string) (people.User, access.Token) {
	t.Helper()
	var user people.User
	var token access.Token
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		var err error
		user, err = people.CreateUser(t.Context(), tx, people.UserInput{Email: ids.New().String() + "@example.org", Name: "Ada", Roles: roles, OrgUnits: []string{h.scope.OrgUnit.String()}})
		if err == nil {
			token, err = access.NewAuthority(h.store, sample.Auth()).IssueToken(t.Context(), tx, user.ID, h.scope.OrgUnit)
		}
		return err
	})
	return user, token
}

var (
	shownAddress = regexp.MustCompile(`http://\S+/sign-in/terminal\?\S+`)
	shownCheck   = regexp.MustCompile(`must show (\S{8})\.`)
	shownCode    = regexp.MustCompile(`<code>([\w-]{40,})</code>`)
	shownLink    = regexp.MustCompile(`href="(http://127[^"]+)"`)
)

// signIn runs assessctl login and does the part of its person in a browser.
func (d *desk) signIn(token access.Token, typed bool, args ...string) result {
	d.Helper()
	args = append([]string{"login", "--server", d.server()}, args...)
	if typed {
		args = append(args, "--no-browser")
	}
	cmd := d.command(args...)
	said, err := cmd.StderrPipe()
	if err != nil {
		d.Fatal(err)
	}
	input, err := cmd.StdinPipe()
	if err != nil {
		d.Fatal(err)
	}
	err = cmd.Start()
	if err != nil {
		d.Fatal(err)
	}
	defer cmd.Process.Kill() //nolint:errcheck // it has ended where all went well
	var text strings.Builder
	r := bufio.NewReader(said)
	for !shownCheck.MatchString(text.String()) {
		b, err := r.ReadByte()
		if err != nil {
			d.Fatalf("assessctl login says %s", text.String())
		}
		text.WriteByte(b)
	}
	page := d.letIn(token, shownAddress.FindString(text.String()), shownCheck.FindStringSubmatch(text.String())[1])
	if typed {
		code := shownCode.FindStringSubmatch(page)
		if code == nil {
			d.Fatalf("the page has no code:\n%s", page)
		}
		_, err = io.WriteString(input, code[1]+"\n")
	} else {
		link := shownLink.FindStringSubmatch(page)
		if link == nil {
			d.Fatalf("the page leads nowhere:\n%s", page)
		}
		var res *http.Response
		res, err = http.Get(html.UnescapeString(link[1])) //nolint:noctx // it ends with the test
		if err == nil {
			shown, _ := io.ReadAll(res.Body)
			res.Body.Close()
			if !strings.Contains(string(shown), "You can close this page") {
				d.Errorf("the browser ends at %s", shown)
			}
		}
	}
	if err != nil {
		d.Fatal(err)
	}
	rest, _ := io.ReadAll(r)
	_ = cmd.Wait() // the exit code tells
	return result{"", text.String() + string(rest), cmd.ProcessState.ExitCode()}
}

// letIn is the browser of somebody who is signed in at the service: they check the text that the terminal shows, and let it in.
func (d *desk) letIn(token access.Token, address, check string) string {
	d.Helper()
	jar, _ := cookiejar.New(nil) // never fails without options
	browser := &http.Client{Jar: secureJar{jar}}
	at, err := url.Parse(d.server())
	if err != nil {
		d.Fatal(err)
	}
	browser.Jar.SetCookies(at, []*http.Cookie{{Name: "__Host-assess", Value: token.Token, Path: "/", Secure: true}})
	if d.proof != ids.None {
		browser.Jar.SetCookies(at, []*http.Cookie{{Name: "__Host-assess-proof", Value: d.proof.String(), Path: "/", Secure: true}})
	}
	send := func(method, address string, form url.Values) string {
		req, err := http.NewRequestWithContext(d.Context(), method, address, strings.NewReader(form.Encode()))
		if err != nil {
			d.Fatal(err)
		}
		req.Header.Set("Accept", "text/html")
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		res, err := browser.Do(req)
		if err != nil {
			d.Fatal(err)
		}
		defer res.Body.Close()
		text, _ := io.ReadAll(res.Body)
		return string(text)
	}
	if page := send(http.MethodGet, address, nil); !strings.Contains(page, "<code>"+check+"</code>") {
		d.Fatalf("the page does not show %s:\n%s", check, page)
	}
	return send(http.MethodPost, d.server()+"/sign-in/terminal", url.Values{"answer": {"yes"}})
}

// secureJar sends cookies for encrypted connections to this machine too, as browsers do.
type secureJar struct{ *cookiejar.Jar }

func (j secureJar) SetCookies(u *url.URL, cookies []*http.Cookie) {
	j.Jar.SetCookies(&url.URL{Scheme: "https", Host: u.Host, Path: u.Path}, cookies)
}
func (j secureJar) Cookies(u *url.URL) []*http.Cookie {
	return j.Jar.Cookies(&url.URL{Scheme: "https", Host: u.Host, Path: u.Path})
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	h := newHouse(t)
	h.start(t)
	d := &desk{T: t, h: h, folder: t.TempDir()}
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), "select slug from org_units where tenant_id = $1 and id = $2", tx.Tenant(), h.scope.OrgUnit).Scan(&d.org)
	})
	return d
}

var (
	anyID    = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	aMoment  = regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?Z)?`)
	aCounter = regexp.MustCompile(`(number[ -]|campus)[12]`)
)

// same removes the parts that differ between two calls of one kind.
func same(text string) string {
	return aCounter.ReplaceAllString(aMoment.ReplaceAllString(anyID.ReplaceAllString(text, "ID"), "MOMENT"), "${1}N")
}

// A command prints the same over HTTP as with the database: tables, JSON, CSV, YAML, and failures.
func TestCommandsPrintTheSameOverHTTP(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	boss, token := d.h.person(t, capability.TenantAdmin, capability.Author, capability.Reviewer)
	if got := d.signIn(token, false); got.exit != 0 || !strings.Contains(got.err, "signed in to "+d.server()+" as Ada, in the org unit "+d.org) {
		t.Fatalf("login: %+v", got)
	}
	compare := func(args ...string) {
		t.Helper()
		there, here := d.there(args...), d.here(args...)
		if there != here {
			t.Errorf("%s\nover HTTP: %d\n%s%s\nwith the database: %d\n%s%s", strings.Join(args, " "), there.exit, there.out, there.err, here.exit, here.out, here.err)
		}
	}
	// Each change both ways, on records of its own.
	change := func(args ...string) {
		t.Helper()
		with := func(number string) []string {
			all := make([]string, len(args))
			for i, word := range args {
				all[i] = strings.ReplaceAll(word, "NUMBER", number)
			}
			return all
		}
		there, here := d.there(with("1")...), d.here(with("2")...)
		there.out, there.err, here.out, here.err = same(there.out), same(there.err), same(here.out), same(here.err)
		if there != here || there.exit != 0 {
			t.Errorf("%s\nover HTTP: %d\n%s%s\nwith the database: %d\n%s%s", strings.Join(args, " "), there.exit, there.out, there.err, here.exit, here.out, here.err)
		}
	}
	for _, args := range [][]string{
		{"group", "create", "number NUMBER", "--description", "A class", "--allowed-domains", "north.example"},
		{"group", "create", "dynamic number NUMBER", "--membership-rule", `{"all":[{"key":"cohort","op":"equals","value":"2031"}]}`},
		{"group", "add", "number NUMBER", boss.Email},
		{"group", "update", "number NUMBER", "--description", "", "-o", "json"},
		{"group", "preview", "dynamic number NUMBER"},
		{"role", "create", "Examiner number NUMBER", "--capabilities", "reporting.view", "-o", "yaml"},
		{"role", "grant", boss.Email, "Examiner number NUMBER"},
		{"role", "revoke", boss.Email, "Examiner number NUMBER", "--yes"},
		{"role", "delete", "Examiner number NUMBER", "--yes"},
		{"idp", "create", "campusNUMBER", "--name", "North number NUMBER", "--issuer", "https://login.example.org", "--client-id", "assess", "--step-up-acr", "gold"},
		{"idp", "update", "campusNUMBER", "--name", "South number NUMBER", "--provisioning", "jit", "-o", "json"},
		{"taxonomy", "create-facet", "Topic number NUMBER"},
		{"taxonomy", "create", "topic-number-NUMBER", "Rivers", "-o", "csv"},
		{"taxonomy", "create", "topic-number-NUMBER", "Rhine", "--parent-id", "topic-number-NUMBER:rivers"},
		{"taxonomy", "update", "topic-number-NUMBER:rhine", "--clear", "parent-id"},
		{"taxonomy", "retire", "topic-number-NUMBER:rhine", "--yes"},
		{"pack", "create", "Library number NUMBER"},
	} {
		change(args...)
	}
	for _, args := range [][]string{
		{"group", "list"}, {"group", "list", "-o", "json"}, {"group", "list", "-o", "csv"}, {"group", "list", "-o", "yaml"}, {"group", "list", "--limit", "1"},
		{"group", "list", "--limit", "1", "--page", "2", "-o", "json"}, {"group", "list", "--all", "-o", "json"}, {"group", "show", "number 1"},
		{"group", "members", "number 1"}, {"group", "show", "number 1", "--jq", ".name"},
		{"role", "list"}, {"role", "list", "-o", "json"}, {"role", "capabilities"}, {"idp", "list"}, {"idp", "show", "campus1", "-o", "json"},
		{"user", "accounts", boss.Email}, {"taxonomy", "facets"}, {"taxonomy", "list", "--all", "-o", "csv"}, {"taxonomy", "ancestors", "topic-number-1:rhine"},
		{"question", "list", "--limit", "2"}, {"question", "list", "--qtype", "mcq", "-o", "json"}, {"question", "list", "--search", "nothing like it"},
		{"evaluation", "list"}, {"evaluation", "list", "-o", "json"}, {"passage", "list"}, {"media", "list"}, {"locale", "list"}, {"pack", "list"}, {"pack", "show", "Library number 1"},
		{"remediation", "list"}, {"webhook", "list"}, {"compliance", "requests"}, {"compliance", "request", "rules", "-o", "json"},
		{"user", "list", "--limit", "3"}, {"user", "show", boss.Email}, {"org", "list"}, {"subject", "list"}, {"engagement", "list", "-o", "json"}, {"requirement", "list"},
		{"assignment", "list"}, {"assignment", "list", "--run-label", ""}, {"assignment", "schedule", "list"}, {"policy", "retention", "show"}, {"policy", "verification", "show"},
		// Mistakes are reported in the same words, with the same exit code.
		{"group", "show", "nobody"}, {"group", "show", "nobody", "-o", "json"}, {"role", "grant", "eve@example.org", "candidate"}, {"role", "grant", boss.Email, "candidat"},
		{"role", "grant", "Ada", "candidate"}, {"idp", "create", "A b", "--name", "X", "--issuer", "http://x", "--client-id", "x"},
		{"idp", "create", "A b", "--name", "X", "--issuer", "http://x", "--client-id", "x", "-o", "json"}, {"evidence", "show", "x"}, {"evidence", "show", ids.New().String()},
		{"pack", "revision", "Library number 1"}, {"question", "list", "--qtype", "song"}, {"role", "delete", "candidate"},
		{"group", "remove", "number 1", ids.New().String(), "--yes"}, {"role", "delete", "candidate", "--yes"},
	} {
		compare(args...)
	}
	// Where the service's description knows better already, the words are its own.
	if there, here := d.there("group", "list", "--limit", "1000"), d.here("group", "list", "--limit", "1000"); there.exit != here.exit || !strings.Contains(there.err, "limit: ") {
		t.Errorf("over HTTP: %+v, with the database: %+v", there, here)
	}
	// A repetition gives the result of the first call, and a dry run changes nothing.
	first, again := d.there("group", "create", "once", "--idempotency-key", "k1"), d.there("group", "create", "once", "--idempotency-key", "k1")
	if first.exit != 0 || again.out != first.out || !strings.Contains(again.err, "Done before") {
		t.Errorf("a repetition: %+v, %+v", first, again)
	}
	tried := d.there("taxonomy", "merge", "topic-number-1:rhine", "topic-number-1:rivers", "--dry-run")
	if tried.exit != 0 || !strings.Contains(tried.err, "nothing was changed") {
		t.Errorf("a dry run: %+v", tried)
	}
	for name, step := range map[string]struct {
		got  result
		exit int
		says string
	}{
		"what only the database can try": {d.there("group", "create", "x", "--dry-run"), 2, "only the database can try"},
		"what only the database can do":  {d.there("tenant", "show"), 2, "works on the database itself"},
		"a migration":                    {d.there("migrate"), 2, "works on the database itself"},
		"both":                           {d.there("--database-url", "postgres://x", "role", "list"), 2, "none of the others can be"},
		"another tenant":                 {d.there("role", "list", "--tenant", "other"), 2, "sign in again with --tenant other"},
		"another org unit":               {d.there("group", "list", "--org", "other"), 2, "sign in again with --org other"},
		"somebody else":                  {d.there("role", "list", "--actor", "eve"), 2, "act as who you signed in as"},
		"a server elsewhere, in clear":   {d.run("--server", "http://assess.example.org", "role", "list"), 1, "not signed in"},
		"a login in clear":               {d.run("login", "--server", "http://assess.example.org"), 2, "http:// only goes to this machine"},
		"nowhere":                        {d.run("login"), 2, "say which service"},
	} {
		if step.got.exit != step.exit || !strings.Contains(step.got.err, step.says) {
			t.Errorf("%s: %+v, want %d and %q", name, step.got, step.exit, step.says)
		}
	}
}

// A sign-in is kept where nobody else reads it, is of its roles, and ends.
func TestASignInOfATerminalEnds(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	user, token := d.h.person(t, capability.Candidate)
	if got := d.there("role", "list"); got.exit != 1 || !strings.Contains(got.err, "assessctl login --server "+d.server()) {
		t.Errorf("before: %+v", got)
	}
	if got := d.signIn(token, true, "--tenant", d.h.slug, "--org", d.org); got.exit != 0 {
		t.Fatalf("login: %+v", got)
	}
	path := filepath.Join(d.folder, "assess", "sign-ins.json")
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v", info, err)
	}
	if got := d.there("role", "list"); got.exit != 1 || !strings.Contains(got.err, "roles.manage") {
		t.Errorf("a candidate: %+v", got)
	}
	kept := map[string]map[string]any{}
	change := func(change func(session map[string]any)) {
		t.Helper()
		text, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(text, &kept)
		}
		for _, session := range kept {
			change(session)
		}
		text, _ = json.Marshal(kept)
		if err == nil {
			err = os.WriteFile(path, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	until := time.Now().Add(-time.Minute)
	change(func(session map[string]any) { session["expiresAt"] = until })
	if got := d.there("role", "list"); got.exit != 1 || !strings.Contains(got.err, "ended at "+until.Local().Format("2006-01-02 15:04")) {
		t.Errorf("too late: %+v", got)
	}
	before := ""
	change(func(session map[string]any) {
		before, _ = session["token"].(string)
		session["expiresAt"], session["renewAt"] = time.Now().Add(time.Hour), until
	})
	d.there("group", "list")
	change(func(session map[string]any) {
		if session["token"] == before {
			t.Error("half of its life is over, and the sign-in is not renewed")
		}
	})
	sample.Write(t, d.h.store, d.h.scope, func(tx *db.Tx) error {
		_, err := people.DeactivateUser(t.Context(), tx, user.ID)
		return err
	})
	if got := d.there("role", "list"); got.exit != 1 || !strings.Contains(got.err, "holds no longer") || !strings.Contains(got.err, "assessctl login --server") {
		t.Errorf("a token that ended: %+v", got)
	}
	if got := d.run("logout", "--server", d.server()); got.exit != 0 || !strings.Contains(got.err, "signed out") {
		t.Errorf("logout: %+v", got)
	}
	if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), "token") {
		t.Errorf("got %s, %v", text, err)
	}
	if got := d.there("role", "list"); !strings.Contains(got.err, "You are not signed in") {
		t.Errorf("after: %+v", got)
	}
	_, token = d.h.person(t, capability.Candidate)
	if got := d.signIn(token, true, "--tenant", d.h.slug, "--org", d.org); got.exit != 0 {
		t.Fatalf("login: %+v", got)
	}
	clear(kept)
	change(func(session map[string]any) { before, _ = session["token"].(string) })
	if status := d.h.holds(t, before); status != http.StatusOK {
		t.Fatalf("signed in: %d", status)
	}
	d.run("logout", "--server", d.server())
	await.Until(t, "the end of the token", func() bool { return d.h.holds(t, before) == http.StatusUnauthorized })
}

// A command that needs a step-up proof gets one from the browser of its person, and spends it.
func TestATerminalBringsAProof(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	user, token := d.h.person(t, capability.TenantAdmin)
	if got := d.signIn(token, false); got.exit != 0 || strings.Contains(got.err, "step-up") {
		t.Fatalf("login: %+v", got)
	}
	relax := []string{"compliance", "request", "set-rules", "--two-people=false", "--yes"}
	refused := func(when string) {
		t.Helper()
		got := d.there(relax...)
		if got.exit != 1 || !strings.Contains(got.err, "assessctl login --server "+d.server()+" --step-up") {
			t.Errorf("%s: %+v", when, got)
		}
	}
	tighten := func() {
		t.Helper()
		if got := d.there("compliance", "request", "set-rules", "--two-people=true", "--yes"); got.exit != 0 {
			t.Fatalf("stricter rules: %+v", got)
		}
	}
	tighten()
	refused("without a proof")
	sample.Write(t, d.h.store, d.h.scope, func(tx *db.Tx) error {
		proof, err := access.NewAuthority(d.h.store, sample.Auth()).IssueProof(t.Context(), tx, user.ID, access.ByMagicLink)
		d.proof = proof.ID
		return err
	})
	if got := d.signIn(token, true, "--step-up"); got.exit != 0 || !strings.Contains(got.err, "One command that needs a step-up proof works until") {
		t.Fatalf("login with a proof: %+v", got)
	}
	if got := d.there("role", "list"); got.exit != 0 {
		t.Errorf("what needs no proof: %+v", got)
	}
	if got := d.there(relax...); got.exit != 0 {
		t.Errorf("with a proof: %+v", got)
	}
	tighten()
	refused("with a spent proof")
}

// The page tells who has no proof how to get one, and passes a proof on once.
func TestThePageAsksForAProofBeforeItLetsATerminalIn(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	user, token := d.h.person(t, capability.Candidate)
	var proof access.Proof
	sample.Write(t, d.h.store, d.h.scope, func(tx *db.Tx) error {
		var err error
		proof, err = access.NewAuthority(d.h.store, sample.Auth()).IssueProof(t.Context(), tx, user.ID, access.ByMagicLink)
		return err
	})
	waiting := url.Values{"redirectUri": {"http://127.0.0.1:4711/"}, "codeChallenge": {strings.Repeat("x", 43)}, "stepUp": {"yes"}}.Encode()
	signedIn := "__Host-assess=" + token.Token + "; __Host-assess-terminal=" + waiting
	proven := signedIn + "; __Host-assess-proof=" + proof.ID.String()
	for _, step := range []struct {
		name, method, path, cookies string
		status                      int
		says                        string
	}{
		{"nobody", "GET", "/", "__Host-assess-terminal=" + waiting, 200, "sign in by a link that we send you"},
		{"no proof", "GET", "/", signedIn, 200, "Sign out, and sign in again by a link"},
		{"a proof", "GET", "/", proven, 200, "Let it in"},
		{"let in without a proof", "POST", "/sign-in/terminal", signedIn, 403, "step_up_required"},
		{"let in with a proof", "POST", "/sign-in/terminal", proven, 200, "Go on"},
		{"let in with the same proof", "POST", "/sign-in/terminal", proven, 403, "step_up_required"},
	} {
		req, err := http.NewRequestWithContext(t.Context(), step.method, d.server()+step.path, strings.NewReader("answer=yes"))
		if err != nil {
			t.Fatal(err)
		}
		for header, value := range map[string]string{"Cookie": step.cookies, "Sec-Fetch-Site": "same-origin", "Accept": "text/html", "Content-Type": "application/x-www-form-urlencoded"} {
			req.Header.Set(header, value)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != step.status || !strings.Contains(string(text), step.says) {
			t.Errorf("%s: got %d\n%s", step.name, res.StatusCode, text)
		}
	}
}

// Nobody lets a terminal in but its person, at the page.
func TestAPageLetsNoTerminalIn(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	_, token := d.h.person(t, capability.Candidate)
	for name, q := range map[string]url.Values{
		"another address":     {"redirectUri": {"https://evil.example/"}, "codeChallenge": {strings.Repeat("x", 43)}},
		"without a challenge": {"redirectUri": {"http://127.0.0.1:4711/"}},
	} {
		res, err := http.Get(d.server() + "/sign-in/terminal?" + q.Encode())
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%s: got %d", name, res.StatusCode)
		}
	}
	waiting := url.Values{"redirectUri": {"http://127.0.0.1:4711/"}, "codeChallenge": {strings.Repeat("x", 43)}}.Encode()
	for name, step := range map[string]struct {
		cookies string
		site    string
		answer  string
		want    int
	}{
		"another site":    {"__Host-assess=" + token.Token + "; __Host-assess-terminal=" + waiting, "cross-site", "yes", 404},
		"nobody":          {"__Host-assess-terminal=" + waiting, "same-origin", "yes", 401},
		"no":              {"__Host-assess=" + token.Token + "; __Host-assess-terminal=" + waiting, "same-origin", "no", 303},
		"nobody waits":    {"__Host-assess=" + token.Token, "same-origin", "yes", 303},
		"its own person":  {"__Host-assess=" + token.Token + "; __Host-assess-terminal=" + waiting, "same-origin", "yes", 200},
		"of another unit": {"__Host-assess=" + token.Token + "; __Host-assess-terminal=" + waiting + "&orgUnit=other", "same-origin", "yes", 422},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.server()+"/sign-in/terminal", strings.NewReader("answer="+step.answer))
		if err != nil {
			t.Fatal(err)
		}
		for header, value := range map[string]string{"Cookie": step.cookies, "Sec-Fetch-Site": step.site, "Content-Type": "application/x-www-form-urlencoded"} {
			req.Header.Set(header, value)
		}
		res, err := (&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != step.want {
			t.Errorf("%s: got %d, want %d", name, res.StatusCode, step.want)
		}
	}
}
