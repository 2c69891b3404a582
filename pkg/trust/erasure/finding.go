package erasure

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/datamap"
	"assess/pkg/trust/residue"
	"assess/pkg/trust/translog"
)

// Finding is a place where the search of a forget found something of the person, and what somebody decided about it.
type Finding struct {
	ID         ids.ID     `json:"id"`
	JobID      ids.ID     `json:"job_id" doc:"The forget that found it"`
	Table      string     `json:"table"`
	Column     string     `json:"column"`
	Row        string     `json:"row" doc:"The primary key; [withheld] where it names the person"`
	Kind       string     `json:"kind" doc:"Of the identifier"`
	Form       string     `json:"form" doc:"In which it stands there"`
	Verdict    string     `json:"verdict" enum:"residue,possible"`
	Erasable   bool       `json:"erasable" doc:"It can be erased by decision; otherwise somebody changes the record itself"`
	Decision   *string    `json:"decision" doc:"erased, changed or kept; null: nobody has decided"`
	ReasonCode *string    `json:"reason_code" doc:"Why it is kept"`
	DecidedBy  *string    `json:"decidedBy" doc:"user:<id> or operator:<name>"`
	DecidedAt  *time.Time `json:"decidedAt"`
}

// The decisions about a finding.
const (
	findingErased  = "erased"
	findingChanged = "changed"
	findingKept    = "kept"
)

var findingDecisions = []string{findingErased, findingChanged, findingKept}

// Keeping are the reasons to keep a finding.
var Keeping = []struct{ Code, Meaning string }{
	{"another_person", "It means somebody else."},
	{"not_personal", "The word does not mean a person."},
	{"rights_of_others", "It is the words of others, about what is theirs (GDPR, article 17(3)(a))."},
	{"legal_obligation", "A law asks for it (17(3)(b))."},
	{"legal_claims", "It is needed for legal claims (17(3)(e))."},
}

func keepingCodes() []string {
	var all []string
	for _, r := range Keeping {
		all = append(all, r.Code)
	}
	return all
}

// ExplainedKeeping lists the reasons for a help text.
func ExplainedKeeping() string {
	var lines strings.Builder
	for _, r := range Keeping {
		lines.WriteString("\n  " + r.Code + strings.Repeat(" ", max(1, 18-len(r.Code))) + r.Meaning)
	}
	return lines.String()
}

// eraser gives the expression that replaces the content of a column; empty where a person has to look.
func eraser(table, column string) string {
	t, known := datamap.Find(table)
	c, there := t.Find(column)
	switch {
	case !known || !there || t.Shared != "" || c.Class != datamap.FreeText || c.Stays != "":
		return ""
	case c.Erased != "":
		return c.Erased
	}
	return "'" + datamap.Mark + "'"
}

// keepFindings writes down what somebody has to decide about, in the transaction in which the search ends.
func keepFindings(ctx context.Context, tx *db.Tx, job ids.ID, report residue.Report) error {
	var tables, columns, rows, kinds, forms, verdicts []string
	var made []ids.ID
	for _, f := range report.Findings {
		if f.Verdict == residue.Allowed {
			continue
		}
		made, tables, columns, rows = append(made, ids.New()), append(tables, f.Table), append(columns, f.Column), append(rows, f.Row)
		kinds, forms, verdicts = append(kinds, string(f.Kind)), append(forms, string(f.Form)), append(verdicts, string(f.Verdict))
	}
	if len(made) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `insert into residue_findings (tenant_id, job_id, number, id, table_name, column_name, row_key, kind, form, verdict)
		select $1, $2, n, id, t, c, r, k, f, v from unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
			with ordinality as found (id, t, c, r, k, f, v, n) returning true`, tx.Tenant(), job, made, tables, columns, rows, kinds, forms, verdicts)
	if err != nil {
		return fmt.Errorf("keep what was found: %w", err)
	}
	return nil
}

func findingOf(row models.ResidueFinding) Finding {
	return Finding{ID: row.ID, JobID: row.JobID, Table: row.TableName, Column: row.ColumnName, Row: row.RowKey, Kind: row.Kind, Form: row.Form, Verdict: row.Verdict,
		Erasable: eraser(row.TableName, row.ColumnName) != "", Decision: row.Decision, ReasonCode: row.ReasonCode, DecidedBy: row.DecidedBy, DecidedAt: db.UTC(row.DecidedAt)}
}

// FindingFilter chooses findings; empty fields choose all.
type FindingFilter struct {
	JobID ids.ID `query:"jobId" noun:"job" doc:"Only of this forget"`
	State string `query:"state" enum:"open,decided" doc:"open: nobody has decided"`
	db.Page
}

// ListFindings gives what searches for residue found, in the order in which they did. Capability: compliance.read, over the whole tenant.
// Errors: forbidden, validation_failed.
func ListFindings(ctx context.Context, tx *db.Tx, f FindingFilter) (db.List[Finding], error) {
	var none db.List[Finding]
	if err := compliance.RequireReader(tx); err != nil {
		return none, err
	}
	page, err := f.Check()
	if err == nil {
		err = errs.Invalid(errs.OneOf("state", f.State, []string{"open", "decided"})...)
	}
	if err != nil {
		return none, err
	}
	var rows []models.ResidueFinding
	query, order := tx.NewSelect().Model(&rows).Where("f.tenant_id = ?", tx.Tenant()), "f.id"
	if f.JobID != ids.None {
		query, order = query.Where("f.job_id = ?", f.JobID), "f.number"
	}
	switch f.State {
	case "open":
		query = query.Where("f.decision is null")
	case "decided":
		query = query.Where("f.decision is not null")
	}
	total, err := db.ReadPage(ctx, query, page, &rows, order)
	if err != nil {
		return none, fmt.Errorf("list findings: %w", err)
	}
	items := make([]Finding, 0, len(rows))
	for _, row := range rows {
		items = append(items, findingOf(row))
	}
	return db.NewList(items, page, total), nil
}

// FindingDecision is a decision about a finding.
type FindingDecision struct {
	Decision   string `json:"decision" enum:"erased,changed,kept" doc:"erased: the text goes, here and now; changed: somebody has changed the record; kept: it stays"`
	ReasonCode string `json:"reason_code,omitempty" enum:"another_person,not_personal,rights_of_others,legal_obligation,legal_claims" doc:"Why it is kept"`
}

func (input FindingDecision) check(erasable bool) error {
	bad := append(errs.OneOf("decision", input.Decision, findingDecisions), errs.OneOf("reason_code", input.ReasonCode, keepingCodes())...)
	switch {
	case input.Decision == "":
		bad = append(bad, errs.Field{Path: "decision", Code: "required", Message: "erased, changed or kept"})
	case input.Decision == findingKept && input.ReasonCode == "":
		bad = append(bad, errs.Field{Path: "reason_code", Code: "required", Message: "say why it is kept, by a code"})
	case input.Decision != findingKept && input.ReasonCode != "":
		bad = append(bad, errs.Field{Path: "reason_code", Code: "not_allowed", Message: "only what is kept has a reason"})
	case input.Decision == findingErased && !erasable:
		bad = append(bad, errs.Field{Path: "decision", Code: "not_allowed", Message: "this cannot be erased by itself: change the record, and say changed"})
	}
	return errs.Invalid(bad...)
}

// DecideFinding decides about a finding, once. "erased" erases the whole text of the column in this row, even if it also speaks of others.
// Capability: compliance.manage, over the whole tenant. Errors: forbidden, not_found, validation_failed, conflict.
func DecideFinding(ctx context.Context, tx *db.Tx, id ids.ID, input FindingDecision) (Finding, error) {
	if err := compliance.RequireManager(tx); err != nil {
		return Finding{}, err
	}
	var rows []models.ResidueFinding
	err := tx.NewSelect().Model(&rows).Where("f.tenant_id = ? and f.id = ?", tx.Tenant(), id).For("update").Scan(ctx)
	if err != nil {
		return Finding{}, fmt.Errorf("read a finding: %w", err)
	}
	if len(rows) == 0 {
		return Finding{}, errs.New(errs.NotFound, "There is no such finding.")
	}
	row := rows[0]
	if row.Decision != nil {
		return Finding{}, errs.New(errs.Conflict, "It is decided already.")
	}
	if err := input.check(eraser(row.TableName, row.ColumnName) != ""); err != nil {
		return Finding{}, err
	}
	if input.Decision == findingErased {
		if err := eraseHere(ctx, tx, row); err != nil {
			return Finding{}, err
		}
	}
	row.Decision, row.DecidedBy, row.DecidedAt = &input.Decision, new(tx.Actor().String()), new(tx.Now())
	payload := map[string]any{"findingId": row.ID, "jobId": row.JobID, "decision": input.Decision}
	if input.ReasonCode != "" {
		row.ReasonCode, payload["code"] = &input.ReasonCode, input.ReasonCode
	}
	_, err = tx.Exec(ctx, "update residue_findings set decision = $3, reason_code = $4, decided_by = $5, decided_at = $6 where tenant_id = $1 and id = $2",
		tx.Tenant(), id, row.Decision, row.ReasonCode, row.DecidedBy, row.DecidedAt)
	if err != nil {
		return Finding{}, fmt.Errorf("decide about a finding: %w", err)
	}
	var person ids.ID
	err = tx.QueryRow(ctx, "select subject_id from compliance_jobs where tenant_id = $1 and id = $2", tx.Tenant(), row.JobID).Scan(&person)
	if err != nil {
		return Finding{}, fmt.Errorf("find whom a finding is about: %w", err)
	}
	return findingOf(row), ledger.Append(ctx, tx, ledger.Event{Type: "residue_finding.decided", SubjectType: "user", SubjectID: person, Payload: payload})
}

// keySQL gives the primary key of a table without the tenant: names and types.
const keySQL = `select array_agg(a.attname::text order by k.place), array_agg(format_type(a.atttypid, null) order by k.place)
	from pg_index i cross join unnest(i.indkey) with ordinality as k (attnum, place)
	join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
	where i.indrelid = $1::text::regclass and i.indisprimary and a.attname <> 'tenant_id'`

var errNotHere = errs.New(errs.Conflict, "This cannot be erased by itself, or is not there any more: look at the record, change it, and say changed.")

// eraseHere replaces what a column holds in one row.
func eraseHere(ctx context.Context, tx *db.Tx, row models.ResidueFinding) error {
	table := pgx.Identifier{row.TableName}.Sanitize()
	var names, types []string
	err := tx.QueryRow(ctx, keySQL, row.TableName).Scan(&names, &types)
	if err != nil {
		return fmt.Errorf("read the key of a table: %w", err)
	}
	parts := strings.SplitN(row.RowKey, "/", len(names))
	if len(parts) != len(names) {
		return errNotHere
	}
	where, args := "t.tenant_id = $1", []any{tx.Tenant()}
	for i, name := range names {
		args = append(args, parts[i])
		where += fmt.Sprintf(" and t.%s = $%d::text::%s", pgx.Identifier{name}.Sanitize(), len(args), types[i])
	}
	submission, err := ofSubmission(ctx, tx, row.TableName, table, where, args)
	if unfit(err) {
		return errNotHere
	}
	if err != nil {
		return err
	}
	column := pgx.Identifier{row.ColumnName}.Sanitize()
	var n int64
	err = tx.AcrossOrgUnits(ctx, func() error {
		var err error
		n, err = tx.Exec(ctx, "update "+table+" t set "+column+" = "+eraser(row.TableName, row.ColumnName)+" where "+where, args...)
		return err
	})
	if unfit(err) || err == nil && n == 0 {
		return errNotHere
	}
	if err != nil {
		return fmt.Errorf("erase what was found: %w", err)
	}
	if submission == ids.None {
		return nil
	}
	return translog.Erased(ctx, tx, row.JobID, []ids.ID{submission})
}

// unfit says that the database refuses the change for its content: a key of another form, another type, a column that the service may
// not change, a text that never changes.
func unfit(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && slices.Contains([]string{"42501", "42804", "23001", "23502", "23514", "22P02", "22007", "AS001"}, refused.Code)
}

// ofSubmission gives the submission that a row belongs to, so that the log knows why its text is another; ids.None for none.
func ofSubmission(ctx context.Context, tx *db.Tx, name, table, where string, args []any) (ids.ID, error) {
	t, _ := datamap.Find(name)
	column := "submission_id"
	if name == "submissions" {
		column = "id"
	} else if _, has := t.Find(column); !has {
		return ids.None, nil
	}
	var id *ids.ID
	err := tx.QueryRow(ctx, "select s.id from "+table+" t join submissions s on s.tenant_id = t.tenant_id and s.id = t."+column+" where "+where, args...).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return ids.None, nil
	}
	if err != nil {
		return ids.None, fmt.Errorf("find the submission of what was found: %w", err)
	}
	return db.OrZero(id), nil
}
