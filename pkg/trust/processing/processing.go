// Package processing is the record of processing activities that a supervisor can be given (GDPR, article 30): why people's data are
// processed, on which legal basis, who gets them, and how long they are kept.
//
// Purposes are the purposes of the data map; a tenant says its legal bases, its recipients (package requests) and how long it keeps what
// (package policy).
//
// Tables: processing_bases.
// Error codes: forbidden, validation_failed.
// Ledger events: processing_basis.set.
package processing

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ledger"
	"assess/pkg/kernel/plural"
	"assess/pkg/people/policy"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/datamap"
	"assess/pkg/trust/requests"
)

// Record is the record of a tenant.
type Record struct {
	Controller string    `json:"controller" doc:"Name of the tenant"`
	At         time.Time `json:"at"`
	Purposes   []Purpose `json:"purposes" nullable:"false"`
}

// Purpose is a purpose that data are processed for.
type Purpose struct {
	Purpose    string      `json:"purpose" doc:"Its code"`
	What       string      `json:"what"`
	People     string      `json:"people" doc:"Whose data"`
	Data       string      `json:"data" doc:"Which data"`
	LegalBasis string      `json:"legalBasis" enum:"consent,contract,legal_obligation,vital_interests,public_task,legitimate_interests"`
	Article    string      `json:"article" doc:"Of the GDPR, where the basis stands" example:"6(1)(b)"`
	SetBy      *string     `json:"setBy" doc:"Who said the basis; null: nobody has, and it is that of the map"`
	Recipients []Recipient `json:"recipients" nullable:"false"`
	Periods    []Period    `json:"periods" nullable:"false"`
}

// Recipient is who gets data for a purpose.
type Recipient struct {
	Name string `json:"name"`
	Role string `json:"role" enum:"processor,recipient"`
	Gets string `json:"gets"`
}

// Period is how long data of a domain are kept.
type Period struct {
	Domain string `json:"domain"`
	Of     string `json:"of" doc:"What the policy is about; empty: all of the domain"`
	Days   *int   `json:"days" doc:"Null: without end, or as long as what they belong to"`
	Action string `json:"action" doc:"What is done then: redact or delete"`
}

// words says it in a phrase.
func (p Period) words() string {
	said := p.Domain
	if p.Of != "" {
		said += " (" + p.Of + ")"
	}
	if p.Days == nil {
		return said + ": no policy"
	}
	return said + ": " + plural.Of(*p.Days, "day") + ", then " + map[string]string{policy.Redact: "redacted", policy.Delete: "deleted"}[p.Action]
}

// Get gives the record. Capability: compliance.read, over the whole tenant.
func Get(ctx context.Context, tx *db.Tx) (Record, error) {
	r := Record{At: tx.Now().UTC(), Purposes: []Purpose{}}
	if err := compliance.RequireReader(tx); err != nil {
		return r, err
	}
	err := tx.QueryRow(ctx, "select name from tenants where id = $1", tx.Tenant()).Scan(&r.Controller)
	if err != nil {
		return r, fmt.Errorf("read the name of the tenant: %w", err)
	}
	rows, err := tx.Query(ctx, "select purpose, legal_basis, set_by from processing_bases where tenant_id = $1", tx.Tenant())
	if err != nil {
		return r, fmt.Errorf("read legal bases: %w", err)
	}
	type basis struct{ Purpose, Basis, SetBy string }
	said, err := pgx.CollectRows(rows, pgx.RowToStructByPos[basis])
	if err != nil {
		return r, fmt.Errorf("read legal bases: %w", err)
	}
	recipients, err := requests.CurrentRecipients(ctx, tx)
	if err != nil {
		return r, err
	}
	kept, err := policy.GetRetention(ctx, tx)
	if err != nil {
		return r, err
	}
	for _, p := range datamap.Purposes {
		one := Purpose{Purpose: p.Code, What: p.What, People: p.People, Data: p.Data, LegalBasis: p.Basis, Recipients: []Recipient{}, Periods: []Period{}}
		for _, b := range said {
			if b.Purpose == p.Code {
				one.LegalBasis, one.SetBy = b.Basis, &b.SetBy
			}
		}
		one.Article = datamap.Articles[one.LegalBasis]
		for _, to := range recipients {
			if to.Purpose == p.Code {
				one.Recipients = append(one.Recipients, Recipient{to.Name, to.Role, to.Gets})
			}
		}
		for _, domain := range p.Domains {
			one.Periods = append(one.Periods, periods(domain, kept)...)
		}
		r.Purposes = append(r.Purposes, one)
	}
	return r, nil
}

// periods are the periods of a domain.
func periods(domain string, kept policy.RetentionPolicies) []Period {
	var all []Period
	for _, v := range kept.Policies {
		if v.Domain == domain {
			all = append(all, Period{Domain: domain, Of: v.Scope(), Days: v.Days, Action: *v.Action})
		}
	}
	if len(all) == 0 {
		all = append(all, Period{Domain: domain})
	}
	return all
}

// Line is a purpose in the words of a table.
type Line struct {
	Purpose    string `json:"purpose"`
	What       string `json:"what"`
	LegalBasis string `json:"legalBasis"`
	Article    string `json:"article"`
	People     string `json:"people"`
	Data       string `json:"data"`
	Recipients string `json:"recipients"`
	Periods    string `json:"periods"`
}

// Columns are the names of the cells of a line.
var Columns = []string{"purpose", "what", "legalBasis", "article", "people", "data", "recipients", "periods"}

// Cells are the line in the order of Columns.
func (l Line) Cells() []string {
	return []string{l.Purpose, l.What, l.LegalBasis, l.Article, l.People, l.Data, l.Recipients, l.Periods}
}

// Lines are the purposes, one a line.
func (r Record) Lines() []Line {
	var all []Line
	for _, p := range r.Purposes {
		var recipients, periods []string
		for _, to := range p.Recipients {
			said := to.Name + " (" + to.Role + ")"
			if to.Gets != "" {
				said += ": " + to.Gets
			}
			recipients = append(recipients, said)
		}
		for _, period := range p.Periods {
			periods = append(periods, period.words())
		}
		all = append(all, Line{p.Purpose, p.What, p.LegalBasis, p.Article, p.People, p.Data, strings.Join(recipients, "; "), strings.Join(periods, "; ")})
	}
	return all
}

// BasisInput says the legal basis of a purpose.
type BasisInput struct {
	Purpose    string `json:"purpose" enum:"accounts,exams,results,integrity,improvement,proof,authoring" doc:"Code of the purpose"`
	LegalBasis string `json:"legalBasis" enum:"consent,contract,legal_obligation,vital_interests,public_task,legitimate_interests" doc:"Of article 6(1)"`
}

// SetBasis says the legal basis of a purpose. Capability: compliance.manage, over the whole tenant. Errors: forbidden, validation_failed.
func SetBasis(ctx context.Context, tx *db.Tx, input BasisInput) (Record, error) {
	if err := compliance.RequireManager(tx); err != nil {
		return Record{}, err
	}
	bad := append(errs.OneOf("purpose", input.Purpose, datamap.PurposeCodes()), errs.OneOf("legalBasis", input.LegalBasis, datamap.Bases)...)
	if input.LegalBasis == "" {
		bad = append(bad, errs.Field{Path: "legalBasis", Code: "required", Message: "say which"})
	}
	if err := errs.Invalid(bad...); err != nil {
		return Record{}, err
	}
	_, err := tx.Exec(ctx, `insert into processing_bases (tenant_id, purpose, legal_basis, set_by, set_at) values ($1, $2, $3, $4, $5)
		on conflict (tenant_id, purpose) do update set legal_basis = excluded.legal_basis, set_by = excluded.set_by, set_at = excluded.set_at`,
		tx.Tenant(), input.Purpose, input.LegalBasis, tx.Actor().String(), tx.Now())
	if err != nil {
		return Record{}, fmt.Errorf("set a legal basis: %w", err)
	}
	err = ledger.Append(ctx, tx, ledger.Event{Type: "processing_basis.set", SubjectType: "tenant", SubjectID: tx.Tenant(),
		Payload: map[string]any{"purpose": input.Purpose, "legalBasis": input.LegalBasis}})
	if err != nil {
		return Record{}, err
	}
	return Get(ctx, tx)
}
