package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/job"
	"assess/pkg/kernel/ledger"
	"assess/pkg/kernel/outgoing"
	"assess/pkg/people/access"
)

const (
	// atOnce bounds the calls to one endpoint at a time; inRound is how many are taken together.
	atOnce  = 5
	inRound = 25
	// lease is how long a process has an endpoint: longer than a round can take, which is inRound/atOnce calls one after the other.
	lease = 2 * time.Minute
	// endpointsAtOnce bounds the endpoints that a process sends to at a time, roundsInTurn how long one keeps its place.
	endpointsAtOnce = 32
	roundsInTurn    = 20
	// pace is the mean time between two calls to an endpoint, and telling the time that a delivery is given to be written. Faster calls, and
	// deliveries written in bursts, slow down candidates in an exam.
	pace    = 50 * time.Millisecond
	telling = 4 * time.Millisecond
	// piecesInTurn is after how many pieces of a ledger the next tenant has its turn.
	piecesInTurn = 8
	// patienceWithFailures is after how long an endpoint that only fails is disabled.
	patienceWithFailures = 72 * time.Hour
	longestWait          = 24 * time.Hour
	// kept is how long deliveries stay.
	kept = 14 * 24 * time.Hour
)

// retries are the waits after each failure; after the last one a delivery has failed.
var retries = []time.Duration{5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour,
	20 * time.Hour, 24 * time.Hour}

// Deliverer reads the ledgers of all tenants and calls their endpoints. Any number of them may run, in any number of processes.
type Deliverer struct {
	Store *db.Store
	// Client is the guarded one (package outgoing).
	Client *http.Client
	// Source is the address of the service, as events name it.
	Source string
	Log    *slog.Logger
	// Poll is how long it waits when nothing is left to do.
	Poll time.Duration

	lease time.Duration
	pace  time.Duration
	dies  func() bool
	turns outgoing.Turns
	swept time.Time
}

// NewDeliverer prepares a deliverer; Run starts it.
func NewDeliverer(store *db.Store, client *http.Client, source string, log *slog.Logger) *Deliverer {
	return &Deliverer{Store: store, Client: client, Source: strings.TrimRight(source, "/"), Log: log, Poll: time.Second, lease: lease, pace: pace,
		dies: func() bool { return false }, turns: outgoing.Turns{Most: endpointsAtOnce}}
}

// Run works until the context ends. Calls that are under way then are cut off, and made again by the next process.
func (d *Deliverer) Run(ctx context.Context) {
	defer d.turns.Wait()
	for ctx.Err() == nil {
		err := errors.Join(d.feed(ctx), d.send(ctx), d.sweep(ctx))
		if err != nil && ctx.Err() == nil {
			d.Log.ErrorContext(ctx, "webhooks failed", slog.Any("error", err))
		}
		outgoing.Pause(ctx, d.Poll)
	}
}

// feed reads on the ledger of each tenant with something new.
func (d *Deliverer) feed(ctx context.Context) error {
	tenants, err := ask[ids.ID](ctx, d.Store, "select tenants_to_tell()")
	if err != nil {
		return err
	}
	var failed []error
	for _, tenant := range tenants {
		more := true
		for n := 0; more && n < piecesInTurn; n++ {
			told := 0
			err := d.write(ctx, tenant, func(tx *db.Tx) error {
				var err error
				told, more, err = Feed(ctx, tx)
				return err
			})
			if err != nil {
				failed, more = append(failed, fmt.Errorf("webhooks of tenant %s: %w", tenant, err)), false
			}
			outgoing.Pause(ctx, time.Duration(told)*telling)
		}
		if ctx.Err() != nil || errs.Of(errors.Join(failed...)).Code == errs.DatabaseUnavailable {
			break // the others would fail alike
		}
	}
	return errors.Join(failed...)
}

// write does not wait for the disk: what a database that dies forgets of the last moment is told once more.
func (d *Deliverer) write(ctx context.Context, tenant ids.ID, fn func(tx *db.Tx) error) error {
	return d.Store.Write(ctx, db.System(tenant, "webhooks"), func(tx *db.Tx) error {
		_, err := tx.Exec(ctx, "set local synchronous_commit = off")
		if err != nil {
			return fmt.Errorf("write without the disk: %w", err)
		}
		return fn(tx)
	})
}

func ask[T any](ctx context.Context, store *db.Store, sql string, args ...any) ([]T, error) {
	rows, err := store.Unscoped().Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("look for webhooks: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[T])
	if err != nil {
		return nil, fmt.Errorf("look for webhooks: %w", db.Translate(err))
	}
	return all, nil
}

// send begins to send to each endpoint with something to send.
func (d *Deliverer) send(ctx context.Context) error {
	rows, err := d.Store.Unscoped().Query(ctx, "select tenant, endpoint from webhooks_to_send(clock_timestamp(), $1)", endpointsAtOnce)
	if err != nil {
		return fmt.Errorf("look for webhooks to send: %w", err)
	}
	type pair struct{ Tenant, Endpoint ids.ID }
	due, err := pgx.CollectRows(rows, pgx.RowToStructByPos[pair])
	if err != nil {
		return fmt.Errorf("look for webhooks to send: %w", db.Translate(err))
	}
	for _, p := range due {
		d.turns.Serve(p.Endpoint, func() {
			err := d.serve(ctx, p.Tenant, p.Endpoint)
			if err != nil && ctx.Err() == nil {
				d.Log.ErrorContext(ctx, "webhook cannot be sent", slog.String("endpoint", p.Endpoint.String()), slog.Any("error", err))
			}
		})
	}
	return nil
}

// serve sends to an endpoint, round by round, until nothing is due or its turn is over.
func (d *Deliverer) serve(ctx context.Context, tenant, endpoint ids.ID) error {
	me := ids.New()
	for n := range roundsInTurn {
		var r round
		err := d.write(ctx, tenant, func(tx *db.Tx) error {
			var err error
			r, err = d.take(ctx, tx, endpoint, me)
			return err
		})
		if err != nil || len(r.calls) == 0 || d.dies() {
			return err
		}
		r.last = n == roundsInTurn-1
		d.callAll(ctx, &r)
		if d.dies() {
			return nil
		}
		// Calls that were made are written down even if the process is to stop.
		settled, stop := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		err = d.write(settled, tenant, func(tx *db.Tx) error { return r.settle(settled, tx) })
		stop()
		if err != nil || ctx.Err() != nil {
			return err
		}
	}
	return nil
}

// round is what a process sends to an endpoint together.
type round struct {
	endpoint, me ids.ID
	url          string
	secrets      [][]byte
	calls        []*outcall
	// last says that the endpoint is given up behind it.
	last bool
}

// outcall is one call, and how it ended.
type outcall struct {
	ID, Event          ids.ID
	Kind, Subject      string
	Body               string
	At                 time.Time
	Attempts           int
	state              string
	status             *int
	answer             string
	wait               time.Duration
	gone, done, untold bool
}

// take gives the next calls to an endpoint and has the endpoint until the lease is over; none where somebody else has it.
func (d *Deliverer) take(ctx context.Context, tx *db.Tx, endpoint, me ids.ID) (round, error) {
	r := round{endpoint: endpoint, me: me}
	var sealed, before []byte
	var until *time.Time
	err := tx.QueryRow(ctx, `
		update webhook_endpoints set claimed_by = $3, claimed_until = $5
		where tenant_id = $1 and id = $2 and state = 'active' and (claimed_until is null or claimed_until <= $4 or claimed_by = $3)
		returning url, sealed_secret, sealed_before, before_until`, tx.Tenant(), endpoint, me, tx.Now(), tx.Now().Add(d.lease)).
		Scan(&r.url, &sealed, &before, &until)
	if errors.Is(err, pgx.ErrNoRows) {
		return r, nil
	}
	if err != nil {
		return r, fmt.Errorf("take endpoint: %w", err)
	}
	rows, err := tx.Query(ctx, `
		select id, event_id, event_type, subject, body, occurred_at, attempts from webhook_deliveries
		where tenant_id = $1 and endpoint_id = $2 and state = 'due' and next_at <= $3 order by next_at, seq limit $4`, tx.Tenant(), endpoint, tx.Now(), inRound)
	if err != nil {
		return r, fmt.Errorf("read deliveries: %w", err)
	}
	r.calls, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (*outcall, error) {
		c := &outcall{}
		return c, row.Scan(&c.ID, &c.Event, &c.Kind, &c.Subject, &c.Body, &c.At, &c.Attempts)
	})
	if err != nil {
		return r, fmt.Errorf("read deliveries: %w", err)
	}
	if len(r.calls) == 0 {
		_, err = tx.Exec(ctx, "update webhook_endpoints set claimed_by = null, claimed_until = null where tenant_id = $1 and id = $2", tx.Tenant(), endpoint)
		return r, err
	}
	secret, err := access.Unseal(tx.KeySecret(), sealedAs(tx.Tenant(), endpoint), sealed)
	if err == nil {
		r.secrets = append(r.secrets, secret)
		if until != nil && until.After(tx.Now()) {
			secret, err = access.Unseal(tx.KeySecret(), sealedAs(tx.Tenant(), endpoint), before)
			r.secrets = append(r.secrets, secret)
		}
	}
	if err != nil {
		return r, fmt.Errorf("open the secret of an endpoint: %w", err)
	}
	return r, nil
}

// callAll makes the calls of a round, a few at once.
func (d *Deliverer) callAll(ctx context.Context, r *round) {
	var all sync.WaitGroup
	free := make(chan struct{}, atOnce)
	for _, c := range r.calls {
		outgoing.Pause(ctx, rand.N(2*d.pace+1))
		free <- struct{}{}
		all.Go(func() {
			d.call(ctx, r, c)
			<-free
		})
	}
	all.Wait()
}

// call makes one call and notes how it ended.
func (d *Deliverer) call(ctx context.Context, r *round, c *outcall) {
	if ctx.Err() != nil {
		c.untold = true
		return
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url, bytes.NewReader([]byte(c.Body)))
	if err != nil {
		c.fail(0, "the address cannot be called", "")
		return
	}
	id, now := "evt_"+c.Event.String(), time.Now()
	for name, value := range map[string]string{
		"Content-Type": "application/json", "User-Agent": "assessd-webhooks/1.0",
		HeaderID: id, HeaderTimestamp: strconv.FormatInt(now.Unix(), 10), HeaderSignature: sign(id, now, []byte(c.Body), r.secrets...),
		"ce-specversion": "1.0", "ce-id": id, "ce-type": c.Kind, "ce-source": d.Source, "ce-time": c.At.UTC().Format(time.RFC3339Nano), "ce-subject": c.Subject,
	} {
		request.Header.Set(name, value)
	}
	answer, err := d.Client.Do(request)
	if err != nil {
		// A process that stops has not called in vain: it is called again, and counts as nothing.
		c.untold = ctx.Err() != nil
		c.fail(0, outgoing.Reason(err).Error(), "")
		return
	}
	defer answer.Body.Close() //nolint:errcheck // it was only read
	// The receiver's text is for people who look for a fault; the status counts.
	said, _ := io.ReadAll(io.LimitReader(answer.Body, outgoing.MostKept))
	if answer.StatusCode/100 == 2 {
		c.done, c.state, c.status, c.answer = true, "sent", &answer.StatusCode, outgoing.Kept(said)
		return
	}
	c.gone = answer.StatusCode == http.StatusGone
	c.fail(answer.StatusCode, outgoing.Kept(said), answer.Header.Get("Retry-After"))
}

// fail notes a failure and when the next try is.
func (c *outcall) fail(status int, said, retryAfter string) {
	if status != 0 {
		c.status = &status
	}
	c.answer = outgoing.Kept([]byte(said))
	if c.Attempts >= len(retries) {
		c.done, c.state = true, "failed"
		return
	}
	wait := retries[c.Attempts]
	c.state, c.wait = "due", wait+time.Duration(rand.Int64N(int64(wait)/10)) //nolint:gosec // so that endpoints that failed together do not come back together
	c.wait = max(c.wait, min(outgoing.RetryAfter(retryAfter), longestWait))
}

// settle writes down how the calls of a round ended, and what that means for the endpoint. Where somebody else has taken the
// endpoint meanwhile, they have made these calls again, and theirs count.
func (r *round) settle(ctx context.Context, tx *db.Tx) error {
	var failing *time.Time
	var org *ids.ID
	var maker string
	err := tx.QueryRow(ctx, "select failing_since, org_unit_id, created_by from webhook_endpoints where tenant_id = $1 and id = $2 and claimed_by = $3 for update",
		tx.Tenant(), r.endpoint, r.me).Scan(&failing, &org, &maker)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("find the endpoint again: %w", err)
	}
	reached, gone, failed := false, false, false
	var all []ids.ID
	var states, answers []string
	var statuses []*int
	var waits []float64
	for _, c := range r.calls {
		if c.untold {
			continue
		}
		gone = gone || c.gone
		reached, failed = reached || c.state == "sent", failed || c.state != "sent"
		all, states, answers, statuses, waits = append(all, c.ID), append(states, c.state), append(answers, c.answer), append(statuses, c.status), append(waits, c.wait.Seconds())
	}
	_, err = tx.Exec(ctx, `
		update webhook_deliveries w set state = d.state, attempts = w.attempts + 1, status = d.status, answer = d.answer,
			next_at = $2::timestamptz + d.wait * interval '1 second', ended_at = case when d.state = 'due' then null else $2::timestamptz end
		from unnest($3::uuid[], $4::text[], $5::text[], $6::int[], $7::float8[]) d (id, state, answer, status, wait)
		where w.tenant_id = $1 and w.id = d.id`, tx.Tenant(), tx.Now(), all, states, answers, statuses, waits)
	if err != nil {
		return fmt.Errorf("write down deliveries: %w", err)
	}
	state, reason := Active, (*string)(nil)
	switch {
	case reached:
		failing = nil
	case failed && failing == nil:
		failing = new(tx.Now())
	}
	switch {
	case gone:
		state, reason = Disabled, new("gone")
	case failed && failing != nil && tx.Now().Sub(*failing) >= patienceWithFailures:
		state, reason = Disabled, new("failing")
	}
	_, err = tx.Exec(ctx, `
		update webhook_endpoints set failing_since = $3, state = case when state = 'active' then $4 else state end, disabled_reason = $5,
			claimed_by = case when $6 then claimed_by end, claimed_until = case when $6 then claimed_until end
		where tenant_id = $1 and id = $2`, tx.Tenant(), r.endpoint, failing, state, reason, state == Active && ctx.Err() == nil && !r.last)
	if err != nil {
		return fmt.Errorf("write down how an endpoint does: %w", err)
	}
	if state == Active {
		return nil
	}
	err = ledger.Append(ctx, tx, ledger.Event{Type: "webhook.disabled", SubjectType: "webhook", SubjectID: r.endpoint, OrgUnit: db.OrZero(org),
		Payload: map[string]any{"reason": *reason}})
	if _, isUser := makerOf(maker); err != nil || !isUser {
		return err
	}
	return job.Insert(ctx, tx, MailDisabled{Tenant: tx.Tenant(), Endpoint: r.endpoint})
}

// sweep deletes deliveries that are old enough, once an hour, in small pieces.
func (d *Deliverer) sweep(ctx context.Context) error {
	if time.Since(d.swept) < time.Hour {
		return nil
	}
	d.swept = time.Now()
	tenants, err := ask[ids.ID](ctx, d.Store, "select all_tenants()")
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		for n := int64(1); n > 0; {
			err := d.Store.Write(ctx, db.System(tenant, "webhooks"), func(tx *db.Tx) error {
				var err error
				n, err = Sweep(ctx, tx)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Sweep deletes some deliveries whose time is over, and says how many.
func Sweep(ctx context.Context, tx *db.Tx) (int64, error) {
	n, err := tx.Exec(ctx, `
		delete from webhook_deliveries where tenant_id = $1 and id = any(array(
			select id from webhook_deliveries where tenant_id = $1 and created_at < $2 order by created_at limit 1000))`, tx.Tenant(), tx.Now().Add(-kept))
	if err != nil {
		return 0, fmt.Errorf("delete old deliveries: %w", err)
	}
	return n, nil
}
