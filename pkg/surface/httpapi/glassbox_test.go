package httpapi_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assess/config"
	"assess/pkg/dev/await"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/evidence"
	"assess/pkg/exam/review"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/people/access"
	"assess/pkg/people/hold"
	"assess/pkg/people/people"
	"assess/pkg/surface/httpapi"
	"assess/pkg/trust/glassbox"
	"assess/pkg/trust/translog"
)

// link makes a link to a submission as the actor of home.
func (w *town) link(t *testing.T, submission ids.ID, terms map[string]any) glassbox.IssuedLink {
	t.Helper()
	got := w.send(t, request{method: "POST", path: "/submissions/" + submission.String() + "/glass-box-links", token: w.home.Token,
		key: ids.New().String(), body: terms})
	if got.status != http.StatusCreated {
		t.Fatalf("make a link: %d %s", got.status, got.body)
	}
	return decoded[glassbox.IssuedLink](t, got.body)
}

func decoded[T any](t *testing.T, body []byte) T {
	t.Helper()
	var v T
	err := json.Unmarshal(body, &v)
	if err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return v
}

func (w *town) glass(t *testing.T, token string, submission ids.ID, more string) response {
	t.Helper()
	return w.send(t, request{method: "GET", path: "/glassbox/submissions/" + submission.String() + more, token: token})
}

func (w *town) revoke(t *testing.T, l glassbox.IssuedLink) {
	t.Helper()
	got := w.send(t, request{method: "DELETE", path: "/submissions/" + l.SubmissionID.String() + "/glass-box-links/" + l.ID.String(),
		token: w.home.Token, key: ids.New().String()})
	if got.status != http.StatusNoContent {
		t.Fatalf("revoke: %d %s", got.status, got.body)
	}
}

// A link opens its glass box and nothing else, routes without a token included; once it is withdrawn
// it is nobody.
func TestALinkIsRefusedEverywhereElse(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	made := w.link(t, w.home.Submission, map[string]any{})
	for _, c := range []struct {
		name   string
		status int
		code   errs.Code
	}{{"a link that holds", 403, errs.Forbidden}, {"a link that was withdrawn", 401, errs.Unauthenticated}} {
		n := 0
		for _, l := range httpapi.Lines() {
			var r request
			if l.Public {
				r = request{method: l.Method, path: l.Path + "?token=x", body: map[string]any{}}
			} else {
				r = w.valid(t, l, w.home)
			}
			r.token = made.Token
			got := w.send(t, r)
			if l.Linked && c.status == 403 {
				continue
			}
			n++
			if got.status != c.status || got.problem.Code != c.code {
				t.Errorf("%s: %s %s: got %d %s, want %d", c.name, l.Method, l.Path, got.status, got.problem.Code, c.status)
			}
		}
		if n < 200 {
			t.Errorf("%s: only %d routes were tried", c.name, n)
		}
		if c.status == 403 {
			w.revoke(t, made)
		}
	}
}

// A link shows only its own submission, and users have no glass box.
func TestALinkShowsItsSubmissionAlone(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	made := w.link(t, w.home.Submission, map[string]any{"includeEvidence": "files"})
	got := w.glass(t, made.Token, w.home.Submission, "")
	if got.status != 200 {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	// It names its organisation, and the title of the exam.
	var title, organisation string
	sample.Write(t, w.app.Store, w.app.Scope, func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), `select v.title, t.name from submissions s join version_snapshots v on v.tenant_id = s.tenant_id and v.hash = s.snapshot_hash
			join tenants t on t.id = s.tenant_id where s.tenant_id = $1 and s.id = $2`, tx.Tenant(), w.home.Submission).Scan(&title, &organisation)
	})
	if b := decoded[glassbox.Box](t, got.body); title == "" || b.Title != title || organisation == "" || b.Organisation != organisation {
		t.Errorf("the box is of %q at %q, want %q at %q", b.Title, b.Organisation, title, organisation)
	}
	for _, other := range []ids.ID{w.home.OwnSubmission, w.nextDoor.Submission, w.elsewhere.Submission} {
		for _, more := range []string{"", "/bundle", "/evidence/" + w.home.Evidence.String()} {
			want(t, w.glass(t, made.Token, other, more), 404, errs.NotFound)
		}
	}
	want(t, w.glass(t, made.Token, w.home.Submission, "/evidence/"+w.nextDoor.Evidence.String()), 404, errs.NotFound)
	want(t, w.glass(t, w.home.Token, w.home.Submission, ""), 403, errs.Forbidden)
	want(t, w.glass(t, "", w.home.Submission, ""), 401, errs.Unauthenticated)
	forged := made.Token[:len(made.Token)-4] + "AAAA"
	want(t, w.glass(t, forged, w.home.Submission, ""), 401, errs.Unauthenticated)
}

// A withdrawn link ends in every process when the withdrawal commits: two servers over one database.
func TestAWithdrawnLinkEndsInEveryProcess(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	made := w.link(t, w.home.Submission, map[string]any{})
	second := &town{app: w.app.Another(t), home: w.home}
	for _, process := range []*town{w, second} {
		if got := process.glass(t, made.Token, made.SubmissionID, ""); got.status != 200 {
			t.Fatalf("got %d %s", got.status, got.body)
		}
	}
	w.revoke(t, made)
	for _, process := range []*town{second, w} {
		want(t, process.glass(t, made.Token, made.SubmissionID, ""), 401, errs.Unauthenticated)
	}
	w.revoke(t, made) // again changes nothing
	listed := decoded[db.List[glassbox.Link]](t, w.send(t, request{method: "GET", path: "/submissions/" + made.SubmissionID.String() + "/glass-box-links", token: w.home.Token}).body)
	at := slices.IndexFunc(listed.Items, func(l glassbox.Link) bool { return l.ID == made.ID })
	if l := listed.Items[at]; l.State != "revoked" || l.Uses != 2 || l.LastUsedAt == nil || l.RevokedBy == nil {
		t.Errorf("got %+v", l)
	}
}

// A link shows only results that its maker may hand on, and only as long as they may.
func TestALinkEndsWithItsMaker(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	for name, sql := range map[string]string{
		"deactivated":       "update users set status = 'deactivated' where tenant_id = $1 and id = $2",
		"without a role":    "delete from user_roles where tenant_id = $1 and user_id = $2",
		"in no org unit":    "delete from user_org_units where tenant_id = $1 and user_id = $2",
		"without one right": "delete from role_capabilities where tenant_id = $1 and capability = 'evidence.read' and role_id in (select role_id from user_roles where tenant_id = $1 and user_id = $2)",
	} {
		got := w.send(t, request{method: "POST", path: "/submissions/" + w.home.Submission.String() + "/glass-box-links", key: ids.New().String(),
			token: w.holder(t, access.HandOn...), body: map[string]any{}})
		made := decoded[glassbox.IssuedLink](t, got.body)
		if got := w.glass(t, made.Token, made.SubmissionID, ""); got.status != 200 {
			t.Fatalf("%s: before, got %d %s", name, got.status, got.body)
		}
		sample.ChangeAccess(t, w.app.Store, w.app.Scope, sql, strings.TrimPrefix(made.CreatedBy, "user:"))
		// A server keeps grants in memory and hears of the change a moment later. Calls are limited, so they do not wait.
		await.Until(t, "the link of a maker who is "+name+" ends", func() bool {
			_, err := w.app.Authority.AuthenticateLink(t.Context(), made.Token)
			return err != nil
		})
		want(t, w.glass(t, made.Token, made.SubmissionID, ""), 401, errs.Unauthenticated)
	}
}

func TestAnExpiredLinkIs401(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	made := w.link(t, w.home.Submission, map[string]any{"expiresAt": time.Now().Add(time.Hour).UTC().Format(time.RFC3339)})
	sample.Write(t, w.app.Store, w.app.Scope, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "update link_principals set expires_at = now() - interval '1 second' where tenant_id = $1 and id = $2", tx.Tenant(), made.ID)
		return err
	})
	want(t, w.glass(t, made.Token, made.SubmissionID, ""), 401, errs.TokenExpired)
	c := config.Default()
	c.Auth = sample.Auth()
	c.Auth.LinkLifetime = -2 * time.Hour // the token itself is over
	late := glassbox.NewDesk(access.NewAuthority(w.app.Store, c.Auth), c)
	sample.Write(t, w.app.Store, w.app.Scope, func(tx *db.Tx) error {
		var err error
		made, err = late.Create(t.Context(), tx, glassbox.LinkInput{SubmissionID: w.home.Submission})
		return err
	})
	want(t, w.glass(t, made.Token, made.SubmissionID, ""), 401, errs.TokenExpired)
	for _, at := range []time.Time{time.Now().Add(-time.Minute), time.Now().AddDate(1, 0, 0)} {
		got := w.send(t, request{method: "POST", path: "/submissions/" + w.home.Submission.String() + "/glass-box-links", token: w.home.Token,
			key: ids.New().String(), body: map[string]any{"expiresAt": at.UTC().Format(time.RFC3339)}})
		want(t, got, 422, errs.ValidationFailed)
	}
}

// A person who hands on a result sees all of it.
func TestWhoMayMakeALink(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	for _, c := range []struct {
		may    []capability.Capability
		status int
	}{
		{[]capability.Capability{capability.ExceptionsTriage, capability.SubmissionsRead, capability.EvidenceRead}, 201},
		{[]capability.Capability{capability.ExceptionsTriage, capability.SubmissionsRead}, 403},
		{[]capability.Capability{capability.ExceptionsTriage, capability.EvidenceRead}, 403},
		{[]capability.Capability{capability.SubmissionsRead, capability.EvidenceRead, capability.ExceptionsRead}, 403},
	} {
		got := w.send(t, request{method: "POST", path: "/submissions/" + w.home.Submission.String() + "/glass-box-links", token: w.holder(t, c.may...),
			key: ids.New().String(), body: map[string]any{}})
		if got.status != c.status {
			t.Errorf("with %v: got %d %s, want %d", c.may, got.status, got.body, c.status)
		}
	}
}

// holder gives the token of somebody of home who has only these capabilities.
func (w *town) holder(t *testing.T, may ...capability.Capability) string {
	t.Helper()
	var token access.Token
	sample.Write(t, w.app.Store, w.app.Scope, func(tx *db.Tx) error {
		user := sample.User(t, tx)
		role, err := people.CreateRole(t.Context(), tx, people.RoleInput{Name: "Role " + ids.New().String(), Capabilities: may})
		if err != nil {
			return err
		}
		_, err = people.GrantRole(t.Context(), tx, user.ID, role.ID)
		if err != nil {
			return err
		}
		token, err = w.app.Authority.IssueToken(t.Context(), tx, user.ID, w.app.OrgUnit)
		return err
	})
	return token.Token
}

// Terms: reasons are null unless the link shows them, evidence is null, listed, or listed with files.
func TestWhatALinkShowsFollowsItsTerms(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	of := w.home.Submission // it has evidence and a major finding, so it is not ready
	for _, c := range []struct {
		reasons  bool
		evidence string
	}{{false, ""}, {true, "none"}, {false, "hashes"}, {true, "files"}} {
		terms := map[string]any{"canViewReadinessReasons": c.reasons}
		if c.evidence != "" {
			terms["includeEvidence"] = c.evidence
		}
		made := w.link(t, of, terms)
		b := decoded[glassbox.Box](t, w.glass(t, made.Token, of, "").body)
		if b.ProofReadiness.ReadyNow || (b.ProofReadiness.Reasons != nil) != c.reasons || (b.KoeStatus.Observation.Reasons != nil) != c.reasons {
			t.Errorf("%+v: readiness %+v", c, b.ProofReadiness)
		}
		if c.reasons && !slices.Contains(*b.ProofReadiness.Reasons, "integrity_flag_major") {
			t.Errorf("%+v: reasons %v", c, *b.ProofReadiness.Reasons)
		}
		lists := c.evidence == "hashes" || c.evidence == "files"
		if (b.Evidence != nil) != lists || lists && (b.Evidence.Total != 2 || len(b.Evidence.Items[0].SHA256) != 64) || len(b.Findings.Items) != 1 {
			t.Errorf("%+v: evidence %+v, findings %+v", c, b.Evidence, b.Findings)
		}
		if linked := len(b.Findings.Items[0].EvidenceIDs) > 0; linked != lists {
			t.Errorf("%+v: the finding names evidence: %v", c, linked)
		}
		file := w.glass(t, made.Token, of, "/evidence/"+w.home.Evidence.String())
		if c.evidence != "files" {
			want(t, file, 403, errs.Forbidden)
			continue
		}
		shown := b.Evidence.Items[slices.IndexFunc(b.Evidence.Items, func(e glassbox.Evidence) bool { return e.ID == w.home.Evidence })]
		if file.status != 200 || content.Hash(file.body) != shown.SHA256 || shown.File == "" {
			t.Errorf("got %d, %d bytes, %+v", file.status, len(file.body), shown)
		}
	}
}

// Each view is an event of the ledger that says who looked from where, and counts.
func TestEachViewIsAnEvent(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	w.app.Sequence(t)
	of := w.home.Submission
	made := w.link(t, of, map[string]any{"includeEvidence": "files"})
	for _, more := range []string{"", "", "/bundle", "/evidence/" + w.home.Evidence.String()} {
		if got := w.glass(t, made.Token, of, more); got.status != 200 {
			t.Fatalf("%s: got %d %s", more, got.status, got.body)
		}
	}
	page := w.send(t, request{method: "GET", path: "/glassbox/submissions/" + of.String(), token: made.Token, header: map[string]string{"Accept": "text/html"}})
	if page.status != 200 || !strings.HasPrefix(page.header.Get("Content-Type"), "text/html") {
		t.Fatalf("got %d %s", page.status, page.body)
	}
	sample.Write(t, w.app.Store, w.app.Scope, func(tx *db.Tx) error {
		var told []string
		for _, about := range []ids.ID{of, w.home.Evidence, made.ID} {
			found, err := ledger.About(t.Context(), tx, about, 0, 100, "glass_box.viewed", "glass_box.exported", "evidence.viewed", "glass_box_link.created")
			if err != nil {
				return err
			}
			for _, e := range found {
				said := decoded[struct{ VisibilityType, VisibilityChannel, Form string }](t, e.Payload)
				told = append(told, e.Type+" "+said.Form+" "+said.VisibilityType+" "+said.VisibilityChannel)
				if viewed := strings.HasSuffix(e.Type, "ed") && e.Type != "glass_box_link.created"; viewed && e.Actor != "link:"+made.ID.String() {
					t.Errorf("%s by %s", e.Type, e.Actor)
				}
			}
		}
		wanted := []string{"glass_box.viewed json external glassbox", "glass_box.viewed json external glassbox", "glass_box.exported  external glassbox",
			"glass_box.viewed page external glassbox", "evidence.viewed  external glassbox", "glass_box_link.created   "}
		if !slices.Equal(told, wanted) {
			t.Errorf("the ledger tells %q, want %q", told, wanted)
		}
		listed, err := glassbox.List(t.Context(), tx, of, db.Page{})
		if err != nil {
			return err
		}
		if uses := listed.Items[0].Uses; uses != 5 {
			t.Errorf("%d uses, want 5", uses)
		}
		return nil
	})
}

// A downloaded bundle is checked without the service, and no word of it can be changed.
func TestABundleIsCheckedOffline(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	of := w.home.Submission
	made := w.link(t, of, map[string]any{"canViewReadinessReasons": true, "includeEvidence": "hashes"})
	want(t, w.glass(t, made.Token, of, "/bundle"), 409, errs.NotSequenced)
	w.app.Project(t)
	w.app.Sequence(t)
	got := w.glass(t, made.Token, of, "/bundle")
	if got.status != 200 || !strings.Contains(got.header.Get("Content-Disposition"), "attachment") {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	verify := func(text string) translog.Report {
		t.Helper()
		path := filepath.Join(t.TempDir(), "bundle.json")
		err := os.WriteFile(path, []byte(text), 0o600)
		if err != nil {
			t.Fatal(err)
		}
		r, err := translog.VerifyFile(translog.FileInput{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := verify(string(got.body))
	if !r.Sound() || r.Source != "glass box" || r.Submissions != 1 || r.Checkpoints != 1 {
		t.Errorf("got %+v", r)
	}
	shown := decoded[translog.Shown](t, got.body)
	box := decoded[glassbox.Box](t, shown.GlassBox)
	for name, change := range map[string][2]string{
		"the outcome":     {`"outcome_code":"`, `"outcome_code":"x`},
		"a decision":      {`"decisions":{"items":[]`, `"decisions":{"items":[{"decision":"approve"}]`},
		"the state hash":  {`"stateHash":"` + box.StateHash, `"stateHash":"` + strings.Repeat("0", 64)},
		"the signed note": {`\nsha-256 `, `\nsha-256 0`},
		"the proof":       {`"eventType":"`, `"eventType":"x`},
	} {
		edited := strings.Replace(string(got.body), change[0], change[1], 1)
		if edited == string(got.body) {
			t.Errorf("%s: nothing to change in %s", name, got.body)
			continue
		}
		r := verify(edited)
		if r.Sound() {
			t.Errorf("%s can be changed unseen", name)
		}
	}
}

// No name, no address, no text that somebody wrote and no key of a question is in any answer.
func TestAGlassBoxNamesNobody(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	of := w.home.Undecided[0]
	const mark = "MARKED-TEXT"
	raiser := w.app.Scope
	raiser.Actor.Name = "raiser"
	cases := map[evidence.CaseKind]ids.ID{}
	sample.Write(t, w.app.Store, raiser, func(tx *db.Tx) error {
		f, err := evidence.Detect(t.Context(), tx, evidence.FindingInput{SubmissionID: of, Code: "PHONE_SEEN", Severity: "minor", Detail: mark})
		if err != nil {
			return err
		}
		for _, kind := range []evidence.CaseKind{evidence.Claims, evidence.Disputes} {
			c, err := evidence.Raise(t.Context(), tx, kind, evidence.RaiseInput{SubmissionID: of, Statement: mark, FindingIDs: []ids.ID{f.ID}})
			if err != nil {
				return err
			}
			cases[kind] = c.ID
		}
		return nil
	})
	sample.Write(t, w.app.Store, w.app.Scope, func(tx *db.Tx) error {
		for kind, id := range cases {
			_, err := evidence.Uphold(t.Context(), tx, kind, evidence.DecideInput{ID: id, Comment: mark})
			if err != nil {
				return err
			}
		}
		_, err := review.Approve(t.Context(), tx, review.Input{SubmissionID: of, Comment: mark})
		if err != nil {
			return err
		}
		_, err = tx.Exec(t.Context(), "update users set name = $2 where tenant_id = $1", tx.Tenant(), "Zoë "+mark)
		if err != nil {
			return err
		}
		return nil
	})
	sample.ChangeAccess(t, w.app.Store, w.app.Scope, "update roles set name = $2 || id where tenant_id = $1 and system_key is null", mark)
	e := sample.Evidence(t, w.app.Store, w.app.Scope, w.app.Evidence, of)
	sample.Write(t, w.app.Store, w.app.Scope, func(tx *db.Tx) error {
		_, err := evidence.Void(t.Context(), tx, evidence.VoidInput{ID: e.ID, Reason: mark})
		return err
	})
	w.app.Project(t)
	w.app.Sequence(t)
	made := w.link(t, of, map[string]any{"canViewReadinessReasons": true, "includeEvidence": "files"})
	whole := w.send(t, request{method: "GET", path: "/submissions/" + of.String(), token: w.home.Token})
	marks := append(textsIn(t, whole.body), mark, "Zoë", "Sample User", "@example", "user-", w.home.User.String(), w.home.Actor.String(), "correct")
	title := decoded[glassbox.Box](t, w.glass(t, made.Token, of, "").body).Title // of the exam, and of nobody
	marks = slices.DeleteFunc(marks, func(m string) bool { return m == title })
	for name, r := range map[string]request{
		"json":   {path: ""},
		"bundle": {path: "/bundle"},
		"page":   {path: "", header: map[string]string{"Accept": "text/html"}},
	} {
		r.method, r.path, r.token = "GET", "/glassbox/submissions/"+of.String()+r.path, made.Token
		got := w.send(t, r)
		if got.status != 200 {
			t.Fatalf("%s: %d %s", name, got.status, got.body)
		}
		shown := strings.ReplaceAll(string(got.body), "user-select", "") // a property of CSS
		for _, m := range marks {
			if strings.Contains(shown, m) {
				t.Errorf("%s shows %q", name, m)
			}
		}
		for _, shown := range []string{"PHONE_SEEN", "approve", "upheld", "operator", e.SHA256} {
			if !strings.Contains(string(got.body), shown) {
				t.Errorf("%s does not show %q", name, shown)
			}
		}
	}
	if len(marks) < 12 {
		t.Errorf("only %d marks: %q", len(marks), marks)
	}
}

// textsIn lists the titles, stems and texts of options in a submission's snapshot.
func textsIn(t *testing.T, body []byte) []string {
	t.Helper()
	var found []string
	var walk func(key string, v any)
	walk = func(key string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, inner := range v {
				walk(k, inner)
			}
		case []any:
			for _, inner := range v {
				walk(key, inner)
			}
		case string:
			if (key == "text" || key == "title" || key == "name") && len(v) > 2 {
				found = append(found, v)
			}
		}
	}
	walk("", decoded[any](t, body))
	return found
}

// While the processing of a person's data is restricted, nothing is shown; lifting undoes it.
func TestARestrictionClosesTheGlassBox(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	of := w.home.Submission
	made := w.link(t, of, map[string]any{"includeEvidence": "files"})
	var placed hold.Hold
	restrict := func(do func(tx *db.Tx) error) {
		t.Helper()
		sample.Write(t, w.app.Store, w.app.Scope, do)
	}
	in := hold.Input{SubjectID: w.home.User, Terms: hold.Terms{Kind: hold.Processing, ReasonCode: "objection_pending"}}
	restrict(func(tx *db.Tx) error {
		var err error
		placed, err = hold.Place(t.Context(), tx, in)
		return err
	})
	for _, more := range []string{"", "/evidence/" + w.home.Evidence.String()} {
		want(t, w.glass(t, made.Token, of, more), 403, errs.ProcessingRestricted)
	}
	got := w.send(t, request{method: "POST", path: "/submissions/" + of.String() + "/glass-box-links", token: w.home.Token, key: ids.New().String(), body: map[string]any{}})
	want(t, got, 403, errs.ProcessingRestricted)
	restrict(func(tx *db.Tx) error {
		_, err := hold.Lift(t.Context(), tx, in)
		return err
	})
	if got := w.glass(t, made.Token, of, ""); got.status != 200 {
		t.Errorf("after lifting %v: %d %s", placed.ID, got.status, got.body)
	}
}
