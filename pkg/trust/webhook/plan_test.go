package webhook_test

import (
	"context"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
	"assess/pkg/trust/webhook"
)

// crowded are the tables that multitude fills. A tenant has a hundred endpoints at most.
var crowded = []string{"ledger_events", "ledger_states", "webhook_deliveries", "submissions", "score_versions"}

// Among many tenants with long ledgers, a hundred endpoints each and tens of thousands of deliveries, each statement looks at what it is about:
// a piece of the ledger, a round of calls, a page.
func TestWhatIsRead(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	h := newHouse(t)
	busy := h.endpoint(h.scope, "/busy", webhook.Input{IncludeScores: true})
	quiet := h.endpoint(h.scope, "/quiet", webhook.Input{})
	var user ids.ID
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		user = sample.User(t, tx, "Candidate").ID
		return nil
	})
	_, submission := h.handIn()
	h.multitude(busy.ID, quiet.ID, user, submission)
	write(h, h.scope, func(ctx context.Context, tx *db.Tx) (people.User, error) { return people.DeactivateUser(ctx, tx, user) })
	h.say(3, h.scope.OrgUnit)
	last := one[int64](h, "select last_seq from ledger_heads where tenant_id = $1", h.scope.Tenant)
	batch := one[int64](h, "select max(seq) from ledger_events where tenant_id = $1 and event_type = 'submissions.sequenced'", h.scope.Tenant)
	h.exec("update webhook_cursors set seq = $2 where tenant_id = $1", h.scope.Tenant, last-4)
	delivery := one[ids.ID](h, "select id from webhook_deliveries where endpoint_id = $1 limit 1", busy.ID)
	system := db.System(h.scope.Tenant, "webhooks")
	d := webhook.NewDeliverer(h.store, h.client, "https://assess.example.org", slog.New(slog.DiscardHandler))
	list := func(filter webhook.DeliveryFilter) func(ctx context.Context, tx *db.Tx) error {
		return func(ctx context.Context, tx *db.Tx) error {
			_, err := webhook.ListDeliveries(ctx, tx, busy.ID, filter)
			return err
		}
	}
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		for _, c := range []struct {
			name string
			as   db.Scope
			most int64
			do   func(ctx context.Context, tx *db.Tx) error
		}{
			{"a piece of the ledger", system, 250, func(ctx context.Context, tx *db.Tx) error { _, _, err := webhook.Feed(ctx, tx); return err }},
			{"a batch that was handed in", system, 60, func(ctx context.Context, tx *db.Tx) error {
				n, err := webhook.FactsBetween(ctx, tx, batch-1, batch)
				if n == 0 {
					t.Error("the batch told nothing")
				}
				return err
			}},
			{"calls that arrive", system, 150, func(ctx context.Context, tx *db.Tx) error { return round(ctx, t, tx, d, busy.ID, http.StatusOK) }},
			{"calls that fail", system, 150, func(ctx context.Context, tx *db.Tx) error {
				return round(ctx, t, tx, d, busy.ID, http.StatusInternalServerError)
			}},
			{"nothing to call", system, 5, func(ctx context.Context, tx *db.Tx) error {
				_, err := d.Round(ctx, tx, quiet.ID, http.StatusOK)
				return err
			}},
			{"who has something to send", system, 700, func(ctx context.Context, tx *db.Tx) error {
				_, err := tx.Exec(ctx, "select tenant, endpoint from webhooks_to_send(clock_timestamp(), 32)")
				return err
			}},
			// A list counts its ten thousand, and reads a page.
			{"the newest deliveries", h.scope, 10_050, list(webhook.DeliveryFilter{})},
			{"the last page of deliveries", h.scope, 10_050, list(webhook.DeliveryFilter{Page: db.Page{Page: 500, Limit: 20}})},
			{"those that failed", h.scope, 150, list(webhook.DeliveryFilter{State: "failed"})},
			{"those that are due", h.scope, 250, list(webhook.DeliveryFilter{State: "due"})},
			{"one that is sent again", h.scope, 10, func(ctx context.Context, tx *db.Tx) error {
				_, err := webhook.Redeliver(ctx, tx, webhook.RedeliverInput{ID: busy.ID, DeliveryID: delivery})
				return err
			}},
			{"a test", h.scope, 10, func(ctx context.Context, tx *db.Tx) error { _, err := webhook.SendTest(ctx, tx, busy.ID); return err }},
			{"a replay", h.scope, 40, func(ctx context.Context, tx *db.Tx) error {
				_, err := webhook.ReplayEvents(ctx, tx, busy.ID, webhook.ReplayInput{From: tx.Now().Add(-30 * time.Minute)})
				return err
			}},
			{"what is old", system, 2500, func(ctx context.Context, tx *db.Tx) error {
				n, err := webhook.Sweep(ctx, tx)
				if n != 1000 {
					t.Errorf("%d were swept", n)
				}
				return err
			}},
		} {
			err := h.store.DryRun(t.Context(), c.as, func(tx *db.Tx) error {
				plans.Force(t, tx)
				var err error
				dbtest.ByIndex(t, tx, c.name, c.most, func() error {
					err = c.do(t.Context(), tx)
					return err
				}, crowded...)
				return err
			})
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	}, h.urls)
}

func round(ctx context.Context, t *testing.T, tx *db.Tx, d *webhook.Deliverer, endpoint ids.ID, status int) error {
	n, err := d.Round(ctx, tx, endpoint, status)
	if n != 25 {
		t.Errorf("%d calls in a round", n)
	}
	return err
}

// multitude gives two tenants ninety-eight more endpoints, and the busy one and its like in the other tenant twenty thousand deliveries: most of them
// are sent, some failed, some are due and some are old. The ledger has twenty thousand events, half of them of a user; there are batches of
// submissions, and ten thousand of these.
func (h *house) multitude(busy, quiet, user, submission ids.ID) {
	h.t.Helper()
	other := sample.Tenant(h.t, h.store)
	for _, tenant := range []ids.ID{h.scope.Tenant, other.Tenant} {
		h.exec(`insert into webhook_endpoints (tenant_id, id, url, events, sealed_secret, since_seq, created_by, created_at, updated_at)
			select $1, gen_random_uuid(), 'https://example.org', '{job.completed}', 'x', 0, 'operator:x', now(), now() from generate_series(1, 98)`, tenant)
		h.exec(`insert into webhook_deliveries (tenant_id, id, endpoint_id, event_id, event_type, seq, subject, body, occurred_at, state, next_at, created_at)
			select $1, gen_random_uuid(), e.id, gen_random_uuid(), 'job.completed', n, 'x', '{}', now(), case when n % 100 = 0 then 'due' when n % 100 = 1 then 'failed' else 'sent' end,
				now() - n * interval '1 second', now() - case when n % 10 = 0 then interval '15 days' else interval '1 day' end
			from (select id from webhook_endpoints where tenant_id = $1 and id <> $3 order by id = $2 desc, id limit 2) e, generate_series(1, 10000) n`, tenant, busy, quiet)
		h.exec(`with head as (update ledger_heads set last_seq = last_seq + 20000 where tenant_id = $1 returning last_seq - 20000 as before)
			insert into ledger_events (tenant_id, seq, id, event_type, actor, subject_type, subject_id, payload, occurred_at)
			select $1, before + n, gen_random_uuid(), 'user.updated', 'user:x', 'user', case when n % 2 = 0 then $2 else gen_random_uuid() end, '{"name": "x"}', now() - (20001 - n) * interval '1 second'
			from head, generate_series(1, 20000) n`, tenant, user)
		h.exec(`insert into ledger_states (tenant_id, batch, position, submission_id, state_scheme, erased)
			select $1, 100 + n / 10, n % 10, gen_random_uuid(), 'x', true from generate_series(1, 20000) n`, tenant)
	}
	for _, table := range []string{"submissions", "score_versions"} {
		column := map[string]string{"submissions": "id", "score_versions": "submission_id"}[table]
		h.exec(`insert into `+table+` select copy.* from (select t as row from `+table+` t where `+column+` = $1) one, generate_series(1, 10000) n,
			jsonb_populate_record(one.row, jsonb_build_object('`+column+`', md5(n::text))) copy`, submission)
	}
}
