package replay_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/dev/apptest"
	"assess/pkg/kernel/errs"
	"assess/pkg/surface/demo"
	"assess/pkg/surface/replay"
)

const persons = 45

// optionsFor replays the shipped sample by one user of the app.
func optionsFor(t *testing.T, app *apptest.App) replay.Options {
	token := app.Token(t, "org_admin")
	return replay.Options{
		BaseURL: app.URL, Token: token,
		StepUpProof: func(context.Context) (string, error) { return app.Proof(t, token), nil },
		Dataset:     demo.Sample(), ExternalID: "sample", Title: "Sample", PassMarkPercent: 60, RunLabel: "first",
		Persons: persons,
	}
}

func mustRun(t *testing.T, o replay.Options) replay.Result {
	t.Helper()
	result, err := replay.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// submitted gives the submissions that the service holds, counted by person.
func submitted(t *testing.T, app *apptest.App, o replay.Options, evaluation string) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for _, s := range listAll[struct{ UserID string }](t, app.URL, o.Token, "/evaluations/"+evaluation+"/submissions", nil) {
		counts[s.UserID]++
	}
	return counts
}

func oneEach(t *testing.T, counts map[string]int) {
	t.Helper()
	if len(counts) != persons {
		t.Errorf("%d persons have a submission, want %d", len(counts), persons)
	}
	for user, n := range counts {
		if n != 1 {
			t.Errorf("user %s has %d submissions, want 1", user, n)
		}
	}
}

func TestRunAgainGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	app := apptest.Start(t)
	o := optionsFor(t, app)
	o.Batch = 5 // so that some sessions are interrupted with half of their answers
	ctx, interrupt := context.WithCancel(t.Context())
	stopped := o
	stopped.Progress = func(done, _ int) {
		if done == persons/3 {
			interrupt()
		}
	}
	partly, err := replay.Run(ctx, stopped)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("Run = %v, want context.Canceled", err)
	}
	if partly.Submissions < persons/3 || partly.Submissions == persons {
		t.Fatalf("%d submissions before the interruption, want some of %d", partly.Submissions, persons)
	}
	finished := mustRun(t, o)
	if finished.Resumed < partly.Submissions || finished.Resumed+finished.Submissions != persons {
		t.Errorf("resumed %d and made %d, want at least %d and %d together",
			finished.Resumed, finished.Submissions, partly.Submissions, persons)
	}
	oneEach(t, submitted(t, app, o, finished.EvaluationID))

	again := mustRun(t, o)
	if again.Submissions != 0 || again.Resumed != persons || again.Answers != 0 {
		t.Errorf("a third run made %d, resumed %d and saved %d answers; want 0, %d and 0",
			again.Submissions, again.Resumed, again.Answers, persons)
	}
	for i, s := range finished.Sessions {
		s.AlreadyComplete = true
		if diff := cmp.Diff(s, again.Sessions[i], cmp.FilterPath(isAnswers, cmp.Ignore())); diff != "" {
			t.Errorf("session of %s (-second +third):\n%s", s.Person, diff)
		}
	}
	oneEach(t, submitted(t, app, o, finished.EvaluationID))
}

func isAnswers(p cmp.Path) bool { return p.Last().String() == ".answers" }

func TestANewRunLabelIsANewRun(t *testing.T) {
	t.Parallel()
	app := apptest.Start(t)
	o := optionsFor(t, app)
	o.Persons = 3
	first := mustRun(t, o)
	o.RunLabel = "second"
	second := mustRun(t, o)
	if second.Submissions != 3 || second.EvaluationVersionID != first.EvaluationVersionID {
		t.Errorf("the second run made %d submissions of version %s, want 3 of %s",
			second.Submissions, second.EvaluationVersionID, first.EvaluationVersionID)
	}
}

// TestRunOverABadLine loses answers after the service did its work, and hears 503 before.
func TestRunOverABadLine(t *testing.T) {
	t.Parallel()
	app := apptest.Start(t)
	target, err := url.Parse(app.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	var calls atomic.Int64
	line := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch n := calls.Add(1); {
		case n%7 == 0:
			proxy.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		case n%5 == 0:
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(line.Close)
	o := optionsFor(t, app)
	o.BaseURL = line.URL
	result := mustRun(t, o)
	oneEach(t, submitted(t, app, o, result.EvaluationID))
}

func TestErrorsOfTheServiceComeThrough(t *testing.T) {
	t.Parallel()
	app := apptest.Start(t)
	tests := []struct {
		name   string
		change func(*replay.Options)
		want   error
	}{
		{"no capability", func(o *replay.Options) { o.Token = app.Token(t, "candidate") }, errs.Forbidden},
		{"no token", func(o *replay.Options) { o.Token = "" }, errs.Unauthenticated},
		{"no proof", func(o *replay.Options) { o.StepUpProof = nil }, errs.StepUpRequired},
		{"pass mark out of range", func(o *replay.Options) { o.PassMarkPercent = 101 }, errs.ImportInvalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := optionsFor(t, app)
			tt.change(&o)
			_, err := replay.Run(t.Context(), o)
			if !errors.Is(err, tt.want) {
				t.Errorf("Run = %v, want %v", err, tt.want)
			}
		})
	}
}
