package skills

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/hold"
	"assess/pkg/report/projection"
)

// Person is the person that a profile is about.
type Person struct {
	ID    ids.ID `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
}

// Profile is what a person can do: a figure for each skill and org unit of the scope, in the order of names. Your own
// profile counts only attempts whose result you may see.
type Profile struct {
	projection.Freshness
	User Person `json:"user"`
	db.List[Figure]
}

// GetProfile reads what a person can do. Capability: sessions.take or skills.read for oneself, skills.read
// and reporting.view_named for others. Errors: forbidden, not_found, processing_restricted for others,
// validation_failed.
func GetProfile(ctx context.Context, tx *db.Tx, user ids.ID, page db.Page) (Profile, error) {
	var p Profile
	err := mayRead(tx, user)
	if err != nil {
		return p, err
	}
	page, err = page.Check()
	if err != nil {
		return p, err
	}
	p.User, err = findPerson(ctx, tx, user)
	if err != nil {
		return p, err
	}
	units, err := projection.OrgUnits(ctx, tx)
	if err != nil {
		return p, err
	}
	var total int
	err = tx.QueryRow(ctx, "select count(*)"+ofPersonSQL(tx, user), tx.Tenant(), units, user, nil).Scan(&total)
	if err != nil {
		return p, fmt.Errorf("count figures: %w", err)
	}
	figures, err := readFigures(ctx, tx, figuresSQL(tx, user)+" limit $5 offset $6", tx.Tenant(), units, user, nil, page.Limit, page.Offset())
	if err != nil {
		return p, err
	}
	p.List = db.NewList(figures, page, total)
	p.Freshness, err = projection.Fresh(ctx, tx)
	return p, err
}

// itself says whether the caller asks about themselves.
func itself(tx *db.Tx, user ids.ID) bool {
	return tx.Actor().Kind == db.UserActor && tx.Actor().ID == user
}

func mayRead(tx *db.Tx, user ids.ID) error {
	if itself(tx, user) && tx.Can(capability.SessionsTake) {
		return nil
	}
	err := tx.Require(capability.SkillsRead)
	if err != nil || itself(tx, user) {
		return err
	}
	return tx.Require(capability.ReportingViewNamed)
}

func findPerson(ctx context.Context, tx *db.Tx, user ids.ID) (Person, error) {
	var found Person
	var restricted bool
	err := tx.QueryRow(ctx, "select id, name, coalesce(email, ''), restricted from users where tenant_id = $1 and id = $2", tx.Tenant(), user).
		Scan(&found.ID, &found.Name, &found.Email, &restricted)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Person{}, errs.New(errs.NotFound, "There is no such user.")
	case err != nil:
		return Person{}, fmt.Errorf("find user: %w", err)
	case restricted && !itself(tx, user):
		return Person{}, hold.Restricted()
	}
	return found, nil
}

// storedSQL are figures as they are stored. While the rules of a figure are being changed, it is missing
// for a moment.
const storedSQL = `
select r.* from unnest($2::uuid[]) o (id)
cross join lateral (select * from report_skill_rollups r
	where r.tenant_id = $1 and r.org_unit_id = o.id and r.user_id = $3 and ($4::uuid is null or r.skill_id = $4) and r.facts_n > 0 offset 0) r`

// ownSumsSQL are the sums behind the figures that people see of themselves: the results that they may see by now. So
// nobody learns here what an exam keeps back, not even by subtracting.
const ownSumsSQL = `(
select s.* from unnest($2::uuid[]) o (id)
cross join lateral (select * from report_skill_submissions s
	where s.tenant_id = $1 and s.org_unit_id = o.id and s.user_id = $3 and ($4::uuid is null or s.skill_id = $4) offset 0) s
cross join lateral (select evaluation_version_id from report_submissions a where a.tenant_id = $1 and a.submission_id = s.submission_id offset 0) a
cross join lateral (select snapshot_hash from evaluation_versions e where e.tenant_id = $1 and e.id = a.evaluation_version_id offset 0) e
cross join lateral (select from version_snapshots v where v.tenant_id = $1 and v.hash = e.snapshot_hash
	and v.settings ->> 'feedback_mode' in ('overall', 'tags', 'items')
	and coalesce(instant_of(v.settings #>> '{feedbackPolicy,availableAfter}') <= now(), true) offset 0) v)`

var ownSQL = projection.SkillValues(ownSumsSQL)

// ofPersonSQL are the figures of a person. $4 names one skill, or all for null.
func ofPersonSQL(tx *db.Tx, user ids.ID) string {
	figures := storedSQL
	if itself(tx, user) {
		figures = ownSQL
	}
	return `
from (` + figures + `) r
join report_skill_targets t on t.tenant_id = $1 and t.skill_id = r.skill_id
join skills s on s.tenant_id = $1 and s.id = r.skill_id`
}

func figuresSQL(tx *db.Tx, user ids.ID) string {
	return `
select r.skill_id, r.org_unit_id, u.name, coalesce(v.name, ''), s.code, s.framework_id, r.value::float8, coalesce(v.levels, '[]'), r.facts_n,
	r.submissions_n, r.trend::float8, r.first_at, r.last_at, t.strategy, t.half_life_days::float8, t.set_id, t.version_id` + ofPersonSQL(tx, user) + `
join org_units u on u.tenant_id = $1 and u.id = r.org_unit_id
left join skill_versions v on v.tenant_id = $1 and v.id = s.current_version_id
order by 4, 1, 2`
}

func readFigures(ctx context.Context, tx *db.Tx, sql string, args ...any) ([]Figure, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("read figures: %w", err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Figure, error) {
		var f Figure
		err := row.Scan(&f.SkillID, &f.OrgUnitID, &f.OrgUnitName, &f.Name, &f.Code, &f.FrameworkID, &f.Value, &f.Levels, &f.EvidenceCount, &f.SubmissionCount,
			&f.Trend, &f.FirstEvidenceAt, &f.LastEvidenceAt, &f.Strategy, &f.HalfLifeDays, &f.MappingSetID, &f.MappingVersionID)
		f.complete()
		return f, err
	})
	if err != nil {
		return nil, fmt.Errorf("read figures: %w", err)
	}
	return all, nil
}
