package people

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Entrant is a user as a sign-in from elsewhere looks at them. More says that they may do more than a candidate; OrgUnit is
// their first, nil where they are in none.
type Entrant struct {
	ID           ids.ID
	Status       string
	Erased, More bool
	OrgUnit      *ids.ID
}

// ReadEntrant reads a user by a condition on u with one parameter; the zero Entrant where there is none.
func ReadEntrant(ctx context.Context, tx *db.Tx, condition string, value any) (Entrant, error) {
	var e Entrant
	err := tx.QueryRow(ctx, `
		select u.id, u.status, `+IsErased+`,
			exists (select from user_roles g join roles r on r.tenant_id = g.tenant_id and r.id = g.role_id
				where g.tenant_id = $1 and g.user_id = u.id and r.system_key is distinct from 'candidate'),
			(select o.id from user_org_units m join org_units o on o.tenant_id = m.tenant_id and o.id = m.org_unit_id
				where m.tenant_id = $1 and m.user_id = u.id order by o.created_at, o.id limit 1)
		from users u where u.tenant_id = $1 and `+condition, tx.Tenant(), value).Scan(&e.ID, &e.Status, &e.Erased, &e.More, &e.OrgUnit)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return Entrant{}, fmt.Errorf("find whom a sign-in is of: %w", err)
	}
	return e, nil
}

// MayEnter refuses people who are not to sign in; a sign-in revives nobody. Errors: sign_in_refused.
func (e Entrant) MayEnter() error {
	switch {
	case e.Status == models.UserDeactivated:
		return errs.New(errs.SignInRefused, "Your user is deactivated. Ask those who run your account.").With("reason", "deactivated")
	case e.ID == ids.None || e.Erased || e.OrgUnit == nil || e.Status != models.UserActive:
		return NoAccount()
	}
	return nil
}

// NoAccount is the answer to somebody who is known elsewhere and not here.
func NoAccount() error {
	return errs.New(errs.SignInRefused, "The service that you come from knows you, but nobody has let you in here. Ask those who run your account.").With("reason", "no_account")
}
