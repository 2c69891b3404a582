package session_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/assignment"
	"assess/pkg/exam/seb"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func (r *room) probe(as db.Scope, open ids.ID, client session.Client) (session.Probe, error) {
	var got session.Probe
	err := r.store.Read(r.t.Context(), as, func(tx *db.Tx) error {
		var err error
		got, err = r.desk.ProbeLockdown(r.t.Context(), tx, session.ProbeInput{EvaluationID: r.snapshot.EvaluationID, SessionID: open, Client: client})
		return err
	})
	return got, err
}

// doors are all calls that a locked session takes only from a locked client. The last one ends it.
func (r *room) doors(tx *db.Tx, assigned *ids.ID, open session.Session, client session.Client) []func() error {
	evaluation, view := r.snapshot.EvaluationID, &open.View
	return []func() error{
		func() error {
			_, err := r.desk.Start(r.t.Context(), tx, session.StartInput{EvaluationID: evaluation, AssignmentID: assigned, Client: client})
			return err
		},
		func() error {
			_, err := r.desk.Get(r.t.Context(), tx, session.GetInput{EvaluationID: evaluation, SessionID: open.ID, Client: client})
			return err
		},
		func() error {
			s, err := r.desk.Resume(r.t.Context(), tx, session.ResumeInput{EvaluationID: evaluation, SessionID: open.ID, Client: client})
			*view = max(s.View, *view)
			return err
		},
		func() error {
			_, err := r.desk.StartSection(r.t.Context(), tx, session.StartSectionInput{EvaluationID: evaluation, SessionID: open.ID, SectionID: r.snapshot.Sections[0].ID, View: view, Client: client})
			return err
		},
		func() error {
			_, err := r.desk.Save(r.t.Context(), tx, session.SaveInput{EvaluationID: evaluation, SessionID: open.ID, View: view, Client: client,
				Answers: []session.Answer{answer(r.item(0), int64(*view), choseA)}})
			return err
		},
		func() error {
			_, err := r.desk.Submit(r.t.Context(), tx, session.SubmitInput{EvaluationID: evaluation, SessionID: open.ID, View: view, Client: client})
			return err
		},
	}
}

// enters tries all doors, and takes back what they did.
func (r *room) enters(as db.Scope, assigned *ids.ID, open session.Session, client session.Client) []errs.Code {
	r.t.Helper()
	var got []errs.Code
	undo := errors.New("undo")
	for i := range 6 {
		err := r.store.Write(r.t.Context(), as, func(tx *db.Tx) error {
			err := r.doors(tx, assigned, open, client)[i]()
			if err == nil {
				got = append(got, "")
				return undo
			}
			got = append(got, errs.Of(err).Code)
			return err
		})
		if err == nil {
			r.t.Fatal("it was kept")
		}
	}
	return got
}

func all(code errs.Code) []errs.Code { return []errs.Code{code, code, code, code, code, code} }

func (r *room) startLocked(client session.Client, assigned *ids.ID) session.Session {
	r.t.Helper()
	s, err := r.tryStart(r.candidate, session.StartInput{EvaluationID: r.snapshot.EvaluationID, AssignmentID: assigned, Client: client})
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

func TestLockdownIsProbedAndHeld(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{Lockdown: authoring.Lockdown{Required: true, AllowPaste: true, AllowFullscreenExit: true}}, sample.Choice("A"))
	locked := session.Client{Lockdown: "paste, focus_loss,copy,"}
	s := r.startLocked(locked, nil)
	const focus, copying = "This client does not say that it prevents going to another window.", "This client does not say that it prevents copying."
	for header, want := range map[string]session.Probe{
		"": {Required: true, Demands: []string{"focus_loss", "copy"}, Prevents: []string{}, Missing: []string{"focus_loss", "copy"}, Why: []string{focus, copying}},
		"Copy": {Required: true, Demands: []string{"focus_loss", "copy"}, Prevents: []string{"copy"}, Missing: []string{"focus_loss"},
			Why: []string{focus}},
		locked.Lockdown: {Required: true, Demands: []string{"focus_loss", "copy"},
			Prevents: []string{"paste", "focus_loss", "copy"}, Missing: []string{}, Why: []string{}, Fulfilled: true},
	} {
		got, err := r.probe(r.candidate, s.ID, session.Client{Lockdown: header})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", header, diff)
		}
		code := errs.LockdownRequired
		if want.Fulfilled {
			code = ""
		}
		if diff := cmp.Diff(all(code), r.enters(r.candidate, nil, s, session.Client{Lockdown: header})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", header, diff)
		}
	}
	// Who acts for somebody else has no browser to lock.
	if _, err := r.save(r.person(capability.SessionsProctor), s.ID, answer(r.item(0), 1, choseA)); err != nil {
		t.Error(err)
	}
	if _, err := r.get(r.person(capability.SessionsProctor), s.ID); err != nil {
		t.Error(err)
	}
	if _, err := r.submit(r.person(capability.SessionsProctor), s.ID, nil); err != nil {
		t.Error(err)
	}
	// An ended session shows no questions that still count, and can be read anywhere.
	if _, err := r.get(r.candidate, s.ID); err != nil {
		t.Error(err)
	}
	_, err := r.resume(r.candidate, s.ID)
	wantCode(t, err, errs.SessionNotOpen)
	if again, err := r.submit(r.candidate, s.ID, nil); err != nil || !again.AlreadyComplete {
		t.Errorf("submitted again: %+v, %v", again, err)
	}
}

// When the time is over a session ends, whatever the client is.
func TestASessionThatIsOverNeedsNoLockedClient(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{TimeLimitSeconds: ptr(600), Lockdown: authoring.Lockdown{SEBConfigKeys: []string{strings.Repeat("ab", 32)}}}, sample.Choice("A"))
	s := r.startLocked(inSEB(strings.Repeat("ab", 32), ""), nil)
	r.overrun(s.ID)
	if got, err := r.get(r.candidate, s.ID); err != nil || got.State != "expired" {
		t.Errorf("got %s, %v", got.State, err)
	}
	if _, err := r.submit(r.candidate, s.ID, nil); err != nil {
		t.Error(err)
	}
}

func TestLockdownThatIsNotRequiredRefusesNobody(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"))
	s := r.start(r.candidate)
	got, err := r.probe(r.candidate, s.ID, session.Client{})
	if err != nil || got.Required || !got.Fulfilled || len(got.Missing) != 4 || len(got.Why) != 0 {
		t.Errorf("got %+v, %v", got, err)
	}
	if diff := cmp.Diff(all(""), r.enters(r.candidate, nil, s, session.Client{})); diff != "" {
		t.Error(diff)
	}
	_, err = r.probe(r.person(capability.SessionsTake), s.ID, session.Client{})
	wantCode(t, err, errs.NotFound)
}

const called, shown = "https://exams.example.org/api/v1/evaluations?lang=en", "https://app.example.org/"

// inSEB is a call from Safe Exam Browser with these keys, as it says them of the page.
func inSEB(config, browser string) session.Client {
	c := session.Client{Addresses: []string{called, shown}, App: shown}
	if config != "" {
		c.ConfigKeyHash = seb.Hash(shown, config)
	}
	if browser != "" {
		c.BrowserKeyHash = seb.Hash(called, browser)
	}
	return c
}

func TestSafeExamBrowserIsProvedByItsKeys(t *testing.T) {
	t.Parallel()
	a, b, c := strings.Repeat("a1", 32), strings.Repeat("b2", 32), strings.Repeat("c3", 32)
	both := authoring.Lockdown{SEBConfigKeys: []string{a, b}, SEBBrowserExamKeys: []string{c}}
	for name, test := range map[string]struct {
		lockdown authoring.Lockdown
		client   session.Client
		missing  []string
	}{
		"a Config Key":                      {authoring.Lockdown{SEBConfigKeys: []string{a, b}}, inSEB(b, ""), nil},
		"another Config Key":                {authoring.Lockdown{SEBConfigKeys: []string{a, b}}, inSEB(c, ""), []string{"seb_config_key"}},
		"another browser":                   {authoring.Lockdown{SEBConfigKeys: []string{a}}, session.Client{Addresses: []string{called}}, []string{"seb_config_key"}},
		"a hash of another address":         {authoring.Lockdown{SEBConfigKeys: []string{a}}, session.Client{ConfigKeyHash: seb.Hash(shown, a), Addresses: []string{called}}, []string{"seb_config_key"}},
		"a word in place of a hash":         {authoring.Lockdown{SEBConfigKeys: []string{a}}, session.Client{ConfigKeyHash: a, Addresses: []string{called}}, []string{"seb_config_key"}},
		"a Browser Exam Key":                {authoring.Lockdown{SEBBrowserExamKeys: []string{a, b}}, inSEB("", a), nil},
		"a Config Key where a browser's is": {authoring.Lockdown{SEBBrowserExamKeys: []string{a}}, inSEB(a, ""), []string{"seb_browser_exam_key"}},
		"both":                              {both, inSEB(a, c), nil},
		"one of both":                       {both, inSEB(a, ""), []string{"seb_browser_exam_key"}},
		"neither of both":                   {both, inSEB(c, a), []string{"seb_config_key", "seb_browser_exam_key"}},
		"and X-Lockdown":                    {authoring.Lockdown{Required: true, SEBConfigKeys: []string{a}}, inSEB(a, ""), []string{"fullscreen_exit", "focus_loss", "copy", "paste"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRoom(t, authoring.Settings{Lockdown: test.lockdown}, sample.Choice("A"))
			good := inSEB(a, append(test.lockdown.SEBBrowserExamKeys, "")[0])
			good.Lockdown = "fullscreen_exit,focus_loss,copy,paste"
			s := r.startLocked(good, nil)
			got, err := r.probe(r.candidate, s.ID, test.client)
			if err != nil || !got.Required || got.Fulfilled != (test.missing == nil) || len(got.Why) != len(test.missing) {
				t.Errorf("the probe says %+v, %v", got, err)
			}
			code := errs.LockdownRequired
			if test.missing == nil {
				code = ""
			}
			if diff := cmp.Diff(all(code), r.enters(r.candidate, nil, s, test.client)); diff != "" {
				t.Error(diff)
			}
			_, err = r.tryStart(r.candidate, session.StartInput{EvaluationID: r.snapshot.EvaluationID, Client: test.client})
			if test.missing != nil {
				if diff := cmp.Diff(any(test.missing), errs.Of(err).Details["missing"]); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

// The file that an assignment has is taken by its sessions, and by no others.
func TestTheFileOfAnAssignmentOpensItsSessions(t *testing.T) {
	t.Parallel()
	listed := strings.Repeat("a1", 32)
	r := newRoom(t, authoring.Settings{Lockdown: authoring.Lockdown{SEBFile: true, SEBConfigKeys: []string{listed}}}, sample.Choice("A"))
	var mine, other ids.ID
	sample.Write(t, r.store, r.operator, func(tx *db.Tx) error {
		for _, id := range []*ids.ID{&mine, &other} {
			input := assignment.CreateInput{Type: "user_id", Ref: r.candidate.Actor.ID.String()}
			input.EvaluationID, input.RunLabel = r.snapshot.EvaluationID, ids.New().String()
			made, err := assignment.Create(t.Context(), tx, input)
			if err != nil {
				return err
			}
			*id = made.ID
		}
		return nil
	})
	var settings seb.Settings
	err := r.store.Read(t.Context(), r.candidate, func(tx *db.Tx) error {
		var err error
		settings, err = assignment.SEBSettings(t.Context(), tx, mine, shown)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	key := settings.ConfigKey()
	s := r.startLocked(inSEB(key, ""), &mine)
	for name, test := range map[string]struct {
		assigned ids.ID
		client   session.Client
		want     errs.Code
	}{
		"its own file":                  {mine, inSEB(key, ""), ""},
		"a key that is listed":          {mine, inSEB(listed, ""), ""},
		"the file of another":           {mine, inSEB(seb.Exam(shown, other).ConfigKey(), ""), errs.LockdownRequired},
		"a file for another page":       {mine, inSEB(seb.Exam("https://evil.example/", mine).ConfigKey(), ""), errs.LockdownRequired},
		"no file":                       {mine, session.Client{Addresses: []string{called}, App: shown}, errs.LockdownRequired},
		"its own, but there is no page": {mine, session.Client{ConfigKeyHash: seb.Hash(called, seb.Exam("", mine).ConfigKey()), Addresses: []string{called}}, errs.LockdownRequired},
	} {
		if diff := cmp.Diff(all(test.want), r.enters(r.candidate, &test.assigned, s, test.client)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	_, err = r.tryStart(r.candidate, session.StartInput{EvaluationID: r.snapshot.EvaluationID, AssignmentID: &other, Client: inSEB(key, "")})
	wantCode(t, err, errs.LockdownRequired)
	// A process that did not see the start knows whose file it is.
	r.desk = session.NewDesk()
	if diff := cmp.Diff(all(""), r.enters(r.candidate, &mine, s, inSEB(key, ""))); diff != "" {
		t.Error(diff)
	}
}
