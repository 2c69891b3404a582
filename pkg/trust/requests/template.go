package requests

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ledger"
	"assess/pkg/trust/compliance"
)

// Template is the words of a letter in a language.
type Template struct {
	Letter  string     `json:"letter" enum:"received,identity_needed,extended,refused,ready,done"`
	Word    string     `json:"word" doc:"The kind of request, or the reason, that it is for; empty: all others"`
	Locale  string     `json:"locale" example:"de"`
	Version int        `json:"version" doc:"0: what is built in"`
	Subject string     `json:"subject"`
	Text    string     `json:"text"`
	SetBy   *string    `json:"setBy" doc:"user:<id> or operator:<name>; null: it is built in"`
	SetAt   *time.Time `json:"setAt"`
}

// builtInLocale is the language of the templates that are built in.
const builtInLocale = "en"

const foot = `

The number of your request is {number}. What becomes of it is shown here: {link}

{tenant}
`

// builtIn are the letters as long as a tenant has none of its own, in the order in which they go.
var builtIn = []Template{
	{Letter: letterReceived, Subject: "Your request to {tenant}", Text: `Hello {name},

on {received} we received your request under article {article} of the General Data Protection Regulation. You have our answer
by {due}.

If you did not ask for this, please tell us at once.` + foot},
	{Letter: letterIdentity, Subject: "Your request to {tenant}: please show that it is yours", Text: `Hello {name},

we received your request under article {article} of the General Data Protection Regulation. Before we go on we have to know that
it is yours. Please open the address below and have a link sent to you, or come to us. Until then the time for our answer stands still.` + foot},
	{Letter: letterExtended, Subject: "Your request to {tenant} takes longer", Text: `Hello {name},

we need more time for your request under article {article} of the General Data Protection Regulation. {reason} You have our answer by
{due}.

You may complain to a supervisory authority, and go to court.` + foot},
	{Letter: letterRefused, Subject: "Your request to {tenant}: our decision", Text: `Hello {name},

we do not do what you asked under article {article} of the General Data Protection Regulation, or not all of it. {reason}

You may object: open the address below, and somebody else decides anew. You may also complain to a supervisory authority, and go to
court.` + foot},
	{Letter: letterReady, Subject: "Your request to {tenant}: your data are ready", Text: `Hello {name},

what you asked for under article {article} of the General Data Protection Regulation is ready. Open the address below to
fetch it.` + foot},
	{Letter: letterDone, Subject: "Your request to {tenant} is done", Text: `Hello {name},

what you asked for under article {article} of the General Data Protection Regulation is done. Where others have data of yours from us, we
told them.` + foot},
}

// articles of the GDPR, by kind.
var articles = map[string]string{Access: "15", Rectification: "16", Erasure: "17", Restriction: "18", Portability: "20", Objection: "21"}

// placeholders are what a template may name.
var placeholders = []string{"{name}", "{tenant}", "{article}", "{received}", "{due}", "{reason}", "{number}", "{link}"}

var placeholder = regexp.MustCompile(`\{[^{}\n]*\}`)

func letterNames() []string {
	var all []string
	for _, t := range builtIn {
		all = append(all, t.Letter)
	}
	return all
}

// words are what a template can be for.
func templateWords() []string { return slices.Concat(Kinds, codes(Refusals), codes(Extensions)) }

// TemplateList are the templates in force.
type TemplateList struct {
	Items []Template `json:"items" nullable:"false"`
}

// newestTemplatesSQL gives the newest version of each template that the tenant ever had. A tenant has few.
const newestTemplatesSQL = `select distinct on (letter, word, locale) letter, word, locale, version, subject, body, set_by, set_at
	from letter_templates where tenant_id = $1 order by letter, word, locale, version desc`

// ListTemplates gives the templates in force, the built-in ones first. Capability: compliance.read, over the whole tenant.
func ListTemplates(ctx context.Context, tx *db.Tx) (TemplateList, error) {
	if err := compliance.RequireReader(tx); err != nil {
		return TemplateList{}, err
	}
	all, err := templates(ctx, tx)
	return TemplateList{Items: all}, err
}

func templates(ctx context.Context, tx *db.Tx) ([]Template, error) {
	all := slices.Clone(builtIn)
	for i := range all {
		all[i].Locale = builtInLocale
	}
	rows, err := tx.Query(ctx, newestTemplatesSQL, tx.Tenant())
	if err != nil {
		return nil, fmt.Errorf("read the templates of letters: %w", err)
	}
	own, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Template])
	if err != nil {
		return nil, fmt.Errorf("read the templates of letters: %w", err)
	}
	for _, t := range own {
		if t.Subject != "" {
			t.SetAt = db.UTC(t.SetAt)
			all = append(all, t)
		}
	}
	return all, nil
}

// templateFor finds the words for a letter: words for its reason or kind come before words for all, words in its language before words
// in the tenant's, and the tenant's own before the built-in ones.
func templateFor(ctx context.Context, tx *db.Tx, row models.ComplianceRequest, letter string) (Template, error) {
	all, err := templates(ctx, tx)
	if err != nil {
		return Template{}, err
	}
	var home string
	rows, err := tx.Query(ctx, "select tag from tenant_locales where tenant_id = $1 and is_default", tx.Tenant())
	if err == nil {
		_, err = pgx.ForEachRow(rows, []any{&home}, func() error { return nil })
	}
	if err != nil {
		return Template{}, fmt.Errorf("read the language of the tenant: %w", err)
	}
	words := []string{row.Kind, ""}
	for _, reason := range []*string{row.ReasonCode, row.ExtensionReason} {
		if reason != nil {
			words = append([]string{*reason}, words...)
		}
	}
	short, _, _ := strings.Cut(row.Locale, "-")
	rank := func(t Template) int {
		locale, word := slices.Index([]string{row.Locale, short, home, builtInLocale}, t.Locale), slices.Index(words, t.Word)
		if t.Letter != letter || locale < 0 || word < 0 {
			return -1
		}
		n := 2 * (len(words)*locale + word)
		if t.Version == 0 {
			n++
		}
		return n
	}
	all = slices.DeleteFunc(all, func(t Template) bool { return rank(t) < 0 })
	return slices.MinFunc(all, func(a, b Template) int { return rank(a) - rank(b) }), nil
}

// TemplateInput is what a letter says from now on.
type TemplateInput struct {
	Letter  string `json:"letter" enum:"received,identity_needed,extended,refused,ready,done"`
	Locale  string `json:"locale" minLength:"1" maxLength:"35" example:"de" doc:"BCP-47"`
	Word    string `json:"word,omitempty" maxLength:"40" doc:"Only for this kind of request, or this reason"`
	Subject string `json:"subject,omitempty" maxLength:"200" doc:"With text: what it says; without either: the tenant has no such template any more"`
	Text    string `json:"text,omitempty" maxLength:"10000" doc:"May name {name}, {tenant}, {article}, {received}, {due}, {reason}, {number} and {link}"`
}

func (input *TemplateInput) check() error {
	bad := slices.Concat(errs.OneOf("letter", input.Letter, letterNames()), errs.OneOf("word", input.Word, templateWords()),
		errs.Line("subject", input.Subject, 200, input.Text != ""), errs.Prose("text", input.Text, 10000, input.Subject != ""))
	if input.Letter == "" {
		bad = append(bad, errs.Field{Path: "letter", Code: "required", Message: "say which letter"})
	}
	locale, known := content.NormaliseLocale(input.Locale)
	if !known {
		bad = append(bad, errs.Field{Path: "locale", Code: "invalid", Message: "a language as in de or pt-BR"})
	}
	input.Locale = locale
	for _, part := range [][2]string{{"subject", input.Subject}, {"text", input.Text}} {
		for _, found := range placeholder.FindAllString(part[1], -1) {
			if !slices.Contains(placeholders, found) {
				bad = append(bad, errs.Field{Path: part[0], Code: "unknown_placeholder", Message: "it names something other than " + strings.Join(placeholders, ", ")})
				break
			}
		}
	}
	return errs.Invalid(bad...)
}

// SetTemplate sets the text of a letter from now on; without words, the tenant no longer has such a template. A letter that was sent
// names the version that it was made of. Capability: compliance.manage, over the whole tenant. Errors: forbidden, validation_failed.
func SetTemplate(ctx context.Context, tx *db.Tx, input TemplateInput) (TemplateList, error) {
	if err := compliance.RequireManager(tx); err != nil {
		return TemplateList{}, err
	}
	if err := input.check(); err != nil {
		return TemplateList{}, err
	}
	_, err := tx.Exec(ctx, "select pg_advisory_xact_lock(hashtextextended('letter_templates ' || $1::text, 0))", tx.Tenant().String())
	if err != nil {
		return TemplateList{}, fmt.Errorf("lock the templates of letters: %w", err)
	}
	var version int
	err = tx.QueryRow(ctx, "select coalesce(max(version), 0) + 1 from letter_templates where tenant_id = $1 and letter = $2 and word = $3 and locale = $4",
		tx.Tenant(), input.Letter, input.Word, input.Locale).Scan(&version)
	if err != nil {
		return TemplateList{}, fmt.Errorf("read the version of a template: %w", err)
	}
	_, err = tx.Exec(ctx, "insert into letter_templates (tenant_id, letter, word, locale, version, subject, body, set_by, set_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
		tx.Tenant(), input.Letter, input.Word, input.Locale, version, input.Subject, input.Text, tx.Actor().String(), tx.Now())
	if err != nil {
		return TemplateList{}, fmt.Errorf("set the template of a letter: %w", err)
	}
	err = ledger.Append(ctx, tx, ledger.Event{Type: "letter_template.set", SubjectType: "tenant", SubjectID: tx.Tenant(), Payload: map[string]any{"letter": input.Letter,
		"word": input.Word, "locale": input.Locale, "version": version, "sha256": LetterText{Subject: input.Subject, Text: input.Text}.hash()}})
	if err != nil {
		return TemplateList{}, err
	}
	return ListTemplates(ctx, tx)
}
