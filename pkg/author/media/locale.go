package media

import (
	"context"
	"fmt"
	"slices"
	"time"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// maxLocales bounds the languages of a tenant.
const maxLocales = 100

// TenantLocales are the languages that a tenant writes in, in its own order. None chosen
// means every language; then DefaultLocale is empty too.
type TenantLocales struct {
	DefaultLocale string     `json:"defaultLocale" example:"en"`
	Locales       []Locale   `json:"locales" nullable:"false"`
	UpdatedAt     *time.Time `json:"updatedAt,omitempty" doc:"Absent while none are chosen"`
}

// Locale is one language. Publishing requires every document to have the required ones.
type Locale struct {
	Tag      string `json:"tag" minLength:"1" maxLength:"35" example:"de-CH" doc:"BCP-47; stored in its normal spelling"`
	Required bool   `json:"required,omitempty"`
}

// LocalesInput replaces the languages of a tenant.
type LocalesInput struct {
	DefaultLocale string     `json:"defaultLocale,omitempty" maxLength:"35" example:"en" doc:"One of locales; empty only without any"`
	Locales       []Locale   `json:"locales" nullable:"false" maxItems:"100" doc:"At most 100; none at all allows every language"`
	UpdatedAt     *time.Time `json:"updatedAt,omitempty" doc:"The state that the change was made from"`
}

// LocaleReaders are the capabilities of everybody who writes content, or is shown it:
// one of them is enough to read the languages.
var LocaleReaders = append([]capability.Capability{capability.LocalesManage, capability.SessionsTake, capability.SessionsProctor}, Readers...)

// GetLocales gives the languages of the tenant.
func GetLocales(ctx context.Context, tx *db.Tx) (TenantLocales, error) {
	if err := requireOne(tx, LocaleReaders); err != nil {
		return TenantLocales{}, err
	}
	var rows []models.TenantLocale
	err := tx.NewSelect().Model(&rows).Where("l.tenant_id = ?", tx.Tenant()).Order("l.position").Scan(ctx)
	if err != nil {
		return TenantLocales{}, fmt.Errorf("get locales: %w", err)
	}
	return localesOf(rows), nil
}

func localesOf(rows []models.TenantLocale) TenantLocales {
	chosen := TenantLocales{Locales: make([]Locale, 0, len(rows))}
	for _, row := range rows {
		chosen.Locales = append(chosen.Locales, Locale{Tag: row.Tag, Required: row.IsRequired})
		chosen.UpdatedAt = &row.UpdatedAt
		if row.IsDefault {
			chosen.DefaultLocale = row.Tag
		}
	}
	return chosen
}

// SetLocales replaces the languages of the tenant. Existing content does not change. Errors:
// validation_failed, stale_update.
func SetLocales(ctx context.Context, tx *db.Tx, in LocalesInput) (TenantLocales, error) {
	if err := tx.Require(capability.LocalesManage); err != nil {
		return TenantLocales{}, err
	}
	rows, err := in.rows(tx)
	if err != nil {
		return TenantLocales{}, err
	}
	// Two replacements at once would leave the languages of both.
	_, err = tx.Exec(ctx, "select pg_advisory_xact_lock(hashtextextended('tenant_locales ' || $1::text, 0))", tx.Tenant().String())
	if err != nil {
		return TenantLocales{}, fmt.Errorf("lock locales: %w", err)
	}
	before, err := GetLocales(ctx, tx)
	if err != nil {
		return TenantLocales{}, err
	}
	err = db.Fresh(in.UpdatedAt, db.OrZero(before.UpdatedAt))
	if err != nil {
		return TenantLocales{}, err
	}
	return replaceLocales(ctx, tx, rows, tx.ChangedAt(db.OrZero(before.UpdatedAt)))
}

func replaceLocales(ctx context.Context, tx *db.Tx, rows []models.TenantLocale, at time.Time) (TenantLocales, error) {
	_, err := tx.Exec(ctx, "delete from tenant_locales where tenant_id = $1", tx.Tenant())
	if err != nil {
		return TenantLocales{}, fmt.Errorf("replace locales: %w", err)
	}
	for i := range rows {
		rows[i].UpdatedAt = at
	}
	if len(rows) > 0 {
		_, err = tx.NewInsert().Model(&rows).Returning("NULL").Exec(ctx)
		if err != nil {
			return TenantLocales{}, fmt.Errorf("replace locales: %w", err)
		}
	}
	chosen := localesOf(rows)
	return chosen, ledger.Append(ctx, tx, ledger.Event{Type: "tenant.locales_set", SubjectType: "tenant", SubjectID: tx.Tenant(),
		OrgUnit: ids.None, Payload: map[string]any{"defaultLocale": chosen.DefaultLocale, "locales": chosen.Locales}})
}

// rows checks the input and brings every tag into its normal spelling.
func (in LocalesInput) rows(tx *db.Tx) ([]models.TenantLocale, error) {
	var bad []errs.Field
	add := func(path, code, message string) {
		bad = append(bad, errs.Field{Path: path, Code: code, Message: message})
	}
	if len(in.Locales) > maxLocales {
		return nil, errs.Invalid(errs.Field{Path: "locales", Code: "too_many", Message: "at most 100 languages"})
	}
	var rows []models.TenantLocale
	var seen []string
	for i, l := range in.Locales {
		at := fmt.Sprintf("locales[%d].tag", i)
		tag, ok := content.NormaliseLocale(l.Tag)
		if !ok {
			add(at, content.CodeInvalidLocale, "not a BCP-47 language tag")
			continue
		}
		if slices.Contains(seen, tag) {
			add(at, content.CodeDuplicateLocale, "the language is named twice")
		}
		seen = append(seen, tag)
		rows = append(rows, models.TenantLocale{TenantID: tx.Tenant(), Tag: tag, IsRequired: l.Required, Position: i})
	}
	preferred, ok := content.NormaliseLocale(in.DefaultLocale)
	place := slices.Index(seen, preferred)
	switch {
	case in.DefaultLocale == "" && len(in.Locales) > 0:
		add("defaultLocale", content.CodeRequired, "say which of the languages is the default")
	case in.DefaultLocale != "" && !ok:
		add("defaultLocale", content.CodeInvalidLocale, "not a BCP-47 language tag")
	case in.DefaultLocale != "" && place < 0:
		add("defaultLocale", content.CodeMissingDefault, "the default is not among the languages")
	}
	if len(bad) == 0 && place >= 0 {
		rows[place].IsDefault = true
	}
	return rows, errs.Invalid(bad...)
}
