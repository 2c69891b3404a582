package replay

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"assess/pkg/surface/demo"
)

// Options says what to replay, and where.
type Options struct {
	// BaseURL is where assessd listens, for example http://127.0.0.1:8080.
	BaseURL string
	// Token is of a user who may import users, questions and evaluations, and proctor.
	Token string
	// StepUpProof gives a fresh proof of the token's user; it is called when the
	// service needs one to publish the evaluation.
	StepUpProof func(ctx context.Context) (string, error)
	// CandidateToken gives a token of a person. Without it, and for those without an assignment, the token's user proctors.
	CandidateToken func(ctx context.Context, userID string) (string, error)
	// Begun is told of a session that has begun, and how long the person took for it in the data set.
	Begun func(ctx context.Context, sessionID string, took time.Duration) error

	Dataset demo.Dataset
	// ExternalID names the evaluation; with RunLabel it says which replay this is.
	ExternalID string
	Title      string
	// PassMarkPercent goes from 0 to 100.
	PassMarkPercent float64
	RunLabel        string
	// GroupBy is a column of the persons: there is a group for each of its values, and the evaluation
	// is assigned to each. Empty: nothing is assigned.
	GroupBy string

	// Persons takes the first so many persons; 0 takes all.
	Persons int
	// Parallel is the number of sessions at once; 0 means 8.
	Parallel int
	// Batch is the number of answers in a call. 0 sends all answers of a person at once,
	// but one by one for every fortieth person, so that both ways are gone.
	Batch int
	// Progress is told after each person; calls do not overlap.
	Progress func(done, total int)
}

// Result is what a replay did.
type Result struct {
	EvaluationID        string `json:"evaluationId"`
	EvaluationVersionID string `json:"evaluationVersionId"`
	// QuestionVersionIDs are keyed by the item's id in the data set.
	QuestionVersionIDs map[string]string `json:"questionVersionIds"`
	// Sessions are in the order of the data set's persons.
	Sessions []Session `json:"sessions" nullable:"false"`
	// Submissions counts the submissions of this replay, Resumed the ones that an earlier replay made.
	Submissions int `json:"submissions"`
	Resumed     int `json:"resumed"`
	// Answers counts the answers that were saved.
	Answers int `json:"answers"`
	// ElapsedMs and the rates are of the sessions, without the imports before them.
	ElapsedMs            int64   `json:"elapsedMs"`
	SubmissionsPerSecond float64 `json:"submissionsPerSecond"`
	AnswersPerSecond     float64 `json:"answersPerSecond"`
}

// Session is one person's session as its submit answered.
type Session struct {
	Person          string  `json:"person"`
	SubmissionID    string  `json:"submissionId"`
	AlreadyComplete bool    `json:"alreadyComplete"`
	Score           float64 `json:"score"`
	MaxScore        float64 `json:"maxScore"`
	OutcomeCode     string  `json:"outcome_code"`

	answers int
}

const (
	defaultParallel = 8
	oneByOneEvery   = 40
	// maxBatch is the most that the service takes in one call.
	maxBatch = 1000
)

// run is a replay under way.
type run struct {
	Options
	client *client
	found  found

	mu     sync.Mutex
	done   int
	result Result
}

// Run replays a data set. It stops at the first error or when ctx ends; running it again
// goes on where it stopped.
func Run(ctx context.Context, o Options) (Result, error) {
	if o.Parallel == 0 {
		o.Parallel = defaultParallel
	}
	if o.Persons > 0 && o.Persons < len(o.Dataset.Persons) {
		o.Dataset.Persons = o.Dataset.Persons[:o.Persons]
	}
	r := &run{Options: o, client: newClient(o.BaseURL, o.Token, o.Parallel)}
	defer r.client.close()
	err := r.prepare(ctx)
	if err != nil {
		return Result{}, err
	}
	r.result = Result{EvaluationID: r.found.evaluation, QuestionVersionIDs: map[string]string{},
		Sessions: make([]Session, len(o.Dataset.Persons))}
	start := time.Now()
	err = r.seatAll(ctx)
	r.result.count(time.Since(start))
	return r.result, err
}

func (r *run) seatAll(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(r.Parallel)
	for i := range r.Dataset.Persons {
		group.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			session, began, err := r.sit(ctx, i)
			if err != nil {
				return err
			}
			r.note(i, session, began)
			return nil
		})
	}
	return group.Wait()
}

func (r *run) note(i int, s Session, on started) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Sessions[i] = s
	r.result.EvaluationVersionID = on.EvaluationVersionID
	for _, section := range on.Sections {
		for _, item := range section.Items {
			r.result.QuestionVersionIDs[r.found.items[item.QuestionID]] = item.QuestionVersionID
		}
	}
	r.done++
	if r.Progress != nil {
		r.Progress(r.done, len(r.Dataset.Persons))
	}
}

func (r *Result) count(elapsed time.Duration) {
	for _, s := range r.Sessions {
		r.Answers += s.answers
		switch {
		case s.AlreadyComplete:
			r.Resumed++
		case s.SubmissionID != "":
			r.Submissions++
		}
	}
	r.ElapsedMs = elapsed.Milliseconds()
	r.SubmissionsPerSecond = float64(r.Submissions) / elapsed.Seconds()
	r.AnswersPerSecond = float64(r.Answers) / elapsed.Seconds()
}
