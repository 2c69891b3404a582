package app

import (
	"log/slog"
	"time"

	"assess/config"
	"assess/pkg/exam/assignment"
	"assess/pkg/exam/lti"
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
	"assess/pkg/trust/requests"
	"assess/pkg/trust/retention"
	"assess/pkg/trust/translog"
	"assess/pkg/trust/webhook"
)

// mailing are the kinds of jobs that send a mail each.
var mailing = []string{access.MailLink{}.Kind(), assignment.MailInvitation{}.Kind(), people.TellFormerAddress{}.Kind(), webhook.MailDisabled{}.Kind(),
	access.MailPrivacyLink{}.Kind(), requests.MailLetter{}.Kind(), requests.MailTask{}.Kind()}

func newQueue(store *db.Store, log *slog.Logger, c config.Config, sender mail.Sender, desk *session.Desk, platforms *lti.Desk, logs *translog.Service, office *compliance.Centre, shelves ...*shelf.Shelf) (*job.Queue, error) {
	workers := job.NewWorkers()
	job.Add(workers, &access.LinkMailer{Store: store, Sender: sender, BaseURL: c.HTTP.BaseURL})
	job.Add(workers, &access.PrivacyMailer{Store: store, Sender: sender, BaseURL: c.HTTP.BaseURL})
	job.Add(workers, &people.AddressTeller{Store: store, Sender: sender})
	job.Add(workers, &webhook.Mailer{Store: store, Sender: sender})
	job.Add(workers, &requests.Writer{Store: store, Sender: sender, BaseURL: c.HTTP.BaseURL, Secret: c.Auth.KeySecret})
	job.Add(workers, &requests.TaskMailer{Store: store, Sender: sender})
	job.Add(workers, &requests.Reminder{Store: store})
	job.Add(workers, &access.Sweeper{Store: store, KeepIdempotency: c.Idempotency.Keep, TokenLifetime: max(c.Auth.TokenLifetime, c.Auth.LinkLongest)})
	job.Add(workers, &assignment.Inviter{Store: store, Sender: sender, BaseURL: c.HTTP.BaseURL, AppURL: c.Auth.AppURL, LinkLifetime: c.Auth.InvitationLifetime})
	job.Add(workers, &assignment.Scheduler{Store: store})
	job.Add(workers, session.NewExpireWorker(store, desk))
	job.Add(workers, &remediation.Worker{Store: store})
	job.Add(workers, &lti.Syncer{Desk: platforms, Log: log})
	job.Add(workers, &session.AbandonWorker{Store: store, After: c.Sessions.AbandonAfter})
	job.Add(workers, &projection.PercentilesWorker{Store: store})
	job.Add(workers, &projection.SkillCellsWorker{Store: store})
	job.Add(workers, &projection.JobWorker{Store: store, Log: log})
	job.Add(workers, &translog.Sequencer{Service: logs})
	job.Add(workers, &compliance.Worker{Centre: office})
	job.Add(workers, &compliance.Expirer{Centre: office})
	job.Add(workers, &retention.Worker{Centre: office})
	job.Add(workers, &shelf.Sweeper{Store: store, Shelves: shelves})
	periodic := []job.Periodic{
		{Every: c.Compliance.SweepEvery, Args: retention.Args{}},
		{Every: 10 * time.Minute, Args: access.Sweep{}},
		{Every: 5 * time.Second, Args: session.ExpireArgs{}},
		{Every: time.Minute, Args: remediation.Job{}},
		{Every: time.Minute, Args: lti.SyncArgs{}},
		{Every: 15 * time.Second, Args: assignment.ScheduleArgs{}},
		{Every: time.Hour, Args: requests.RemindAll{}},
		{Every: time.Hour, Args: shelf.Sweep{}},
		{Every: time.Minute, Args: compliance.Args{}},
		{Every: 10 * time.Minute, Args: compliance.Expire{}},
		{Every: c.Ledger.CheckpointEvery, Args: translog.Sequence{}},
		{Every: c.Projector.PercentilesEvery, Args: projection.PercentilesArgs{}},
		{Every: c.Projector.PercentilesEvery, Args: projection.SkillCellsArgs{}},
	}
	if c.Sessions.AbandonAfter > 0 {
		periodic = append(periodic, job.Periodic{Every: 10 * time.Minute, Args: session.AbandonArgs{}})
	}
	return job.NewQueue(store, log, workers, c.Jobs.Workers, periodic)
}
