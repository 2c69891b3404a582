package readiness

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

var submitted = time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)

// choice is one thing that facts can differ in: every value that the rules tell apart.
type choice []func(*Facts)

func flag(set func(*Facts)) choice { return choice{func(*Facts) {}, set} }

// knowledge, observation and evidence list what the rules of an entry look at.
var knowledge = []choice{
	flag(func(f *Facts) { f.Counts = true }),
	flag(func(f *Facts) { f.Voided = true }),
	flag(func(f *Facts) { f.Waits = true }),
	flag(func(f *Facts) { f.Invalid = true }),
	flag(func(f *Facts) { f.HasPassMark = true }),
	flag(func(f *Facts) { f.Unreviewed = true }),
	{outcome("pass"), outcome("fail"), outcome("incomplete")},
}

var observation = []choice{
	{frozen(Policy{}), frozen(Policy{RequireContext: true}), frozen(Policy{RequireContext: true, Fields: []string{"room"}}),
		frozen(Policy{RequireStepUp: true}), frozen(Policy{RequireContext: true, RequireStepUp: true, Fields: []string{"room", "seat"}})},
	{today(Policy{}), today(Policy{RequireContext: true}), today(Policy{RequireContext: true, Fields: []string{"room"}}),
		today(Policy{RequireStepUp: true}), today(Policy{RequireContext: true, RequireStepUp: true, Fields: []string{"room", "seat"}})},
	{verified(nil), verified(&Verification{}), verified(&Verification{Fields: []string{"room"}}), verified(&Verification{StepUp: true}),
		verified(&Verification{StepUp: true, Fields: []string{"room", "seat"}})},
	{approved("not_required"), approved("pending_review"), approved("approved"), approved("rejected"), approved("changes_requested")},
	flag(func(f *Facts) { f.OneSetOfEyes = true }),
	flag(func(f *Facts) { f.UnansweredMajor = true }),
}

var evidence = []choice{
	{demands(), demands("photo"), demands("photo", "log")},
	file("photo", Unchecked, false), file("photo", Intact, false), file("photo", Intact, true),
	file("photo", Changed, false), file("log", Unchecked, false), file("log", Intact, false),
	file("log", Missing, true), file("screenshot", Missing, false),
	flag(func(f *Facts) { f.OpenClaim = true }),
	flag(func(f *Facts) { f.UpheldClaim = true }),
	flag(func(f *Facts) { f.OpenDispute = true }),
	flag(func(f *Facts) { f.SnapshotBroken = true }),
	flag(func(f *Facts) { f.Expired = true }),
}

func outcome(code string) func(*Facts)       { return func(f *Facts) { f.Outcome = code } }
func frozen(p Policy) func(*Facts)           { return func(f *Facts) { f.Frozen = p } }
func today(p Policy) func(*Facts)            { return func(f *Facts) { f.Today = p } }
func verified(v *Verification) func(*Facts)  { return func(f *Facts) { f.Verification = v } }
func approved(status string) func(*Facts)    { return func(f *Facts) { f.Approval = status } }
func demands(kinds ...string) func(f *Facts) { return func(f *Facts) { f.Demanded = kinds } }

func file(kind, integrity string, voided bool) choice {
	return flag(func(f *Facts) {
		f.Files = append(f.Files, File{Kind: kind, Integrity: integrity, Voided: voided})
	})
}

// each calls do with every combination of the choices, and says how many there were.
func each(choices []choice, do func(Facts)) int {
	total := 1
	for _, c := range choices {
		total *= len(c)
	}
	for n := range total {
		f := Facts{SnapshotRef: "ab"}
		for _, c := range choices {
			c[n%len(c)](&f)
			n /= len(c)
		}
		do(f)
	}
	return total
}

// The table is written a second time here, as a person would decide, and not as the rules do.
func TestEachEntryIsDecidedAsAPersonWould(t *testing.T) {
	t.Parallel()
	check := func(f Facts, entry EntryStatus, asked bool, want map[string]State) {
		t.Helper()
		state := NotRequired
		if asked {
			state = Met
		}
		for _, s := range want {
			if s == NotMet || state != NotMet {
				state = s
			}
		}
		if entry.State != state || len(entry.Reasons) != len(want) {
			t.Fatalf("%+v is %s with %v, not %s with %v", f, entry.State, entry.Reasons, state, want)
		}
		for _, code := range entry.Reasons {
			if _, ok := want[code]; !ok {
				t.Fatalf("%+v has the reason %s, and only %v are right", f, code, want)
			}
		}
	}
	n := each(knowledge, func(f Facts) {
		want := map[string]State{}
		if f.Voided {
			want["submission_voided"] = NotMet
		}
		if f.Waits {
			want["score_pending"] = Pending
		}
		if f.Invalid {
			want["score_invalid"] = NotMet
		}
		switch {
		case f.Outcome == "fail":
			want["outcome_fail"] = NotMet
		case f.Outcome == "incomplete" && f.HasPassMark:
			want["outcome_incomplete"] = Pending
		}
		if f.Unreviewed {
			want["remediation_unreviewed"] = Pending
		}
		check(f, At(submitted, f, Execution{}).KoeStatus.Knowledge, f.Counts, want)
	})
	n += each(observation, func(f Facts) {
		want := map[string]State{}
		policy := f.Frozen
		if policy.RequireContext || policy.RequireStepUp {
			switch v := f.Verification; {
			case v == nil:
				want["verification_missing"] = NotMet
			default:
				if policy.RequireStepUp && !v.StepUp {
					want["step_up_missing"] = NotMet
				}
				for _, field := range policy.Fields {
					if !slices.Contains(v.Fields, field) {
						want["context_field_missing"] = NotMet
					}
				}
			}
		}
		switch f.Approval {
		case "pending_review":
			want["approval_pending"] = Pending
		case "rejected":
			want["approval_rejected"] = NotMet
		case "changes_requested":
			want["changes_requested"] = Pending
		}
		if f.OneSetOfEyes {
			want["four_eyes_missing"] = NotMet
		}
		if f.UnansweredMajor {
			want["integrity_flag_major"] = NotMet
		}
		check(f, At(submitted, f, Execution{}).KoeStatus.Observation, policy.RequireContext || policy.RequireStepUp || f.Approval != "not_required", want)
	})
	n += each(evidence, func(f Facts) {
		want := map[string]State{}
		for _, kind := range f.Demanded {
			best := ""
			for _, file := range f.Files {
				if file.Kind == kind && !file.Voided && (file.Integrity == Intact || file.Integrity == Unchecked && best == "") {
					best = file.Integrity
				}
			}
			switch best {
			case "":
				want["evidence_missing"] = NotMet
			case Unchecked:
				want["evidence_unchecked"] = Pending
			}
		}
		for _, file := range f.Files {
			if !file.Voided && (file.Integrity == Changed || file.Integrity == Missing) {
				want["evidence_integrity_failed"] = NotMet
			}
		}
		for code, holds := range map[string]bool{"claim_upheld": f.UpheldClaim, "snapshot_hash_mismatch": f.SnapshotBroken, "retention_expired": f.Expired} {
			if holds {
				want[code] = NotMet
			}
		}
		if f.OpenClaim {
			want["claim_open"] = Pending
		}
		if f.OpenDispute {
			want["dispute_open"] = Pending
		}
		check(f, At(submitted, f, Execution{}).KoeStatus.Evidence, len(f.Demanded) > 0, want)
	})
	t.Logf("%d combinations of facts", n)
}

// anything gives facts of all entries, drawn at random.
func anything(r *rand.Rand) Facts {
	f := Facts{SnapshotRef: "ab"}
	for _, c := range slices.Concat(knowledge, observation, evidence) {
		c[r.IntN(len(c))](&f)
	}
	return f
}

func TestReasonsAreEmptyExactlyWhenReady(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	ready := 0
	for range 200_000 {
		f := anything(r)
		if r.IntN(2) == 0 { // a clean one now and then
			f = Facts{Counts: true, Outcome: "pass", Approval: f.Approval, Frozen: f.Frozen, Today: f.Today, Verification: f.Verification}
		}
		b := At(submitted, f, Executed(f))
		stands := true
		for _, e := range []EntryStatus{b.KoeStatus.Knowledge, b.KoeStatus.Observation, b.KoeStatus.Evidence} {
			stands = stands && (e.State == Met || e.State == NotRequired)
			if (len(e.Reasons) == 0) != (e.State == Met || e.State == NotRequired) {
				t.Fatalf("%+v: an entry is %s with %v", f, e.State, e.Reasons)
			}
		}
		tightened := slices.Contains(b.ProofReadiness.Reasons, "policy_requirements_tightened")
		if b.ProofReadiness.ReadyNow != (stands && !tightened) || b.ProofReadiness.ReadyNow != (len(b.ProofReadiness.Reasons) == 0) {
			t.Fatalf("%+v: ready %v with %v", f, b.ProofReadiness.ReadyNow, b.ProofReadiness.Reasons)
		}
		if b.ProofReadiness.ReadyNow {
			ready++
		}
	}
	if ready < 1000 {
		t.Errorf("only %d were ready: the test looks at too few", ready)
	}
}

func TestOneMoreFileNeverTakesAnythingAway(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	weight := map[State]int{NotMet: 0, Pending: 1, Met: 2, NotRequired: 2}
	for range 100_000 {
		f := anything(r)
		was := At(submitted, f, Execution{})
		for _, integrity := range []string{Unchecked, Intact} {
			more := f
			more.Files = append(slices.Clone(f.Files), File{Kind: []string{"photo", "log", "screenshot"}[r.IntN(3)], Integrity: integrity})
			is := At(submitted, more, Execution{})
			if weight[is.KoeStatus.Evidence.State] < weight[was.KoeStatus.Evidence.State] || was.ProofReadiness.ReadyNow && !is.ProofReadiness.ReadyNow {
				t.Fatalf("%+v is less ready with one more file: %+v", f, is)
			}
		}
	}
}

func TestTheExecutionHangsOnNothingLater(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	seen := map[bool]int{}
	for range 100_000 {
		f := anything(r)
		was := Executed(f)
		later := f
		later.Voided, later.Waits, later.Outcome, later.Approval, later.Today = !f.Voided, !f.Waits, "fail", "rejected", Policy{RequireStepUp: true}
		later.OpenClaim, later.UpheldClaim, later.OpenDispute, later.Expired, later.UnansweredMajor = true, true, true, true, true
		later.Files = nil
		for _, file := range f.Files {
			later.Files = append(later.Files, File{Kind: file.Kind, Voided: true, Integrity: Missing})
		}
		later.Files = append(later.Files, File{Kind: "photo", Integrity: Intact})
		is := Executed(later)
		if was.Defensible != is.Defensible || !slices.Equal(was.Reasons, is.Reasons) || was.Defensible != (len(was.Reasons) == 0) {
			t.Fatalf("%+v: at execution %+v, later %+v", f, was, is)
		}
		seen[was.Defensible]++
	}
	if seen[true] == 0 || seen[false] == 0 {
		t.Errorf("seen %v: both must come", seen)
	}
}

func TestTheTableIsWhole(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	seen := map[string]bool{}
	for range 20_000 {
		for _, code := range At(submitted, anything(r), Execution{}).ProofReadiness.Reasons {
			seen[code] = true
		}
	}
	for i, rule := range Rules {
		switch {
		case rule.Text == "" || rule.Text[len(rule.Text)-1] != '.':
			t.Errorf("%s has no sentence", rule.Code)
		case rule.State != NotMet && rule.State != Pending:
			t.Errorf("%s leads to %s", rule.Code, rule.State)
		case slices.ContainsFunc(Rules[:i], func(r Rule) bool { return r.Code == rule.Code }):
			t.Errorf("%s stands twice", rule.Code)
		case !seen[rule.Code]:
			t.Errorf("%s never came", rule.Code)
		}
	}
	for _, code := range atExecution {
		if Find(code).Code == "" {
			t.Errorf("there is no %s", code)
		}
	}
}

// A policy is stricter, too, where fewer methods of proof count for the step-up that it requires.
func TestFewerMethodsAreStricter(t *testing.T) {
	t.Parallel()
	both, one, other := []string{"magic_link", "operator"}, []string{"magic_link"}, []string{"operator"}
	for _, c := range []struct {
		today, frozen Policy
		want          bool
	}{
		{Policy{RequireStepUp: true, Methods: one}, Policy{RequireStepUp: true, Methods: both}, true},
		{Policy{RequireStepUp: true, Methods: other}, Policy{RequireStepUp: true, Methods: one}, true},
		{Policy{RequireStepUp: true, Methods: both}, Policy{RequireStepUp: true, Methods: one}, false},
		{Policy{RequireStepUp: true, Methods: one}, Policy{RequireStepUp: true, Methods: one}, false},
		{Policy{RequireContext: true, Methods: one}, Policy{RequireContext: true, Methods: both}, false},
	} {
		blocks := At(time.Time{}, Facts{Today: c.today, Frozen: c.frozen}, Execution{})
		if got := slices.Contains(blocks.ProofReadiness.Reasons, "policy_requirements_tightened"); got != c.want {
			t.Errorf("%v after %v: tightened is %v", c.today, c.frozen, got)
		}
	}
}
