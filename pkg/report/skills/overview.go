package skills

import (
	"context"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// LevelCount says how many people are at a level.
type LevelCount struct {
	Level  *Level `json:"level" doc:"null stands for those below the first"`
	People *int64 `json:"people" doc:"null when it is withheld; in steps of five without reporting.view_named"`
}

// Group is what the people of an org unit, or of one of its groups, can do. Withheld says that the figures
// are there and must not be shown to the caller.
type Group struct {
	OrgUnitID   ids.ID       `json:"orgUnitId"`
	OrgUnitName string       `json:"orgUnitName"`
	GroupID     *ids.ID      `json:"groupId" doc:"null for all people of the org unit"`
	GroupName   *string      `json:"groupName"`
	SkillID     ids.ID       `json:"skillId"`
	Name        string       `json:"name"`
	Code        *string      `json:"code"`
	FrameworkID *ids.ID      `json:"frameworkId"`
	People      *int64       `json:"people" doc:"People with a figure; null when it is withheld. In steps of five without reporting.view_named"`
	MeanValue   *float64     `json:"meanValue" doc:"Mean of their figures, 0 to 1; null when it is withheld. In steps of 0.05 without reporting.view_named"`
	Levels      []LevelCount `json:"levels" nullable:"false" doc:"Empty when it is withheld, and for skills without levels"`
	Withheld    bool         `json:"withheld" doc:"Something would follow about fewer than five people"`
}

// Overview is a page of skills with what the people can do.
type Overview struct {
	projection.Freshness
	db.List[Group]
}

// OverviewFilter chooses what an overview is about; zero values do not.
type OverviewFilter struct {
	db.Page
	// GroupID is a group; without it the overview is about org units.
	GroupID     ids.ID
	FrameworkID ids.ID
}

const cellsSQL = `
from unnest($2::uuid[]) o (id)
cross join lateral (select * from report_skill_cells c where c.tenant_id = $1 and c.org_unit_id = o.id and c.group_id = $3 offset 0) c
join skills s on s.tenant_id = $1 and s.id = c.skill_id
left join skill_versions v on v.tenant_id = $1 and v.id = s.current_version_id
join org_units u on u.tenant_id = $1 and u.id = o.id
left join groups g on g.tenant_id = $1 and g.id = $3
where $4::uuid is null or s.framework_id = $4`

// GetOverview reads what the people of the scope can do, skill by skill, in the order of names; a line for
// each org unit. Capability: skills.read; figures about single people need reporting.view_named. Errors:
// not_found, validation_failed.
func GetOverview(ctx context.Context, tx *db.Tx, f OverviewFilter) (Overview, error) {
	var out Overview
	err := tx.Require(capability.SkillsRead)
	if err != nil {
		return out, err
	}
	page, err := f.Check()
	if err != nil {
		return out, err
	}
	units, err := unitsOf(ctx, tx, f.GroupID)
	if err != nil {
		return out, err
	}
	var framework *ids.ID
	if f.FrameworkID != ids.None {
		framework = &f.FrameworkID
	}
	args := []any{tx.Tenant(), units, f.GroupID, framework}
	var total int
	err = tx.QueryRow(ctx, "select count(*)"+cellsSQL, args...).Scan(&total)
	if err != nil {
		return out, fmt.Errorf("count skills: %w", err)
	}
	rows, err := tx.Query(ctx, `select c.org_unit_id, u.name, nullif(c.group_id, '00000000-0000-0000-0000-000000000000'), g.name, c.skill_id, coalesce(v.name, ''), s.code,
		s.framework_id, c.people_n, (c.value_sum / nullif(c.people_n, 0))::float8, c.level_counts, coalesce(v.levels, '[]'), c.is_shown`+cellsSQL+`
		order by coalesce(v.name, ''), c.skill_id, c.org_unit_id limit $5 offset $6`, append(args, page.Limit, page.Offset())...)
	if err != nil {
		return out, fmt.Errorf("read skills: %w", err)
	}
	named := tx.Can(capability.ReportingViewNamed)
	groups, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Group, error) {
		var g Group
		var counts []int64
		var levels []Level
		var shown bool
		err := row.Scan(&g.OrgUnitID, &g.OrgUnitName, &g.GroupID, &g.GroupName, &g.SkillID, &g.Name, &g.Code, &g.FrameworkID, &g.People, &g.MeanValue, &counts, &levels, &shown)
		g.Levels = countLevels(levels, counts)
		if !named {
			g.withhold(shown)
		}
		return g, err
	})
	if err != nil {
		return out, fmt.Errorf("read skills: %w", err)
	}
	out.List = db.NewList(groups, page, total)
	out.Freshness, err = projection.Fresh(ctx, tx)
	return out, err
}

// countLevels pairs levels with how many people are there. Counts from before the levels changed are useless.
func countLevels(levels []Level, counts []int64) []LevelCount {
	if len(levels) == 0 || len(counts) != len(levels)+1 {
		return []LevelCount{}
	}
	all := []LevelCount{{People: &counts[0]}}
	for i := range levels {
		all = append(all, LevelCount{&levels[i], &counts[i+1]})
	}
	return all
}

// withhold removes what says something about fewer than five people, and rounds the rest: if one person came or went
// between two overviews, the exact figures would give that person away. How people are spread over levels is shown only
// for whole org units: where groups overlap, one could work out the levels of a few people.
func (g *Group) withhold(shown bool) {
	if !shown {
		g.People, g.MeanValue, g.Levels, g.Withheld = nil, nil, []LevelCount{}, true
		return
	}
	if g.GroupID != nil {
		g.Levels = []LevelCount{}
	}
	var counts []int64
	for _, l := range g.Levels {
		counts = append(counts, *l.People)
	}
	for i, hidden := range projection.Hide(counts) {
		g.Levels[i].People = coarse(counts[i])
		if hidden {
			g.Levels[i].People = nil
		}
	}
	g.People = coarse(*g.People)
	*g.MeanValue = math.Round(*g.MeanValue*20) / 20
}

// coarse rounds a number of people down to a multiple of Fewest.
func coarse(people int64) *int64 {
	people -= people % projection.Fewest
	return &people
}

// unitsOf are the org units that an overview covers: the one of the group, or all of the scope.
func unitsOf(ctx context.Context, tx *db.Tx, group ids.ID) ([]ids.ID, error) {
	if group == ids.None {
		return projection.OrgUnits(ctx, tx)
	}
	rows, err := tx.Query(ctx, "select org_unit_id from groups where tenant_id = $1 and id = $2", tx.Tenant(), group)
	if err != nil {
		return nil, fmt.Errorf("find group: %w", err)
	}
	units, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil {
		return nil, fmt.Errorf("find group: %w", err)
	}
	if len(units) == 0 {
		return nil, errs.New(errs.NotFound, "There is no such group in your scope.")
	}
	return units, nil
}
