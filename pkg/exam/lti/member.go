package lti

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

// inBatch is how many members are taken in together.
const inBatch = 100

// roster is a course whose members are read.
type roster struct {
	course     models.LTIContext
	deployment models.LTIDeployment
	platform   models.LTIPlatform
	failures   int
	begun      time.Time
	// stay are the learners that the platform told, as far as they are known here.
	stay []ids.ID
}

// knownSQL gives the accounts of a platform ($2) by its names for people ($3), and whether they belong to the org unit
// ($4).
const knownSQL = `
select n.subject, a.user_id, exists (select from user_org_units m where m.tenant_id = $1 and m.user_id = a.user_id and m.org_unit_id = $4)
from unnest($3::text[]) n (subject)
cross join lateral (select user_id from user_accounts where tenant_id = $1 and source = '` + people.FromLTI + `' and source_id = $2 and subject = n.subject offset 0) a`

type known struct {
	user    ids.ID
	belongs bool
}

func (r *roster) known(ctx context.Context, tx *db.Tx, batch []member) (map[string]known, error) {
	var subjects []string
	for _, m := range batch {
		subjects = append(subjects, m.Subject)
	}
	rows, err := tx.Query(ctx, knownSQL, tx.Tenant(), r.platform.ID, subjects, r.course.OrgUnitID)
	if err != nil {
		return nil, fmt.Errorf("find the accounts of members: %w", err)
	}
	found := map[string]known{}
	var subject string
	var k known
	_, err = pgx.ForEachRow(rows, []any{&subject, &k.user, &k.belongs}, func() error {
		found[subject] = k
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find the accounts of members: %w", err)
	}
	return found, nil
}

// admit makes learners of a course members of its group. It creates people who are not here yet where the platform is set
// so.
func (r *roster) admit(ctx context.Context, tx *db.Tx, batch []member) ([]ids.ID, error) {
	found, err := r.known(ctx, tx, batch)
	if err != nil {
		return nil, err
	}
	var users []ids.ID
	for _, m := range batch {
		k, there := found[m.Subject]
		if !there || !k.belongs {
			k.user, err = r.settle(ctx, tx, m)
		}
		if err != nil {
			return nil, err
		}
		if k.user != ids.None {
			users = append(users, k.user)
		}
	}
	return users, people.EnterGroup(ctx, tx, r.platform.ID, r.course.GroupID, users...)
}

// settle finds or makes the user of a member, and puts them into the org unit; ids.None if nobody has linked them. People who may not enter stay
// as they are.
func (r *roster) settle(ctx context.Context, tx *db.Tx, m member) (ids.ID, error) {
	l := launch{r.platform, r.deployment, claims{Subject: m.Subject, Name: m.Name, GivenName: m.GivenName, FamilyName: m.FamilyName, Roles: m.Roles}}
	err := l.alone(ctx, tx)
	if err != nil {
		return ids.None, err
	}
	found, err := r.known(ctx, tx, []member{m})
	if err != nil {
		return ids.None, err
	}
	k, there := found[m.Subject]
	switch {
	case !there && r.platform.Identity == IdentityLink:
		return ids.None, nil
	case !there:
		return l.meet(ctx, tx, nil)
	}
	e, err := people.ReadEntrant(ctx, tx, "u.id = $2", k.user)
	if err != nil || e.MayEnter() != nil {
		return k.user, err
	}
	err = l.settleIn(ctx, tx, e)
	if errors.Is(err, errs.LTILaunchRefused) { // with roles that would hold in this org unit too
		err = nil
	}
	return k.user, err
}

// take takes the learners of a page in, in batches. They come in one order each time, so that two courses with the same new people do not wait for
// each other.
func (d *Desk) take(ctx context.Context, r *roster, page []member) error {
	page = slices.DeleteFunc(page, func(m member) bool { return !m.learner() })
	slices.SortFunc(page, func(a, b member) int { return cmp.Compare(a.Subject, b.Subject) })
	page = slices.CompactFunc(page, func(a, b member) bool { return a.Subject == b.Subject })
	for batch := range slices.Chunk(page, inBatch) {
		var users []ids.ID
		err := d.store.Write(ctx, scopeOf(r.course.TenantID, r.course.OrgUnitID), func(tx *db.Tx) error {
			var err error
			users, err = r.admit(ctx, tx, batch)
			return err
		})
		if err != nil {
			return err
		}
		r.stay = append(r.stay, users...)
	}
	return nil
}
