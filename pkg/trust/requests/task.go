package requests

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/job"
	"assess/pkg/kernel/ledger"
	"assess/pkg/kernel/mail"
	"assess/pkg/trust/compliance"
)

// toldOf are the kinds that recipients are told of (GDPR, article 19), and what they are asked to do.
var toldOf = map[string]string{
	Erasure:       "delete what you have of this person",
	Rectification: "ask us for what was corrected, and correct it",
	Restriction:   "stop using what you have of this person, and keep it",
	Objection:     "stop using what you have of this person, and keep it",
}

// The ways of telling.
const (
	byWebhook = "webhook"
	byMail    = "mail"
	byHand    = "by_hand"
)

// The states of a task.
const (
	taskOpen         = "open"
	taskAcknowledged = "acknowledged"
	taskGivenUp      = "given_up"
)

// TaskStates are all of them.
var TaskStates = []string{taskOpen, taskAcknowledged, taskGivenUp}

// A recipient that does not answer is reminded each week, three times.
const (
	remindEvery   = 7 * 24 * time.Hour
	mostReminders = 3
)

// GivenUp are the reasons not to wait for a recipient any more (article 19).
var GivenUp = []Reason{
	{"impossible", "Telling it proved impossible."},
	{"disproportionate", "Telling it would take an effort that is out of proportion."},
	{"has_no_data", "It has no data of the person."},
}

// Task says that a recipient has to do what a request wants.
type Task struct {
	ID          ids.ID     `json:"id"`
	RequestID   ids.ID     `json:"requestId"`
	RecipientID ids.ID     `json:"recipientId"`
	Recipient   string     `json:"recipient" doc:"Its name"`
	Way         string     `json:"way" enum:"webhook,mail,by_hand" doc:"How it is told"`
	State       string     `json:"state" enum:"open,acknowledged,given_up"`
	ReasonCode  *string    `json:"reason_code" doc:"Why nobody waits for it any more"`
	Reminders   int        `json:"reminders" doc:"How often it was reminded"`
	ToldAt      *time.Time `json:"toldAt" doc:"When it was told last; null: somebody has to"`
	RemindAt    *time.Time `json:"remindAt" doc:"When it is reminded next; null: no more"`
	ClosedBy    *string    `json:"closedBy"`
	ClosedAt    *time.Time `json:"closedAt"`
	CreatedAt   time.Time  `json:"createdAt"`
}

func (t Task) utc() Task {
	t.ToldAt, t.RemindAt, t.ClosedAt, t.CreatedAt = db.UTC(t.ToldAt), db.UTC(t.RemindAt), db.UTC(t.ClosedAt), t.CreatedAt.UTC()
	return t
}

func taskOf(row models.RecipientTask) Task {
	return Task{row.ID, row.RequestID, row.RecipientID, row.Recipient, row.Way, row.State, row.ReasonCode, row.Reminders, row.ToldAt, row.RemindAt, row.ClosedBy, row.ClosedAt,
		row.CreatedAt}.utc()
}

// tellRecipients makes a task for each recipient once a request is carried out.
func tellRecipients(ctx context.Context, tx *db.Tx, row models.ComplianceRequest, s step) error {
	if _, told := toldOf[row.Kind]; s.change != "carried_out" || !told {
		return nil
	}
	all, err := CurrentRecipients(ctx, tx)
	if err != nil {
		return err
	}
	for _, r := range all {
		t := models.RecipientTask{TenantID: tx.Tenant(), ID: ids.New(), RequestID: row.ID, RecipientID: r.ID, Way: byHand, State: taskOpen, CreatedAt: tx.Now()}
		switch {
		case r.WebhookID != nil:
			t.Way = byWebhook
		case r.Contact != "":
			t.Way = byMail
		}
		n, err := tx.Exec(ctx, `insert into recipient_tasks (tenant_id, id, request_id, recipient_id, way, state, created_at) values ($1, $2, $3, $4, $5, $6, $7)
			on conflict (tenant_id, request_id, recipient_id) do nothing`, t.TenantID, t.ID, t.RequestID, t.RecipientID, t.Way, t.State, t.CreatedAt)
		if err != nil {
			return fmt.Errorf("make a task for a recipient: %w", err)
		}
		if n == 0 {
			continue // it was carried out before it was contested, and the recipient knows
		}
		if err := tell(ctx, tx, t, r.WebhookID, "created"); err != nil {
			return err
		}
	}
	return nil
}

// tell has a recipient told of a task, and says when it is reminded.
func tell(ctx context.Context, tx *db.Tx, t models.RecipientTask, webhook *ids.ID, change string) error {
	if t.Way != byHand {
		t.ToldAt, t.RemindAt = new(tx.Now()), new(tx.Now().Add(remindEvery))
	}
	if change == "reminded" {
		t.Reminders++
	}
	if t.Reminders >= mostReminders {
		t.RemindAt = nil
	}
	_, err := tx.Exec(ctx, "update recipient_tasks set reminders = $3, told_at = $4, remind_at = $5 where tenant_id = $1 and id = $2",
		tx.Tenant(), t.ID, t.Reminders, t.ToldAt, t.RemindAt)
	if err != nil {
		return fmt.Errorf("tell a recipient: %w", err)
	}
	if t.Way == byMail {
		if err := job.Insert(ctx, tx, MailTask{Tenant: tx.Tenant(), Task: t.ID}); err != nil {
			return err
		}
	}
	return taskEvent(ctx, tx, t, change, map[string]any{"way": t.Way, "webhookId": webhook})
}

func taskEvent(ctx context.Context, tx *db.Tx, t models.RecipientTask, change string, more map[string]any) error {
	row, err := find(ctx, tx, t.RequestID, false)
	if err != nil {
		return err
	}
	more["taskId"], more["requestId"], more["recipientId"], more["kind"] = t.ID, t.RequestID, t.RecipientID, row.Kind
	return ledger.Append(ctx, tx, ledger.Event{Type: "recipient_task." + change, SubjectType: "user", SubjectID: *row.SubjectID, Payload: more})
}

// lockTask reads a task that is about to change, with its recipient. Capability: compliance.manage, over the whole tenant. Errors:
// forbidden, not_found, wrong_request_state for one that is closed.
func lockTask(ctx context.Context, tx *db.Tx, id ids.ID) (models.RecipientTask, models.DataRecipient, error) {
	var none models.DataRecipient
	if err := compliance.RequireManager(tx); err != nil {
		return models.RecipientTask{}, none, err
	}
	var rows []models.RecipientTask
	err := tx.NewSelect().Model(&rows).Where("k.tenant_id = ? and k.id = ?", tx.Tenant(), id).For("update").Scan(ctx)
	if err != nil {
		return models.RecipientTask{}, none, fmt.Errorf("read a task: %w", err)
	}
	if len(rows) == 0 {
		return models.RecipientTask{}, none, errs.New(errs.NotFound, "There is no such task.")
	}
	if rows[0].State != taskOpen {
		return rows[0], none, errs.New(errs.WrongRequestState, "The task is closed.").With("state", rows[0].State)
	}
	of, err := recipientByID(ctx, tx, rows[0].RecipientID, false)
	rows[0].Recipient = of.Name
	return rows[0], of, err
}

// Acknowledge says that a recipient has done what it was told. Errors: as lockTask.
func Acknowledge(ctx context.Context, tx *db.Tx, id ids.ID) (Task, error) {
	return closeTask(ctx, tx, id, taskAcknowledged, nil)
}

// GiveUpInput says why nobody waits for a recipient any more.
type GiveUpInput struct {
	ReasonCode string `json:"reason_code" enum:"impossible,disproportionate,has_no_data" doc:"Why"`
}

// GiveUp says that nobody waits for a recipient any more. Errors: as lockTask, validation_failed.
func GiveUp(ctx context.Context, tx *db.Tx, id ids.ID, input GiveUpInput) (Task, error) {
	bad := errs.OneOf("reason_code", input.ReasonCode, codes(GivenUp))
	if input.ReasonCode == "" {
		bad = append(bad, errs.Field{Path: "reason_code", Code: "required", Message: "say why, by a code"})
	}
	if err := errs.Invalid(bad...); err != nil {
		return Task{}, err
	}
	return closeTask(ctx, tx, id, taskGivenUp, &input.ReasonCode)
}

func closeTask(ctx context.Context, tx *db.Tx, id ids.ID, state string, reason *string) (Task, error) {
	t, _, err := lockTask(ctx, tx, id)
	if err != nil {
		return Task{}, err
	}
	t.State, t.ReasonCode, t.RemindAt, t.ClosedBy, t.ClosedAt = state, reason, nil, new(tx.Actor().String()), new(tx.Now())
	_, err = tx.Exec(ctx, "update recipient_tasks set state = $3, reason_code = $4, remind_at = null, closed_by = $5, closed_at = $6 where tenant_id = $1 and id = $2",
		tx.Tenant(), id, t.State, t.ReasonCode, t.ClosedBy, t.ClosedAt)
	if err != nil {
		return Task{}, fmt.Errorf("close a task: %w", err)
	}
	more := map[string]any{}
	if reason != nil {
		more["code"] = *reason
	}
	return taskOf(t), taskEvent(ctx, tx, t, state, more)
}

// Remind tells a recipient once more. If it is told by hand, the caller has told it. Errors: as lockTask.
func Remind(ctx context.Context, tx *db.Tx, id ids.ID) (Task, error) {
	t, of, err := lockTask(ctx, tx, id)
	if err != nil {
		return Task{}, err
	}
	if t.Way == byHand {
		t.ToldAt = new(tx.Now())
	}
	if err := tell(ctx, tx, t, of.WebhookID, "reminded"); err != nil {
		return Task{}, err
	}
	all, err := tasksWhere(ctx, tx, "k.id = $2", id)
	if err != nil || len(all) == 0 {
		return Task{}, err
	}
	return all[0], nil
}

const tasksSQL = `select k.id, k.request_id, k.recipient_id, d.name, k.way, k.state, k.reason_code, k.reminders, k.told_at, k.remind_at, k.closed_by, k.closed_at, k.created_at
	from recipient_tasks k join data_recipients d on d.tenant_id = k.tenant_id and d.id = k.recipient_id where k.tenant_id = $1 and `

func tasksWhere(ctx context.Context, tx *db.Tx, condition string, args ...any) ([]Task, error) {
	rows, err := tx.Query(ctx, tasksSQL+condition+" order by k.created_at, k.id", append([]any{tx.Tenant()}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("read tasks: %w", err)
	}
	all, err := pgx.AppendRows([]Task{}, rows, func(row pgx.CollectableRow) (Task, error) {
		t, err := pgx.RowToStructByPos[Task](row)
		return t.utc(), err
	})
	if err != nil {
		return nil, fmt.Errorf("read tasks: %w", err)
	}
	return all, nil
}

// TaskFilter chooses tasks; empty fields choose all.
type TaskFilter struct {
	State       string `query:"state" enum:"open,acknowledged,given_up" doc:"Only in this state"`
	RecipientID ids.ID `query:"recipientId" noun:"recipient" doc:"Only of this recipient"`
	RequestID   ids.ID `query:"requestId" noun:"request" doc:"Only of this request"`
	db.Page
}

// ListTasks gives what recipients are to do, the newest first. Capability: compliance.read, over the whole tenant. Errors: forbidden,
// validation_failed.
func ListTasks(ctx context.Context, tx *db.Tx, f TaskFilter) (db.List[Task], error) {
	var none db.List[Task]
	if err := compliance.RequireReader(tx); err != nil {
		return none, err
	}
	page, err := f.Check()
	if err == nil {
		err = errs.Invalid(errs.OneOf("state", f.State, TaskStates)...)
	}
	if err != nil {
		return none, err
	}
	var rows []models.RecipientTask
	query := tx.NewSelect().Model(&rows).ColumnExpr("k.*, d.name as recipient").
		Join("join data_recipients d on d.tenant_id = k.tenant_id and d.id = k.recipient_id").Where("k.tenant_id = ?", tx.Tenant())
	if f.State != "" {
		query = query.Where("k.state = ?", f.State)
	}
	for column, id := range map[string]ids.ID{"k.recipient_id = ?": f.RecipientID, "k.request_id = ?": f.RequestID} {
		if id != ids.None {
			query = query.Where(column, id)
		}
	}
	total, err := db.ReadPage(ctx, query, page, &rows, "k.created_at desc", "k.id desc")
	if err != nil {
		return none, fmt.Errorf("list tasks: %w", err)
	}
	items := make([]Task, 0, len(rows))
	for _, row := range rows {
		items = append(items, taskOf(row))
	}
	return db.NewList(items, page, total), nil
}

// MailTask is the job that tells a recipient by mail. A second run sends the mail again, under the same message id.
type MailTask struct {
	Tenant ids.ID `json:"tenant"`
	Task   ids.ID `json:"task"`
}

// Kind names the job.
func (MailTask) Kind() string { return "mail_recipient_task" }

// TaskMailer works on MailTask jobs.
type TaskMailer struct {
	river.WorkerDefaults[MailTask]
	Store  *db.Store
	Sender mail.Sender
}

// Work mails one message, as long as the task is open.
func (w *TaskMailer) Work(ctx context.Context, j *river.Job[MailTask]) error {
	var message *mail.Message
	err := w.Store.Read(ctx, db.System(j.Args.Tenant, "mail_recipient_task"), func(tx *db.Tx) error {
		var err error
		message, err = taskMail(ctx, tx, j.Args.Task)
		return err
	})
	if err != nil {
		return err
	}
	return mail.SendUnlessNone(ctx, w.Sender, message)
}

// taskMail names the person by nothing but the id: a recipient has it from us, and a mail is read by many.
func taskMail(ctx context.Context, tx *db.Tx, task ids.ID) (*mail.Message, error) {
	var to, kind, tenant string
	var person ids.ID
	var reminders int
	err := tx.QueryRow(ctx, `
		select d.contact, r.kind, r.subject_id, t.name, k.reminders from recipient_tasks k
		join data_recipients d on d.tenant_id = k.tenant_id and d.id = k.recipient_id
		join compliance_requests r on r.tenant_id = k.tenant_id and r.id = k.request_id
		join tenants t on t.id = k.tenant_id
		where k.tenant_id = $1 and k.id = $2 and k.state = 'open' and d.contact <> ''`, tx.Tenant(), task).Scan(&to, &kind, &person, &tenant, &reminders)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil //nolint:nilnil // it was closed meanwhile
	}
	if err != nil {
		return nil, fmt.Errorf("read what a recipient is told: %w", err)
	}
	subject := "A person's data: please act"
	if reminders > 0 {
		subject = "Reminder: a person's data, please act"
	}
	return &mail.Message{To: to, Subject: subject, ID: fmt.Sprintf("%s.%d", task, reminders), Text: fmt.Sprintf(`Hello,

under article 19 of the General Data Protection Regulation %s tells you about the person whom you know by this id:

%s

Please %s. Tell us once it is done, and name this task:

%s
`, tenant, person, toldOf[kind], task)}, nil
}

// RemindAll is the job that reminds recipients that do not answer.
type RemindAll struct{}

// Kind names the job.
func (RemindAll) Kind() string { return "remind_recipients" }

// Reminder works on RemindAll jobs.
type Reminder struct {
	river.WorkerDefaults[RemindAll]
	Store *db.Store
}

// remindedAtOnce bounds a transaction.
const remindedAtOnce = 100

// Work reminds the recipients of each tenant, and goes on with the next one where that fails.
func (w *Reminder) Work(ctx context.Context, _ *river.Job[RemindAll]) error {
	tenants, err := w.Store.Tenants(ctx)
	if err != nil {
		return fmt.Errorf("list tenants: %w", err)
	}
	var problems []error
	for _, tenant := range tenants {
		problems = append(problems, w.remind(ctx, tenant))
	}
	return errors.Join(problems...)
}

func (w *Reminder) remind(ctx context.Context, tenant ids.ID) error {
	for {
		n := 0
		err := w.Store.Write(ctx, db.System(tenant, "remind_recipients"), func(tx *db.Tx) error {
			rows, err := tx.Query(ctx, "select id from recipient_tasks where tenant_id = $1 and remind_at <= $2 order by remind_at, id limit $3 for update skip locked",
				tx.Tenant(), tx.Now(), remindedAtOnce)
			if err != nil {
				return fmt.Errorf("find whom to remind: %w", err)
			}
			silent, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
			if err != nil {
				return fmt.Errorf("find whom to remind: %w", err)
			}
			slices.SortFunc(silent, func(a, b ids.ID) int { return slices.Compare(a[:], b[:]) })
			for _, id := range silent {
				if _, err := Remind(ctx, tx, id); err != nil {
					return err
				}
			}
			n = len(silent)
			return nil
		})
		if err != nil || n < remindedAtOnce {
			return err
		}
	}
}
