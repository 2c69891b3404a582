package requests

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/job"
	"assess/pkg/kernel/ledger"
	"assess/pkg/kernel/mail"
	"assess/pkg/people/access"
	"assess/pkg/trust/compliance"
)

// The letters.
const (
	letterReceived = "received"
	letterIdentity = "identity_needed"
	letterExtended = "extended"
	letterRefused  = "refused"
	letterReady    = "ready"
	letterDone     = "done"
)

// The states of a letter. A letter about something still to come is held first.
const (
	letterQueued  = mail.Queued
	letterSending = "sending"
	letterSent    = mail.Sent
	letterFailed  = mail.Failed
)

// Letter is a letter about a request: when it went, and by which words, which are not kept.
type Letter struct {
	ID              ids.ID     `json:"id"`
	Letter          string     `json:"letter" enum:"received,identity_needed,extended,refused,ready,done"`
	Locale          string     `json:"locale" doc:"Of the template; empty until it is sent"`
	TemplateVersion *int       `json:"templateVersion" doc:"0: the words that are built in"`
	SHA256          *string    `json:"sha256" doc:"Of subject, an empty line, and text"`
	State           string     `json:"state" enum:"held,queued,sending,sent,failed" doc:"held: what it tells of is still to come"`
	Problem         *string    `json:"problem" doc:"Why it failed: no_address, refused, interrupted, uncertain or not_needed"`
	CreatedAt       time.Time  `json:"createdAt"`
	SentAt          *time.Time `json:"sentAt"`
}

// letterAfter is the letter that a change has; empty for none. For an erasure the last letter was written before it began.
func letterAfter(row models.ComplianceRequest, change string) string {
	switch change {
	case "received":
		return letterReceived
	case "identity_asked":
		return letterIdentity
	case "extended":
		return letterExtended
	case "answered":
		if *row.Decision != Granted {
			return letterRefused
		}
	case "carried_out":
		switch row.Kind {
		case Access, Portability:
			return letterReady
		case Erasure:
			return ""
		}
		return letterDone
	}
	return ""
}

// tellPerson queues the letter of a change, where the tenant lets the service write letters and the addressee is known.
func tellPerson(ctx context.Context, tx *db.Tx, row models.ComplianceRequest, s step) error {
	letter := letterAfter(row, s.change)
	if row.Kind == Erasure && (s.change == "carried_out" || s.change == "job_ended") {
		return release(ctx, tx, row.ID, s.change == "carried_out")
	}
	if letter == "" || row.SubjectID == nil {
		return nil
	}
	asked, err := rules(ctx, tx, false)
	if err != nil || !asked.Letters {
		return err
	}
	return queueLetter(ctx, tx, row.ID, letter)
}

func queueLetter(ctx context.Context, tx *db.Tx, request ids.ID, letter string) error {
	id := ids.New()
	_, err := tx.Exec(ctx, "insert into request_letters (tenant_id, request_id, id, letter, state, created_at) values ($1, $2, $3, $4, 'queued', $5)",
		tx.Tenant(), request, id, letter, tx.Now())
	if err != nil {
		return fmt.Errorf("queue a letter: %w", err)
	}
	return job.Insert(ctx, tx, MailLetter{Tenant: tx.Tenant(), Request: request, Letter: id})
}

// addressee is the person a letter goes to.
type addressee struct {
	Name  string `json:"name"`
	Email string `json:"email"`
}

func sealedName(tenant, request, letter ids.ID) string {
	return "letter/" + tenant.String() + "/" + request.String() + "/" + letter.String()
}

// holdLetter keeps the address of somebody who is about to be erased, sealed, for the letter that says that it is done.
func holdLetter(ctx context.Context, tx *db.Tx, secret string, row models.ComplianceRequest) error {
	asked, err := rules(ctx, tx, false)
	if err != nil || !asked.Letters {
		return err
	}
	to, err := addresseeOf(ctx, tx, *row.SubjectID)
	if err != nil || to.Email == "" {
		return err
	}
	plain, err := json.Marshal(to)
	if err != nil {
		return err
	}
	id := ids.New()
	sealed, err := access.Seal(secret, sealedName(tx.Tenant(), row.ID, id), plain)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "insert into request_letters (tenant_id, request_id, id, letter, state, sealed, created_at) values ($1, $2, $3, $4, 'held', $5, $6)",
		tx.Tenant(), row.ID, id, letterDone, sealed, tx.Now())
	if err != nil {
		return fmt.Errorf("hold a letter: %w", err)
	}
	return nil
}

// release sends the letter that was held, or drops it where nothing was erased.
func release(ctx context.Context, tx *db.Tx, request ids.ID, done bool) error {
	state, problem := letterQueued, ""
	if !done {
		state, problem = letterFailed, "not_needed"
	}
	rows, err := tx.Query(ctx, `update request_letters set state = $3, problem = nullif($4, ''), sealed = case when $5 then sealed end
		where tenant_id = $1 and request_id = $2 and state = 'held' returning id`, tx.Tenant(), request, state, problem, done)
	if err != nil {
		return fmt.Errorf("release a letter: %w", err)
	}
	held, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil {
		return fmt.Errorf("release a letter: %w", err)
	}
	for _, id := range held {
		if done {
			err = job.Insert(ctx, tx, MailLetter{Tenant: tx.Tenant(), Request: request, Letter: id})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func addresseeOf(ctx context.Context, tx *db.Tx, person ids.ID) (addressee, error) {
	var to addressee
	err := tx.QueryRow(ctx, "select name, coalesce(email, '') from users where tenant_id = $1 and id = $2", tx.Tenant(), person).Scan(&to.Name, &to.Email)
	if err != nil {
		return to, fmt.Errorf("find to whom a letter goes: %w", err)
	}
	return to, nil
}

// lettersOf are the letters about a request, the oldest first.
func lettersOf(ctx context.Context, tx *db.Tx, request ids.ID) ([]Letter, error) {
	rows, err := tx.Query(ctx, `select id, letter, locale, template_version, sha256, state, problem, created_at, sent_at from request_letters
		where tenant_id = $1 and request_id = $2 order by id`, tx.Tenant(), request)
	if err != nil {
		return nil, fmt.Errorf("read the letters of a request: %w", err)
	}
	all, err := pgx.AppendRows([]Letter{}, rows, func(row pgx.CollectableRow) (Letter, error) {
		l, err := pgx.RowToStructByPos[Letter](row)
		l.CreatedAt, l.SentAt = l.CreatedAt.UTC(), db.UTC(l.SentAt)
		return l, err
	})
	if err != nil {
		return nil, fmt.Errorf("read the letters of a request: %w", err)
	}
	return all, nil
}

// LetterInput says which letter goes out once more, or for the first time where the tenant writes its own.
type LetterInput struct {
	Letter string `json:"letter" enum:"received,identity_needed,extended,refused,ready,done" doc:"Which one"`
}

// SendLetter queues a letter by hand. Errors: as work, validation_failed, also where the addressee is not known.
func SendLetter(ctx context.Context, tx *db.Tx, id ids.ID, input LetterInput) (Detail, error) {
	row, err := work(ctx, tx, id, States...)
	if err != nil {
		return Detail{}, err
	}
	bad := errs.OneOf("letter", input.Letter, letterNames())
	switch {
	case input.Letter == "":
		bad = append(bad, errs.Field{Path: "letter", Code: "required", Message: "say which letter"})
	case row.SubjectID == nil:
		bad = append(bad, errs.Field{Path: "letter", Code: "not_allowed", Message: "nobody knows yet whom the request is about"})
	}
	if err := errs.Invalid(bad...); err != nil {
		return Detail{}, err
	}
	if err := queueLetter(ctx, tx, row.ID, input.Letter); err != nil {
		return Detail{}, err
	}
	return detail(ctx, tx, row)
}

// LetterText is a letter as it would go out now, for users who print it.
type LetterText struct {
	Subject         string `json:"subject"`
	Text            string `json:"text"`
	Locale          string `json:"locale"`
	TemplateVersion int    `json:"templateVersion" doc:"0: the words that are built in"`
}

// LetterChoice names a letter about a request.
type LetterChoice struct {
	ID     ids.ID `path:"id" noun:"request"`
	Letter string `query:"letter" required:"true" enum:"received,identity_needed,extended,refused,ready,done" doc:"Which one"`
}

// ReadLetter gives a letter as it would go out now; its link is where people see what became of their requests, under base. Capability:
// compliance.manage, over the whole tenant. Errors: forbidden, not_found, validation_failed.
func ReadLetter(ctx context.Context, tx *db.Tx, base string, input LetterChoice) (LetterText, error) {
	if err := compliance.RequireManager(tx); err != nil {
		return LetterText{}, err
	}
	bad := errs.OneOf("letter", input.Letter, letterNames())
	if input.Letter == "" {
		bad = append(bad, errs.Field{Path: "letter", Code: "required", Message: "say which letter"})
	}
	if err := errs.Invalid(bad...); err != nil {
		return LetterText{}, err
	}
	row, err := find(ctx, tx, input.ID, false)
	if err != nil {
		return LetterText{}, err
	}
	var to addressee
	if row.SubjectID != nil {
		to, err = addresseeOf(ctx, tx, *row.SubjectID)
		if err != nil {
			return LetterText{}, err
		}
	}
	return compose(ctx, tx, base, row, input.Letter, to)
}

// compose writes a letter by the template in force.
func compose(ctx context.Context, tx *db.Tx, base string, row models.ComplianceRequest, letter string, to addressee) (LetterText, error) {
	template, err := templateFor(ctx, tx, row, letter)
	if err != nil {
		return LetterText{}, err
	}
	var tenant, slug string
	err = tx.QueryRow(ctx, "select name, slug from tenants where id = $1", tx.Tenant()).Scan(&tenant, &slug)
	if err != nil {
		return LetterText{}, fmt.Errorf("read the name of the tenant: %w", err)
	}
	day := func(t time.Time) string { return t.UTC().Format("2006-01-02") }
	fill := strings.NewReplacer("{name}", to.Name, "{tenant}", tenant, "{article}", articles[row.Kind], "{received}", day(row.ReceivedAt),
		"{due}", day(due(row, tx.Now())), "{reason}", reasonOf(row, letter), "{number}", row.ID.String(), "{link}", strings.TrimRight(base, "/")+"/privacy?tenant="+slug)
	return LetterText{Subject: strings.Join(strings.Fields(fill.Replace(template.Subject)), " "), Text: fill.Replace(template.Text),
		Locale: template.Locale, TemplateVersion: template.Version}, nil
}

// reasonOf says in a sentence why something is not done, or takes longer.
func reasonOf(row models.ComplianceRequest, letter string) string {
	code := db.OrZero(row.ReasonCode)
	if letter == letterExtended {
		code = db.OrZero(row.ExtensionReason)
	}
	for _, r := range slices.Concat(Refusals, Extensions) {
		if r.Code == code {
			return r.Meaning
		}
	}
	return ""
}

func (l LetterText) hash() string { return content.Hash([]byte(l.Subject + "\n\n" + l.Text)) }

// toldLedger writes down what became of a letter.
func toldLedger(ctx context.Context, tx *db.Tx, row models.ComplianceRequest, l Letter) error {
	event := ledger.Event{Type: "request_letter." + l.State, SubjectType: "tenant", SubjectID: tx.Tenant(),
		Payload: map[string]any{"requestId": row.ID, "letterId": l.ID, "letter": l.Letter}}
	if row.SubjectID != nil {
		event.SubjectType, event.SubjectID = "user", *row.SubjectID
	}
	if l.State == letterSent {
		event.Payload["locale"], event.Payload["templateVersion"], event.Payload["sha256"] = l.Locale, db.OrZero(l.TemplateVersion), db.OrZero(l.SHA256)
	} else {
		event.Payload["problem"] = db.OrZero(l.Problem)
	}
	return ledger.Append(ctx, tx, event)
}
