package policy_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/review"
	"assess/pkg/exam/session"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
	"assess/pkg/people/policy"
)

// office is a tenant with a policy manager, a candidate and a proctor.
type office struct {
	t                                     *testing.T
	store                                 *db.Store
	desk                                  *session.Desk
	operator, manager, candidate, proctor db.Scope
}

func newOffice(t *testing.T) *office {
	t.Helper()
	store := sample.Store(t)
	o := &office{t: t, store: store, desk: session.NewDesk(), operator: sample.Tenant(t, store)}
	sample.Write(t, store, o.operator, func(tx *db.Tx) error {
		o.manager = sample.As(o.operator, sample.User(t, tx).ID, capability.PoliciesManage)
		o.candidate = sample.As(o.operator, sample.User(t, tx).ID, capability.SessionsTake)
		o.proctor = sample.As(o.operator, sample.User(t, tx).ID, capability.SessionsProctor, capability.SubmissionsReview,
			capability.SubmissionsVoid, capability.SubmissionsRead)
		return nil
	})
	return o
}

func (o *office) try(as db.Scope, do func(*db.Tx) error) error {
	o.t.Helper()
	return o.store.Write(o.t.Context(), as, do)
}

func (o *office) must(as db.Scope, do func(*db.Tx) error) {
	o.t.Helper()
	if err := o.try(as, do); err != nil {
		o.t.Fatal(err)
	}
}

// proof gives the scope with a fresh proof of its user.
func (o *office) proof(as db.Scope, method string) db.Scope {
	o.t.Helper()
	as.Proof = ids.New()
	o.must(o.operator, func(tx *db.Tx) error {
		_, err := tx.Exec(o.t.Context(), `insert into step_up_proofs (tenant_id, id, user_id, method, created_at, expires_at)
			values ($1, $2, $3, $4, now(), now() + interval '1 minute')`, tx.Tenant(), as.Proof, as.Actor.ID, method)
		return err
	})
	return as
}

// session opens a session of the candidate at a level and gives a function that submits it.
func (o *office) session(level, reviewPolicy string) func(as db.Scope) (ids.ID, error) {
	o.t.Helper()
	var in session.SubmitInput
	o.must(o.operator, func(tx *db.Tx) error {
		s := sample.Published(o.t, tx, authoring.Settings{VerificationLevel: level, ReviewPolicy: reviewPolicy, PassMarkPercent: new(float64)}, sample.Choice("A"))
		user := o.candidate.Actor.ID
		open, err := o.desk.Start(o.t.Context(), tx, session.StartInput{EvaluationID: s.EvaluationID, UserID: &user})
		in = session.SubmitInput{EvaluationID: s.EvaluationID, SessionID: open.ID}
		if asks := open.VerificationPolicy != nil; asks != (level != "L1") {
			o.t.Errorf("%s: the session says that there is something to prove: %t", level, asks)
		}
		return err
	})
	return func(as db.Scope) (ids.ID, error) {
		return in.SessionID, o.try(as, func(tx *db.Tx) error {
			_, err := o.desk.Submit(o.t.Context(), tx, in)
			return err
		})
	}
}

func (o *office) count(sql string, args ...any) int {
	o.t.Helper()
	var n int
	o.must(o.operator, func(tx *db.Tx) error {
		dbtest.AllNodes(o.t, tx)
		return tx.QueryRow(o.t.Context(), sql, args...).Scan(&n)
	})
	return n
}

func says(as db.Scope, fields map[string]string) db.Scope {
	as.Context = &db.Context{Kind: policy.BySession, Fields: fields}
	return as
}

// wants gives the code of an error, and the paths of its fields.
func wants(err error) []string {
	if err == nil {
		return nil
	}
	found := []string{string(errs.Of(err).Code)}
	for _, f := range errs.Of(err).Fields {
		found = append(found, f.Path)
	}
	return found
}

func TestRetentionVersionsFollowOneAnother(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	set := func(from *time.Time, policies ...policy.Retention) (policy.RetentionPolicies, error) {
		var got policy.RetentionPolicies
		err := o.try(o.proof(o.manager, access.ByMagicLink), func(tx *db.Tx) error {
			var err error
			got, err = policy.SetRetention(t.Context(), tx, policy.RetentionInput{Policies: policies, UpdatedAt: from})
			return err
		})
		return got, err
	}
	year := policy.Retention{Domain: "submissions", Days: 365, Action: policy.Redact}
	week := policy.Retention{Domain: "telemetry", Days: 7, Action: policy.Delete}
	first, err := set(nil, week, year)
	if err != nil || len(first.Policies) != 2 || first.Policies[0].Domain != "submissions" || *first.Policies[0].Days != 365 {
		t.Fatalf("first: %+v, %v", first, err)
	}
	same, err := set(first.UpdatedAt, year, week)
	if diff := cmp.Diff(first, same); err != nil || diff != "" {
		t.Errorf("the same again: %v\n%s", err, diff)
	}
	year.Days = 730
	second, err := set(first.UpdatedAt, year)
	if err != nil || len(second.Policies) != 1 || second.Policies[0].Number != 2 || second.Policies[0].ID == first.Policies[0].ID {
		t.Fatalf("second: %+v, %v", second, err)
	}
	if _, err := set(first.UpdatedAt, year); errs.Of(err).Code != errs.StaleUpdate {
		t.Errorf("from an old state: %v", err)
	}
	_, err = set(nil, policy.Retention{Domain: "x", Days: 0, Action: "burn"}, year, year)
	want := []string{"validation_failed", "policies[0].domain", "policies[0].days", "policies[0].action", "policies[2].domain"}
	if diff := cmp.Diff(want, wants(err)); diff != "" {
		t.Error(diff)
	}
	var list db.List[policy.RetentionVersion]
	o.must(o.manager, func(tx *db.Tx) error {
		var err error
		list, err = policy.ListRetentionVersions(t.Context(), tx, policy.VersionFilter{Domain: "telemetry"})
		return err
	})
	if list.Total != 2 || list.Items[0].Days != nil || *list.Items[1].Days != 7 {
		t.Errorf("versions of telemetry: %+v", list)
	}
	if err := o.try(o.candidate, func(tx *db.Tx) error {
		_, err := policy.GetRetention(t.Context(), tx)
		return err
	}); errs.Of(err).Code != errs.Forbidden {
		t.Errorf("without the capability: %v", err)
	}
	if got := o.count("select count(*) from ledger_events where event_type = 'retention_policies.set'"); got != 2 {
		t.Errorf("%d ledger events, want 2", got)
	}
	if err := o.try(o.operator, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "update retention_policies set days = 1")
		return err
	}); err == nil {
		t.Error("a version was changed")
	}
}

func TestSubmissionsAreKeptUnderThePolicyInForce(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	read := func(id ids.ID) submission.Submission {
		var got submission.Submission
		o.must(o.operator, func(tx *db.Tx) error {
			var err error
			got, err = submission.Get(t.Context(), tx, submission.GetInput{ID: id})
			return err
		})
		return got
	}
	submit := func() submission.Submission {
		id, err := o.session("L1", "")(o.candidate)
		if err != nil {
			t.Fatal(err)
		}
		return read(id)
	}
	if s := submit(); s.RetainUntil != nil || s.RetentionBasis != nil || *s.HoldFlag {
		t.Errorf("without a policy: %+v", s)
	}
	var set policy.RetentionPolicies
	change := func(policies ...policy.Retention) {
		o.must(o.proof(o.manager, access.ByMagicLink), func(tx *db.Tx) error {
			var err error
			set, err = policy.SetRetention(t.Context(), tx, policy.RetentionInput{Policies: policies})
			return err
		})
	}
	change(policy.Retention{Domain: "submissions", Days: 10, Action: policy.Delete})
	kept := submit()
	if !kept.RetainUntil.Equal(kept.CompletedAt.Add(240*time.Hour)) || *kept.RetentionBasis != "policy:"+set.Policies[0].ID.String() {
		t.Errorf("under a policy of ten days: completed %s, kept until %s, basis %s", kept.CompletedAt, kept.RetainUntil, *kept.RetentionBasis)
	}
	change()
	if s := submit(); s.RetainUntil != nil || s.RetentionBasis != nil {
		t.Errorf("after the policy ended: %+v", s)
	}
	if again := read(kept.ID); !again.RetainUntil.Equal(*kept.RetainUntil) {
		t.Error("a later change reached a record that was there")
	}
}

func TestRefsNameWhatIsAsked(t *testing.T) {
	t.Parallel()
	base := policy.Rules{RequireContext: true, RequiredContextFields: []string{"room", "device"}}
	one, err := base.Ref("L2")
	if err != nil {
		t.Fatal(err)
	}
	same, stepUp, fewer := base, base, base
	same.RequiredContextFields, same.Methods = []string{"device", "room"}, []string{"operator"}
	stepUp.RequireStepUp, fewer.RequiredContextFields = true, []string{"room"}
	seen := map[string]bool{one: true}
	if ref, _ := same.Ref("L2"); ref != one {
		t.Errorf("order or methods changed the ref: %s, %s", ref, one)
	}
	for _, other := range []struct {
		rules policy.Rules
		level string
	}{{base, "L3"}, {stepUp, "L2"}, {fewer, "L2"}} {
		ref, _ := other.rules.Ref(other.level)
		if seen[ref] {
			t.Errorf("two policies have the ref %s", ref)
		}
		seen[ref] = true
	}
	// The SHA-256 of {"level":"level_2","requireContext":true,"requireStepUp":false,"requiredContextFields":["device","room"]}.
	if want := "verification_policy/v1/level_2/1e3f9ad96ac1c17d973f3d4075b19cf3257754f08e9b094cbca7b2783c78e153"; one != want {
		t.Errorf("got %s, want %s", one, want)
	}
}

func TestVerificationPoliciesAreReplacedAsAWhole(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	set := func(in policy.VerificationInput) (policy.VerificationPolicies, error) {
		var got policy.VerificationPolicies
		err := o.try(o.manager, func(tx *db.Tx) error {
			var err error
			got, err = policy.SetVerification(t.Context(), tx, in)
			return err
		})
		return got, err
	}
	defaults, err := set(policy.VerificationInput{})
	if err != nil || len(defaults.Policies) != 24 || defaults.UpdatedAt != nil {
		t.Fatalf("defaults: %+v, %v", defaults, err)
	}
	wanted := policy.Verification{Level: "L1", AppliesTo: policy.Submissions,
		Rules: policy.Rules{RequireContext: true, RequiredContextFields: []string{"room"}}}
	changed, err := set(policy.VerificationInput{Policies: []policy.Verification{wanted}})
	if err != nil || !changed.Policies[0].RequireContext || !slices.Equal(changed.Policies[0].Methods, policy.Methods) ||
		changed.Policies[0].PolicyRef == defaults.Policies[0].PolicyRef {
		t.Errorf("changed: %+v, %v", changed.Policies[0], err)
	}
	back, err := set(policy.VerificationInput{UpdatedAt: changed.UpdatedAt})
	if diff := cmp.Diff(defaults.Policies, back.Policies); err != nil || diff != "" {
		t.Errorf("back to the defaults: %v\n%s", err, diff)
	}
	if _, err := set(policy.VerificationInput{UpdatedAt: changed.UpdatedAt}); errs.Of(err).Code != errs.StaleUpdate {
		t.Errorf("from an old state: %v", err)
	}
	lower := policy.Verification{Level: "L4", AppliesTo: policy.Claims, Rules: policy.Rules{RequiredContextFields: []string{"a b", "x", "x"}, Methods: []string{"wink"}}}
	_, err = set(policy.VerificationInput{Policies: []policy.Verification{lower, {Level: "L9"}, wanted, wanted}})
	want := []string{"validation_failed", "policies[0].requireStepUp", "policies[0].requireContext", "policies[0].requiredContextFields[0]",
		"policies[0].requiredContextFields[2]", "policies[0].methods[0]", "policies[1]", "policies[3]"}
	if diff := cmp.Diff(want, wants(err)); diff != "" {
		t.Error(diff)
	}
}

// Each level by default: what a submit must prove, and who must prove it.
func TestSubmitProvesWhatWasFrozen(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	context := says(o.candidate, nil)
	proven := func(as db.Scope) db.Scope {
		return o.proof(says(as, map[string]string{"room": "12"}), access.ByMagicLink)
	}
	stolen := says(o.candidate, nil)
	stolen.Proof = o.proof(o.proctor, access.ByMagicLink).Proof
	for _, tt := range []struct {
		name, level string
		as          db.Scope
		want        []string
	}{
		{"L1 asks nothing", "L1", o.candidate, nil},
		{"L2 without a context", "L2", o.candidate, []string{"validation_failed", "X-Verification-Context"}},
		{"L2 with a context", "L2", context, nil},
		{"L3 without a proof", "L3", context, []string{"step_up_required"}},
		{"L3 with another's proof", "L3", stolen, []string{"step_up_required"}},
		{"L3 with a proof", "L3", proven(o.candidate), nil},
		{"L4 without a proctor", "L4", proven(o.candidate), []string{"forbidden"}},
		{"L4 by a proctor without a proof", "L4", says(o.proctor, nil), []string{"step_up_required"}},
		{"L4 by a proctor", "L4", proven(o.proctor), nil},
		{"L4 of a proctor's own", "L4", proven(sample.As(o.operator, o.candidate.Actor.ID, capability.SessionsTake, capability.SessionsProctor)), []string{"four_eyes_required"}},
		{"an operator", "L4", o.operator, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			submit := o.session(tt.level, "")
			id, err := submit(tt.as)
			if diff := cmp.Diff(tt.want, wants(err)); diff != "" {
				t.Fatal(diff)
			}
			recorded := 0
			if err == nil && tt.level != "L1" && tt.as.Actor.Kind == db.UserActor {
				recorded = 1
			}
			if got := o.count("select count(*) from verifications where subject_id = $1", id); got != recorded {
				t.Errorf("%d verifications, want %d", got, recorded)
			}
			if err == nil && tt.level == "L3" {
				if _, err := submit(tt.as); err != nil {
					t.Errorf("submitted again: %v", err)
				}
				if _, err := o.session("L3", "")(tt.as); !slices.Equal(wants(err), []string{"step_up_required"}) {
					t.Errorf("the proof is used: %v", err)
				}
			}
		})
	}
}

func TestAMethodThatIsNoLongerTrustedProvesNothing(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	submit := o.session("L3", "")
	rules := policy.Default("L3", policy.Submissions)
	rules.Methods = []string{access.ByOperator}
	rules.RequiredContextFields = []string{"room"}
	o.must(o.manager, func(tx *db.Tx) error {
		_, err := policy.SetVerification(t.Context(), tx, policy.VerificationInput{
			Policies: []policy.Verification{{Level: "L3", AppliesTo: policy.Submissions, Rules: rules}}})
		return err
	})
	_, err := submit(o.proof(says(o.candidate, nil), access.ByMagicLink))
	if diff := cmp.Diff([]string{"step_up_required"}, wants(err)); diff != "" {
		t.Error(diff)
	}
	// The field came after publishing: the frozen policy does not need it, the one published now does.
	if _, err := submit(o.proof(says(o.candidate, nil), access.ByOperator)); err != nil {
		t.Errorf("with a method of the day: %v", err)
	}
	_, err = o.session("L3", "")(o.proof(says(o.candidate, nil), access.ByOperator))
	if diff := cmp.Diff([]string{"validation_failed", "X-Verification-Context.fields.room"}, wants(err)); diff != "" {
		t.Error(diff)
	}
}

func TestReviewIsHeldToThePolicyOfTheDay(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	id, err := o.session("L2", "four_eyes")(says(o.candidate, nil))
	if err != nil {
		t.Fatal(err)
	}
	decide := func(as db.Scope, what func(tx *db.Tx) error) []string { return wants(o.try(as, what)) }
	approve := func(tx *db.Tx) error {
		_, err := review.Approve(t.Context(), tx, review.Input{SubmissionID: id})
		return err
	}
	void := func(tx *db.Tx) error {
		_, err := review.Void(t.Context(), tx, review.Input{SubmissionID: id, Comment: "because"})
		return err
	}
	if got := decide(o.proctor, approve); !slices.Equal(got, []string{"validation_failed", "X-Verification-Context"}) {
		t.Errorf("without a context: %v", got)
	}
	// The policy becomes stricter after the submit, and that is the one that counts.
	o.must(o.manager, func(tx *db.Tx) error {
		rules := policy.Default("L2", policy.ReviewActions)
		rules.RequiredContextFields = []string{"room"}
		_, err := policy.SetVerificationOf(t.Context(), tx, policy.Verification{Level: "L2", AppliesTo: policy.ReviewActions, Rules: rules})
		return err
	})
	if got := decide(says(o.proctor, nil), approve); !slices.Equal(got, []string{"validation_failed", "X-Verification-Context.fields.room"}) {
		t.Errorf("without the field that is asked for since: %v", got)
	}
	inRoom := says(o.proctor, map[string]string{"room": "twelve"})
	if got := decide(inRoom, approve); got != nil {
		t.Errorf("with a context: %v", got)
	}
	if got := decide(inRoom, void); !slices.Equal(got, []string{"step_up_required"}) {
		t.Errorf("voiding without a proof: %v", got)
	}
	if got := decide(o.proof(inRoom, access.ByMagicLink), void); got != nil {
		t.Errorf("voiding with a proof: %v", got)
	}
	if got := o.count(`select count(*) from ledger_events where subject_id = $1 and payload -> 'authority' ->> 'kind' is not null`, id); got != 2 {
		t.Errorf("%d ledger events name the authority, want 2", got)
	}
	if got := o.count("select count(*) from ledger_events where payload::text like '%twelve%'"); got != 0 {
		t.Error("the ledger holds what the context says")
	}
}

func TestDefaultsRiseWithTheLevel(t *testing.T) {
	t.Parallel()
	for _, action := range policy.Actions {
		var asked []int
		for _, level := range policy.Levels {
			rules := policy.Default(level, action)
			n := map[bool]int{true: 1}
			asked = append(asked, n[rules.RequireContext]+n[rules.RequireStepUp])
		}
		if !slices.IsSorted(asked) {
			t.Errorf("%s: %v", action, asked)
		}
	}
}

// Each changes one policy of several, and the other one's change is still there afterwards.
func TestTwoChangesOfOnePolicyEachAreBothKept(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for name, set := range map[string]func(tx *db.Tx, n int) error{
		"retention": func(tx *db.Tx, n int) error {
			_, err := policy.SetRetentionOf(t.Context(), tx, policy.Retention{Domain: []string{"sessions", "evidence"}[n], Days: 30, Action: "delete"})
			return err
		},
		"verification": func(tx *db.Tx, n int) error {
			_, err := policy.SetVerificationOf(t.Context(), tx, policy.Verification{Level: "L1", AppliesTo: policy.Actions[n],
				Rules: policy.Rules{RequireContext: true, RequiredContextFields: []string{"room"}, Methods: []string{access.ByMagicLink}}})
			return err
		},
	} {
		var second <-chan error
		one, two := o.proof(o.manager, access.ByMagicLink), o.proof(o.manager, access.ByMagicLink)
		o.must(one, func(tx *db.Tx) error {
			err := set(tx, 0)
			second = sample.Blocked(t, tx, func() error { return o.try(two, func(tx *db.Tx) error { return set(tx, 1) }) })
			return err
		})
		if err := <-second; err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := o.count("select count(*) from retention_policies where days = 30"); n != 2 {
		t.Errorf("%d retention policies, want 2", n)
	}
	o.must(o.manager, func(tx *db.Tx) error {
		inForce, err := policy.GetRetention(t.Context(), tx)
		if err != nil || len(inForce.Policies) != 2 {
			t.Errorf("in force: %+v, error %v", inForce, err)
		}
		all, err := policy.GetVerification(t.Context(), tx)
		set := 0
		for _, p := range all.Policies {
			if slices.Equal(p.RequiredContextFields, []string{"room"}) {
				set++
			}
		}
		if err != nil || set != 2 {
			t.Errorf("%d verification policies were set, want 2; error %v", set, err)
		}
		return nil
	})
}
