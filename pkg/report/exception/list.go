package exception

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun/dialect/pgdialect"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/readiness"
)

// States of a row, in the order of work.
var States = []string{models.ExceptionOpen, models.ExceptionAcknowledged, models.ExceptionResolved}

// ReadinessStates that a row can have: blocked, waiting for somebody, and cleared.
var ReadinessStates = []string{string(readiness.NotMet), string(readiness.Pending), string(readiness.Met)}

// The orders of the queue.
const (
	OldestFirst = "age"
	NewestFirst = "-age"
)

// Triage is the part of a row that people write.
type Triage struct {
	State           string     `json:"state" enum:"open,acknowledged,resolved"`
	OwnerUserID     *ids.ID    `json:"ownerUserId" doc:"Who looks after it"`
	SuppressedUntil *time.Time `json:"suppressedUntil" doc:"Until then it is left out of the list, unless the list is asked for it"`
}

// Owners are the users who look after exceptions, each once.
func Owners(all []Exception) []ids.ID {
	var owners []ids.ID
	for _, e := range all {
		if e.OwnerUserID != nil && !slices.Contains(owners, *e.OwnerUserID) {
			owners = append(owners, *e.OwnerUserID)
		}
	}
	return owners
}

// Exception is a submission in the queue.
type Exception struct {
	SubmissionID    ids.ID `json:"submissionId"`
	EvaluationID    ids.ID `json:"evaluationId"`
	EvaluationTitle string `json:"evaluationTitle" doc:"Of the version that was taken"`
	UserID          ids.ID `json:"userId" doc:"Whose submission it is"`
	Triage
	ReadinessState string     `json:"readinessState" enum:"not_met,pending,met" doc:"not_met blocks the result, pending waits for somebody; met is cleared"`
	Reasons        []string   `json:"reasons" nullable:"false" doc:"As in proofReadiness"`
	CompletedAt    time.Time  `json:"completedAt"`
	FirstSeenAt    *time.Time `json:"firstSeenAt" doc:"Since when the issue stands; a cleared one that comes back begins anew"`
	LastSeenAt     *time.Time `json:"lastSeenAt" doc:"When the issue last changed, or a refresh found it there"`
	UpdatedAt      time.Time  `json:"updatedAt"`
}

// Filter narrows the queue; zero values do not, except for State.
type Filter struct {
	db.Page
	// State is one of States; without it all that are not resolved.
	State string
	// ReadinessState is one of ReadinessStates.
	ReadinessState    string
	OwnerUserID       ids.ID
	IncludeSuppressed bool
	// Reason is a code of package readiness.
	Reason       string
	EvaluationID ids.ID
	// Sort is OldestFirst, which is the default, or NewestFirst.
	Sort string
}

func (f Filter) check() (Filter, error) {
	page, err := f.Page.Check()
	var bad []errs.Field
	if err != nil {
		bad = errs.Of(err).Fields
	}
	bad = append(bad, errs.OneOf("state", f.State, States)...)
	bad = append(bad, errs.OneOf("readinessState", f.ReadinessState, ReadinessStates)...)
	bad = append(bad, errs.OneOf("reason", f.Reason, readiness.Codes())...)
	bad = append(bad, errs.OneOf("sort", f.Sort, []string{OldestFirst, NewestFirst})...)
	f.Page = page
	return f, errs.Invalid(bad...)
}

// List gives the queue of the scope, the oldest issue first. Capability: exceptions.read. Errors:
// validation_failed.
func List(ctx context.Context, tx *db.Tx, f Filter) (db.List[Exception], error) {
	none := db.List[Exception]{}
	if err := tx.Require(capability.ExceptionsRead); err != nil {
		return none, err
	}
	f, err := f.check()
	if err != nil {
		return none, err
	}
	total, page, err := f.find(ctx, tx)
	if err != nil {
		return none, err
	}
	var rows []models.Exception
	err = tx.NewRaw(readSQL, pgdialect.Array(page), tx.Tenant()).Scan(ctx, &rows)
	if err != nil {
		return none, fmt.Errorf("list exceptions: %w", err)
	}
	items, err := shown(ctx, tx, rows...)
	return db.NewList(items, f.Page, total), err
}

// shown adds to rows the titles of the evaluations that were taken.
func shown(ctx context.Context, tx *db.Tx, rows ...models.Exception) ([]Exception, error) {
	submissions := make([]ids.ID, len(rows))
	for i, r := range rows {
		submissions[i] = r.SubmissionID
	}
	found, err := tx.Query(ctx, titlesSQL, tx.Tenant(), submissions)
	if err != nil {
		return nil, fmt.Errorf("name exams: %w", err)
	}
	titles := map[ids.ID]string{}
	var id ids.ID
	var title string
	_, err = pgx.ForEachRow(found, []any{&id, &title}, func() error {
		titles[id] = title
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("name exams: %w", err)
	}
	items := make([]Exception, 0, len(rows))
	for _, r := range rows {
		items = append(items, Exception{SubmissionID: r.SubmissionID, EvaluationID: r.EvaluationID, EvaluationTitle: titles[r.SubmissionID], UserID: r.UserID,
			Triage: triageOf(r), ReadinessState: r.ReadinessState, Reasons: append([]string{}, r.Reasons...),
			CompletedAt: r.CompletedAt.UTC(), FirstSeenAt: db.UTC(r.FirstSeenAt), LastSeenAt: db.UTC(r.LastSeenAt), UpdatedAt: r.UpdatedAt.UTC()})
	}
	return items, nil
}

func shownOne(ctx context.Context, tx *db.Tx, row models.Exception) (Exception, error) {
	items, err := shown(ctx, tx, row)
	if err != nil {
		return Exception{}, err
	}
	return items[0], nil
}

func triageOf(r models.Exception) Triage {
	return Triage{r.State, r.OwnerUserID, db.UTC(r.SuppressedUntil)}
}

// A page looks its details up row by row: without statistics PostgreSQL would look through the tenant for
// an array of keys.
const (
	findSQL = "select total, page from find_exceptions($1, $2, $3, $4, $5, $6, $7, $8, $9)"
	readSQL = `
select e.* from unnest(?::uuid[]) with ordinality found (id, n)
cross join lateral (select * from defensibility_exception_triage e where e.tenant_id = ? and e.submission_id = found.id offset 0) e
order by found.n`
	titlesSQL = `
select found.id, v.title from unnest($2::uuid[]) found (id)
cross join lateral (select evaluation_version_id from submissions where tenant_id = $1 and id = found.id offset 0) s
cross join lateral (select title from evaluation_versions where tenant_id = $1 and id = s.evaluation_version_id offset 0) v`
)

// find counts the rows that pass the filter, and gives the submissions of its page.
func (f Filter) find(ctx context.Context, tx *db.Tx) (int, []ids.ID, error) {
	var unsuppressedAt *time.Time
	if !f.IncludeSuppressed {
		now := tx.Now()
		unsuppressedAt = &now
	}
	var total int
	var page []ids.ID
	err := tx.QueryRow(ctx, findSQL, f.State, f.ReadinessState, f.Reason, ids.Ref(f.OwnerUserID), ids.Ref(f.EvaluationID), unsuppressedAt,
		f.Sort == NewestFirst, f.Limit, f.Offset()).Scan(&total, &page)
	if err != nil {
		return 0, nil, fmt.Errorf("find exceptions: %w", err)
	}
	return total, page, nil
}

// Get gives the row of one submission, cleared or not. Capability: exceptions.read. Errors: not_found.
func Get(ctx context.Context, tx *db.Tx, submission ids.ID) (Exception, error) {
	if err := tx.Require(capability.ExceptionsRead); err != nil {
		return Exception{}, err
	}
	row, err := find(ctx, tx, submission, false)
	if err != nil {
		return Exception{}, err
	}
	return shownOne(ctx, tx, row)
}

// find reads a row; lock keeps it from changing.
func find(ctx context.Context, tx *db.Tx, submission ids.ID, lock bool) (models.Exception, error) {
	var rows []models.Exception
	q := tx.NewSelect().Model(&rows).Apply(tx.InScope).Where("e.submission_id = ? and e.first_seen_at is not null", submission)
	if lock {
		q = q.For("no key update")
	}
	err := q.Scan(ctx)
	if err != nil {
		return models.Exception{}, fmt.Errorf("find exception: %w", err)
	}
	if len(rows) == 0 {
		return models.Exception{}, errs.New(errs.NotFound, "There is no exception about such a submission in your scope.")
	}
	return rows[0], nil
}
