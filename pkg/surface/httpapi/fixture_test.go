package httpapi_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"assess/config"
	"assess/pkg/author/authoring"
	"assess/pkg/dev/apptest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/assignment"
	"assess/pkg/exam/inventory"
	"assess/pkg/exam/programme"
	"assess/pkg/exam/review"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
	"assess/pkg/people/idp"
	"assess/pkg/people/people"
	"assess/pkg/surface/httpapi"

	"github.com/getkin/kin-openapi/openapi3"
)

// place is one org unit with a record of every kind.
type place struct {
	Question, Draft, QuestionVersion ids.ID
	// Settled ones are published and have no draft.
	SettledQuestion, SettledEvaluation ids.ID
	Evaluation, EvaluationDraft        ids.ID
	// Open is an evaluation that stays a draft, OpenVersion its draft.
	Open, OpenVersion ids.ID
	// Unused ones can be deleted; Shelved ones take archive and restore.
	Unused, UnusedEvaluation, Shelved, ShelvedEvaluation ids.ID
	EvaluationVersion                                    ids.ID
	Session, Item                                        ids.ID
	Passage, SettledPassage, PassageVersion              ids.ID
	PassageDraft, ShelvedPassage, UnusedPassage          ids.ID
	// Submission is User's, OwnSubmission the actor's.
	Submission, OwnSubmission  ids.ID
	User, Role, Spare, Granted ids.ID
	// IDP is a provider at an address that nobody answers, Account the account of User there.
	IDP, Account ids.ID
	// Strong is the slug of one at which Actor can step up.
	Strong            string
	OrgUnit           ids.ID
	Facet             ids.ID
	Asset, SpareAsset ids.ID
	programmePlace
	sessionPlace
	taxonomyPlace
	assignmentPlace
	evidencePlace
	remediationPlace
	healthPlace
	packPlace
	skillPlace

	// Undecided wait for review, Decided was sent back for changes; all are User's.
	Undecided [3]ids.ID
	Decided   ids.ID
	// User is in Group; JoinToken opens a third one.
	Group, SpareGroup ids.ID
	JoinToken         string
	exceptionPlace
	skillFigurePlace
	compliancePlace
	requestPlace
	webhookPlace
	LTI sample.LTI
	glassPlace
	// The views are shared.
	QuestionView, EvaluationView ids.ID
	// Token belongs to a user who holds every capability except scope.all.
	Token string
	// Actor is that user.
	Actor ids.ID
	// Event is the number of an event of the org unit.
	Event string
}

func newPlace(t *testing.T, app *apptest.App, scope db.Scope) place {
	t.Helper()
	var p place
	desk := session.NewDesk()
	sample.Write(t, app.Store, scope, func(tx *db.Tx) error {
		everything := role(t, tx, capability.ScopeAll, capability.BillingManage)
		actor := sample.User(t, tx)
		_, err := people.GrantRole(t.Context(), tx, actor.ID, everything)
		if err != nil {
			return err
		}
		token, err := app.Authority.IssueToken(t.Context(), tx, actor.ID, scope.OrgUnit)
		if err != nil {
			return err
		}
		p.Token, p.Actor = token.Token, actor.ID
		p.User, p.Granted = sample.User(t, tx, capability.Candidate).ID, role(t, tx)
		p.Role, p.Spare = role(t, tx), role(t, tx)
		provider, err := idp.Create(t.Context(), tx, idp.Input{Slug: "p" + strings.ToLower(rand.Text()), Name: "North College", Issuer: "https://login.invalid",
			ClientID: "assess", OrgUnitID: tx.Scope().OrgUnit})
		if err != nil {
			return err
		}
		account, err := people.LinkAccount(t.Context(), tx, p.User, people.AccountInput{Provider: &provider.ID, Subject: "1029384756"})
		if err != nil {
			return err
		}
		p.Strong = "q" + strings.ToLower(rand.Text())
		strong, err := idp.Create(t.Context(), tx, idp.Input{Slug: p.Strong, Name: "South College", Issuer: "https://login.invalid", ClientID: "assess",
			OrgUnitID: tx.Scope().OrgUnit, StepUpACR: []string{"urn:example:two-factors"}})
		if err == nil {
			_, err = people.LinkAccount(t.Context(), tx, p.Actor, people.AccountInput{Provider: &strong.ID, Subject: "1"})
		}
		if err != nil {
			return err
		}
		p.IDP, p.Account, p.OrgUnit = provider.ID, account.ID, scope.OrgUnit
		_, err = people.GrantRole(t.Context(), tx, p.User, p.Granted)
		if err != nil {
			return err
		}
		p.Group, p.SpareGroup, p.JoinToken = groups(t, tx, p.User)
		q := sample.Question(t, tx, "A")
		p.Question, p.QuestionVersion = q.ID, q.Published.ID
		p.SettledQuestion = sample.Question(t, tx, "A").ID
		p.SettledEvaluation = sample.Evaluation(t, tx, q.ID).ID
		p.Draft = sample.Draft(t, tx, "A").ID
		passage := sample.Passage(t, tx)
		p.Passage, p.PassageVersion, p.SettledPassage = passage.ID, passage.Published.ID, sample.Passage(t, tx).ID
		p.PassageDraft, p.ShelvedPassage, p.UnusedPassage = sample.PassageDraft(t, tx).ID, sample.PassageDraft(t, tx).ID, sample.PassageDraft(t, tx).ID
		e := sample.Evaluation(t, tx, q.ID)
		p.Evaluation, p.EvaluationVersion = e.ID, e.Published.ID
		draft, err := authoring.CreateEvaluation(t.Context(), tx, sample.EvaluationInput(q.ID))
		if err != nil {
			return err
		}
		p.EvaluationDraft = draft.ID
		draft, err = authoring.CreateEvaluation(t.Context(), tx, sample.EvaluationInput(q.ID))
		if err != nil {
			return err
		}
		p.Open, p.OpenVersion = draft.ID, draft.Draft.ID
		p.QuestionView, p.EvaluationView = sharedView(t, tx, inventory.Questions), sharedView(t, tx, inventory.Evaluations)
		p.Unused, p.Shelved = sample.Draft(t, tx, "A").ID, sample.Draft(t, tx, "A").ID
		p.UnusedEvaluation, p.ShelvedEvaluation = sample.Evaluation(t, tx, q.ID).ID, sample.Evaluation(t, tx, q.ID).ID
		p.Facet, p.taxonomyPlace = taxonomyOf(t, tx)
		term := sample.Term(t, tx, "topic-"+ids.New().String(), "one")
		err = tx.QueryRow(t.Context(), "select facet_id from terms where tenant_id = $1 and id = $2", tx.Tenant(), term).Scan(&p.Facet)
		if err != nil {
			return err
		}
		p.healthPlace = healthOf(t, tx)
		p.assignmentPlace = assignmentsOf(t, tx, p)
		p.Subject, p.Engagement, p.Requirement = programmeOf(t, tx, p.Evaluation)
		p.SpareSubject = sample.Subject(t, tx).ID
		_, p.SpareEngagement, p.SpareRequirement = programmeOf(t, tx, p.Evaluation)
		p.Asset, p.SpareAsset = sample.Image(t, tx, app.Files).ID, sample.Image(t, tx, app.Files).ID
		p.Submission, p.OwnSubmission = handedIn(t, tx, desk, p.Evaluation, p.User), handedIn(t, tx, desk, p.Evaluation, p.Actor)
		for i := range p.Undecided {
			p.Undecided[i] = reviewed(t, tx, desk, p.User)
		}
		p.Decided = reviewed(t, tx, desk, p.User)
		_, err = review.RequestChanges(t.Context(), tx, review.Input{SubmissionID: p.Decided, Comment: "unclear"})
		if err != nil {
			return err
		}
		p.remediationPlace = remediationsOf(t, tx, p.Decided)
		p.skillPlace = skillsOf(t, tx)
		p.packPlace = packsOf(t, tx, sample.Evaluation(t, tx, q.ID).ID, sample.Evaluation(t, tx, q.ID).ID)
		s := startFor(t, tx, desk, p.Evaluation, p.Actor)
		p.Session, p.Item = s.ID, s.Sections[0].Items[0].ItemID
		p.sessionPlace = sessionsOf(t, tx, desk, p)
		return nil
	})
	p.evidencePlace = evidenceOf(t, app, scope, p)
	p.exceptionPlace = exceptionsOf(t, app, scope, p)
	p.skillFigurePlace = skillFiguresOf(t, app, scope, p)
	p.compliancePlace = complianceOf(t, app, scope)
	whole := scope
	whole.All = true
	p.requestPlace = requestsOf(t, app.Store, whole, p.Actor)
	p.webhookPlace = webhooksOf(t, app.Store, whole, scope.OrgUnit)
	p.glassPlace = linkOf(t, app, scope, p)
	sample.Write(t, app.Store, scope, func(tx *db.Tx) error {
		p.LTI = sample.LearningPlatform(t, tx, p.Assignment, p.User)
		return nil
	})
	sample.Write(t, app.Store, scope, func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), "select min(seq)::text from ledger_events where tenant_id = $1 and org_unit_id = $2", tx.Tenant(), scope.OrgUnit).Scan(&p.Event)
	})
	return p
}

// handedIn makes a submission.
func handedIn(t *testing.T, tx *db.Tx, desk *session.Desk, evaluation, user ids.ID) ids.ID {
	t.Helper()
	done := startFor(t, tx, desk, evaluation, user)
	r, err := desk.Submit(t.Context(), tx, session.SubmitInput{EvaluationID: evaluation, SessionID: done.ID})
	if err != nil {
		t.Fatal(err)
	}
	return r.SubmissionID
}

// assignmentPlace holds assignments to the actor; Unredeemed is one, RedeemToken the token
// of another. Theirs is User's. Locked is one of Enclosed, which is taken in Safe Exam Browser.
type assignmentPlace struct {
	Assignment, Unredeemed, Theirs, Schedule, Locked, Enclosed ids.ID
	RedeemToken                                                string
}

func assignmentsOf(t *testing.T, tx *db.Tx, p place) assignmentPlace {
	t.Helper()
	enclosed := sample.Published(t, tx, authoring.Settings{Lockdown: authoring.Lockdown{SEBFile: true}}, sample.Choice("A")).EvaluationID
	of := p.Evaluation
	hand := func(user ids.ID, run_label string) assignment.Created {
		in := assignment.CreateInput{Type: "user_id", Ref: user.String(), WithToken: true}
		in.EvaluationID, in.RunLabel = of, run_label
		made, err := assignment.Create(t.Context(), tx, in)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	in := assignment.ScheduleInput{EvaluationID: p.Evaluation, TargetType: "user_id", TargetRefs: []string{p.Actor.String()}}
	in.Rule, in.TimeZone, in.StartsAt, in.RunLabel = "FREQ=DAILY", "UTC", tx.Now().AddDate(1, 0, 0), "{date}"
	made, err := assignment.CreateSchedule(t.Context(), tx, in)
	if err != nil {
		t.Fatal(err)
	}
	all := assignmentPlace{Assignment: hand(p.Actor, "one").ID, Unredeemed: hand(p.Actor, "two").ID, Theirs: hand(p.User, "one").ID, Schedule: made.ID,
		RedeemToken: hand(p.Actor, "three").Token, Enclosed: enclosed}
	of = enclosed
	all.Locked = hand(p.Actor, "locked").ID
	return all
}

// programmePlace holds the records that assignments are about.
type programmePlace struct {
	Subject, Engagement, Requirement                ids.ID
	SpareSubject, SpareEngagement, SpareRequirement ids.ID // nothing refers to these
}

func programmeOf(t *testing.T, tx *db.Tx, evaluation ids.ID) (ids.ID, ids.ID, ids.ID) {
	t.Helper()
	subject := sample.Subject(t, tx)
	e, err := programme.CreateEngagement(t.Context(), tx, programme.EngagementInput{Name: "Sample engagement", SubjectID: &subject.ID})
	if err != nil {
		t.Fatal(err)
	}
	r, err := programme.CreateRequirement(t.Context(), tx, programme.RequirementInput{Programme: "Sample", Name: "Sample", EvaluationID: evaluation})
	if err != nil {
		t.Fatal(err)
	}
	return subject.ID, e.ID, r.ID
}

// groups makes a group with a member, one without, and one that a token opens.
func groups(t *testing.T, tx *db.Tx, member ids.ID) (ids.ID, ids.ID, string) {
	t.Helper()
	var made [3]ids.ID
	for i := range made {
		g, err := people.CreateGroup(t.Context(), tx, people.GroupInput{Name: "Group " + ids.New().String()})
		if err != nil {
			t.Fatal(err)
		}
		made[i] = g.ID
	}
	_, err := people.AddMembers(t.Context(), tx, made[0], people.MembersInput{UserIDs: []ids.ID{member}})
	if err != nil {
		t.Fatal(err)
	}
	token, err := people.RotateJoinToken(t.Context(), tx, made[2])
	if err != nil {
		t.Fatal(err)
	}
	return made[0], made[1], token.JoinToken
}

func startFor(t *testing.T, tx *db.Tx, desk *session.Desk, evaluation, user ids.ID) session.Session {
	t.Helper()
	s, err := desk.Start(t.Context(), tx, session.StartInput{EvaluationID: evaluation, UserID: &user})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// reviewed makes a submission that waits for review.
func reviewed(t *testing.T, tx *db.Tx, desk *session.Desk, user ids.ID) ids.ID {
	t.Helper()
	e := sample.Published(t, tx, authoring.Settings{ReviewPolicy: "four_eyes"}, sample.Choice("A")).EvaluationID
	r, err := desk.Submit(t.Context(), tx, session.SubmitInput{EvaluationID: e, SessionID: startFor(t, tx, desk, e, user).ID})
	if err != nil {
		t.Fatal(err)
	}
	return r.SubmissionID
}

func sharedView(t *testing.T, tx *db.Tx, k *inventory.Kind) ids.ID {
	t.Helper()
	v, err := inventory.CreateView(t.Context(), tx, k, inventory.ViewInput{Name: ids.New().String(), Visibility: "shared"})
	if err != nil {
		t.Fatal(err)
	}
	return v.ID
}

func role(t *testing.T, tx *db.Tx, without ...capability.Capability) ids.ID {
	t.Helper()
	left := capability.NewSet(without...)
	caps := []capability.Capability{}
	for _, e := range capability.All {
		if len(without) > 0 && !left.Has(e.Capability) {
			caps = append(caps, e.Capability)
		}
	}
	r, err := people.CreateRole(t.Context(), tx, people.RoleInput{Name: "Role " + ids.New().String(), Capabilities: caps})
	if err != nil {
		t.Fatal(err)
	}
	return r.ID
}

// town has three places: one's own, another org unit of the same tenant, another tenant.
type town struct {
	app                       *apptest.App
	home, nextDoor, elsewhere place
}

// newTown gives a test a town of its own: a copy of one that was built once, or a new one if the settings
// differ.
func newTown(t *testing.T, changes ...func(*config.Config)) *town {
	t.Helper()
	if len(changes) > 0 {
		return built(t, apptest.Start(t, append([]func(*config.Config){withPage}, changes...)...))
	}
	model.once.Do(func() {
		model.service = apptest.Prepare(t, func(t *testing.T, app *apptest.App) { model.town = *built(t, app) })
	})
	if model.service == nil {
		t.Fatal("the town that all are copies of could not be built")
	}
	w := model.town
	w.app = model.service.Start(t, withPage)
	return &w
}

// withPage says where candidates go.
func withPage(c *config.Config) { c.Auth.AppURL = "https://app.example.org/" }

var model struct {
	once    sync.Once
	service *apptest.Prepared
	town    town
}

func built(t *testing.T, app *apptest.App) *town {
	t.Helper()
	here := app.Scope
	here.All = false
	nextDoor := here
	nextDoor.OrgUnit = app.OtherOrgUnit
	return &town{app: app, home: newPlace(t, app, here), nextDoor: newPlace(t, app, nextDoor),
		elsewhere: newPlace(t, app, sample.Tenant(t, app.Store))}
}

func (w *town) proof(t *testing.T, p place) string {
	t.Helper()
	var proof access.Proof
	sample.Write(t, w.app.Store, w.app.Scope, func(tx *db.Tx) error {
		var err error
		proof, err = w.app.Authority.IssueProof(t.Context(), tx, p.Actor, access.ByOperator)
		return err
	})
	return proof.ID.String()
}

// request is the request of a client. Empty fields leave the header out.
type request struct {
	method, path string
	token, key   string
	proof        string
	context      string
	body         any
	contentType  string
	// header is set last.
	header map[string]string
}

type response struct {
	status int
	header http.Header
	body   []byte
	// problem is filled for everything that is not 2xx.
	problem httpapi.Problem
}

func (w *town) send(t *testing.T, r request) response {
	t.Helper()
	var body io.Reader
	contentType := r.contentType
	switch b := r.body.(type) {
	case nil:
	case string:
		body = strings.NewReader(b)
	case []byte:
		body = bytes.NewReader(b)
	default:
		encoded, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		body = bytes.NewReader(encoded)
	}
	if contentType == "" {
		contentType = "application/json"
	}
	req, err := http.NewRequestWithContext(t.Context(), r.method, w.app.URL+"/api/v1"+r.path, body)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Authorization": bearer(r.token), "Idempotency-Key": r.key,
		"X-Step-Up-Proof": r.proof, "X-Verification-Context": r.context, "Content-Type": contentType, "Accept": "application/json"} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	for name, value := range r.header {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	got := response{status: res.StatusCode, header: res.Header}
	got.body, err = io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if got.status >= 400 {
		err := json.Unmarshal(got.body, &got.problem)
		if err != nil || got.problem.Code == "" || got.problem.Message == "" {
			t.Errorf("%s %s: %d without an error body: %s", r.method, r.path, got.status, got.body)
		}
		if !isNamed(t, r.method, r.path, got.status) {
			t.Errorf("%s %s: the description does not name %d (%s)", r.method, r.path, got.status, got.problem.Code)
		}
	}
	return got
}

// theDescription is read once for all tests.
var theDescription = sync.OnceValues(func() (*openapi3.T, error) {
	asJSON, _, err := httpapi.Describe()
	if err != nil {
		return nil, err
	}
	return openapi3.NewLoader().LoadFromData(asJSON)
})

// isNamed says whether the description names a status of refusal for the route that a path belongs to. Paths of no
// route, and server errors, have none.
func isNamed(t *testing.T, method, path string, status int) bool {
	t.Helper()
	document, err := theDescription()
	if err != nil {
		t.Fatal(err)
	}
	path, _, _ = strings.Cut("/api/v1"+path, "?")
	parts := strings.Split(path, "/")
	for template, item := range document.Paths.Map() {
		names := strings.Split(template, "/")
		fits := len(names) == len(parts) && item.GetOperation(method) != nil
		for i := 0; fits && i < len(names); i++ {
			fits = names[i] == parts[i] || strings.HasPrefix(names[i], "{") && document.Paths.Value(strings.Join(append(slices.Clone(names[:i]), parts[i:]...), "/")) == nil
		}
		if fits && status < 500 && item.GetOperation(method).Responses.Status(status) == nil {
			return false
		}
	}
	return true
}

func bearer(token string) string {
	if token == "" {
		return ""
	}
	return "Bearer " + token
}
