package app

import (
	"log/slog"
	"time"

	"github.com/riverqueue/river"

	"assess/config"
	"assess/pkg/exam/assignment"
	"assess/pkg/exam/remediation"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/job"
	"assess/pkg/kernel/mail"
	"assess/pkg/kernel/shelf"
	"assess/pkg/people/access"
	"assess/pkg/people/people"
	"assess/pkg/report/projection"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/retention"
	"assess/pkg/trust/translog"
)

func newQueue(store *db.Store, log *slog.Logger, c config.Config, sender mail.Sender, desk *session.Desk, logs *translog.Service, office *compliance.Centre, shelves ...*shelf.Shelf) (*job.Queue, error) {
	workers := river.NewWorkers()
	river.AddWorker(workers, &access.LinkMailer{Store: store, Sender: sender, BaseURL: c.HTTP.BaseURL})
	river.AddWorker(workers, &people.AddressTeller{Store: store, Sender: sender})
	river.AddWorker(workers, &access.Sweeper{Store: store, KeepIdempotency: c.Idempotency.Keep, TokenLifetime: max(c.Auth.TokenLifetime, c.Auth.LinkLongest)})
	river.AddWorker(workers, &assignment.Inviter{Store: store, Sender: sender, BaseURL: c.HTTP.BaseURL, AppURL: c.Auth.AppURL, LinkLifetime: c.Auth.InvitationLifetime})
	river.AddWorker(workers, &assignment.Scheduler{Store: store})
	river.AddWorker(workers, session.NewExpireWorker(store, desk))
	river.AddWorker(workers, &remediation.Worker{Store: store})
	river.AddWorker(workers, &session.AbandonWorker{Store: store, After: c.Sessions.AbandonAfter})
	river.AddWorker(workers, &projection.PercentilesWorker{Store: store})
	river.AddWorker(workers, &projection.SkillCellsWorker{Store: store})
	river.AddWorker(workers, &projection.JobWorker{Store: store, Log: log})
	river.AddWorker(workers, &translog.Sequencer{Service: logs})
	river.AddWorker(workers, &compliance.Worker{Centre: office})
	river.AddWorker(workers, &retention.Worker{Centre: office})
	river.AddWorker(workers, &shelf.Sweeper{Store: store, Shelves: shelves})
	periodic := []job.Periodic{
		{Every: c.Compliance.SweepEvery, Args: retention.Args{}},
		{Every: 10 * time.Minute, Args: access.Sweep{}},
		{Every: 5 * time.Second, Args: session.ExpireArgs{}},
		{Every: time.Minute, Args: remediation.Job{}},
		{Every: 15 * time.Second, Args: assignment.ScheduleArgs{}},
		{Every: time.Hour, Args: shelf.Sweep{}},
		{Every: time.Minute, Args: compliance.Args{}},
		{Every: c.Ledger.CheckpointEvery, Args: translog.Sequence{}},
		{Every: c.Projector.PercentilesEvery, Args: projection.PercentilesArgs{}},
		{Every: c.Projector.PercentilesEvery, Args: projection.SkillCellsArgs{}},
	}
	if c.Sessions.AbandonAfter > 0 {
		periodic = append(periodic, job.Periodic{Every: 10 * time.Minute, Args: session.AbandonArgs{}})
	}
	return job.NewQueue(store, log, workers, c.Jobs.Workers, periodic)
}
