package lti

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/outgoing"
)

const (
	// atOnce bounds the calls to one platform at a time; inRound is how many grades are taken together.
	atOnce  = 5
	inRound = 25
	// lease is how long a process has a platform: longer than a round can take.
	lease = 2 * time.Minute
	// platformsAtOnce bounds the platforms that a process sends to at a time, roundsInTurn how long one keeps its place.
	platformsAtOnce = 16
	roundsInTurn    = 20
	// pace is the time between two calls to a platform. In bursts, calls would slow down people who take an
	// exam.
	pace = 25 * time.Millisecond
)

// waits are the waits after failures, one after the other; the last one repeats, since no grade is ever
// given up.
var waits = []time.Duration{5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, time.Hour}

// waitAfter is the wait after so many failures, with a little random extra, so that calls that failed at the same
// time do not come back together.
func waitAfter(failures int, asked time.Duration) time.Duration {
	wait := waits[min(failures, len(waits)-1)]
	return max(wait+time.Duration(rand.Int64N(int64(wait)/10)), min(asked, time.Hour)) //nolint:gosec // it keeps no secret
}

// Sender sends grades to the platforms of all tenants. Any number of them may run, in any number of processes: a platform
// belongs to one at a time. A grade keeps its time until we know how its call ended, so a call that is made again is the
// same call.
type Sender struct {
	Desk *Desk
	Log  *slog.Logger
	// Poll is how long it waits when nothing is left to do.
	Poll time.Duration

	pace  time.Duration
	lease time.Duration
	turns outgoing.Turns
}

// NewSender prepares a sender; Run starts it.
func NewSender(desk *Desk, log *slog.Logger) *Sender {
	return &Sender{Desk: desk, Log: log, Poll: time.Second, pace: pace, lease: lease, turns: outgoing.Turns{Most: platformsAtOnce}}
}

// Run works until the context ends. Calls that are under way then are cut off, and made again by the next process.
func (s *Sender) Run(ctx context.Context) {
	defer s.turns.Wait()
	for ctx.Err() == nil {
		err := s.Send(ctx)
		if err != nil && ctx.Err() == nil {
			s.Log.ErrorContext(ctx, "grades cannot be sent", slog.Any("error", err))
		}
		outgoing.Pause(ctx, s.Poll)
	}
}

// Send begins to send to each platform with something to send.
func (s *Sender) Send(ctx context.Context) error {
	rows, err := s.Desk.store.Unscoped().Query(ctx, "select tenant, platform from lti_to_send(clock_timestamp(), $1)", platformsAtOnce)
	if err != nil {
		return fmt.Errorf("look for grades to send: %w", err)
	}
	type pair struct{ Tenant, Platform ids.ID }
	due, err := pgx.CollectRows(rows, pgx.RowToStructByPos[pair])
	if err != nil {
		return fmt.Errorf("look for grades to send: %w", db.Translate(err))
	}
	for _, p := range due {
		s.turns.Serve(p.Platform, func() {
			err := s.serve(ctx, p.Tenant, p.Platform)
			if err != nil && ctx.Err() == nil {
				s.Log.ErrorContext(ctx, "grades cannot be sent", slog.String("platform", p.Platform.String()), slog.Any("error", err))
			}
		})
	}
	return nil
}

// serve sends to a platform, round by round, until nothing is due or its turn is over.
func (s *Sender) serve(ctx context.Context, tenant, platform ids.ID) error {
	me, scope := ids.New(), db.System(tenant, "lti")
	for n := range roundsInTurn {
		var r round
		err := s.Desk.store.Write(ctx, scope, func(tx *db.Tx) error {
			var err error
			r, err = takeRound(ctx, tx, platform, me, s.lease)
			return err
		})
		if err != nil || r.seen == 0 {
			return err
		}
		s.callAll(ctx, &r)
		r.last = n == roundsInTurn-1 || r.trouble || ctx.Err() != nil
		// Sent grades are written down even if the process is stopping.
		settled, stop := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		err = s.Desk.store.Write(settled, scope, func(tx *db.Tx) error { return r.settle(settled, tx) })
		stop()
		if err != nil || r.last {
			return err
		}
	}
	return nil
}

// round is a set of grades that a process sends to a platform together.
type round struct {
	platform models.LTIPlatform
	me       ids.ID
	failures int
	// seen is how many grades were looked at; calls send the ones that differ from what the platform has.
	seen  int
	calls []*outcall
	// trouble says that the platform is away, or wants no calls for the time in asked.
	trouble bool
	asked   time.Duration
	last    bool
}

// outcall is one grade, and how its call ended.
type outcall struct {
	id       ids.ID
	changed  int64
	attempts int
	text     string
	subject  string
	lineItem string
	stamp    time.Time
	// again says that a call with this time was made before, and nobody knows how it ended.
	again bool

	done    bool
	refused bool
	status  *int
	answer  string
	wait    time.Duration
	untold  bool
}

// callAll makes the calls of a round, a few at once.
func (s *Sender) callAll(ctx context.Context, r *round) {
	if len(r.calls) == 0 {
		return
	}
	access, err := s.Desk.tokenOf(ctx, r.platform, scopeScore)
	if err != nil {
		s.Log.WarnContext(ctx, "a learning platform gives no token", slog.String("platform", r.platform.ID.String()), slog.Any("error", err))
		r.trouble = true
		for _, c := range r.calls {
			c.untold = true
		}
		return
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	free := make(chan struct{}, atOnce)
	for _, c := range r.calls {
		outgoing.Pause(ctx, s.pace)
		free <- struct{}{}
		all.Go(func() {
			asked, trouble := s.call(ctx, r.platform, c, access)
			mu.Lock()
			r.trouble, r.asked = r.trouble || trouble, max(r.asked, asked)
			mu.Unlock()
			<-free
		})
	}
	all.Wait()
}

// call makes one call and notes how it ended. It says for how long the platform wants no calls, and whether it is away.
func (s *Sender) call(ctx context.Context, row models.LTIPlatform, c *outcall, access string) (asked time.Duration, trouble bool) {
	body, err := bodyOf(c.text, c.subject, c.stamp)
	address, bad := scoresAt(c.lineItem)
	if err != nil || bad != nil || ctx.Err() != nil {
		c.untold = true
		return 0, false
	}
	said, err := s.Desk.call(ctx, http.MethodPost, address, map[string]string{"Content-Type": "application/vnd.ims.lis.v1.score+json", "Authorization": "Bearer " + access}, body)
	if err != nil {
		// Nobody knows whether it arrived. A process that stops has not called in vain.
		c.untold = ctx.Err() != nil
		away := !c.untold && !errors.Is(err, outgoing.ErrAddress)
		c.answer, c.wait = outgoing.Kept([]byte(outgoing.Reason(err).Error())), waitOf(c, away)
		return 0, away
	}
	c.status = &said.status
	switch {
	case said.good(), said.status == http.StatusConflict && c.again:
		c.done = true
		return 0, false
	case said.status == http.StatusUnauthorized:
		s.Desk.forgetToken(row, scopeScore)
	case said.status == http.StatusTooManyRequests, said.status == http.StatusServiceUnavailable:
		asked, trouble = outgoing.RetryAfter(said.header.Get("Retry-After")), true
	case said.status < 500 && said.status != http.StatusRequestTimeout:
		c.refused = true
	}
	c.answer, c.wait = outgoing.Kept(said.body), waitOf(c, trouble)
	return asked, trouble
}

// waitOf is how long a grade waits: while the platform rests as a whole, it waits no longer than that.
func waitOf(c *outcall, rests bool) time.Duration {
	if rests {
		return waits[0]
	}
	return waitAfter(c.attempts, 0)
}

// scoresAt is the address for the grades of a line item: "scores" goes after its path, before its query.
func scoresAt(lineItem string) (string, error) {
	u, err := url.Parse(lineItem)
	if err != nil {
		return "", err
	}
	return u.JoinPath("scores").String(), nil
}
