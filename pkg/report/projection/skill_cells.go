package projection

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Fewest is how many people a figure must be about to be shown to a reader who may not see single
// people (decisions, section 13).
const Fewest = 5

// Cohort is the people of an org unit who have a figure of a skill, are in the same groups, and at
// the same level. Sum adds up their figures, in units of 10^-10.
type Cohort struct {
	Groups []ids.ID
	Level  int
	N, Sum int64
}

// Cell is what the people of an org unit, or of one of its groups, can do. Levels counts the people
// below the first level, at the first, and so on.
type Cell struct {
	// Group is ids.None for the org unit.
	Group  ids.ID
	People int64
	Sum    int64
	Levels []int32
	// Shown says that readers who may not see single people may see it.
	Shown bool
}

// Cells adds up cohorts: first the org unit, then its groups in the order of their ids.
//
// It also decides what may be shown. A cell is shown when nothing about fewer than Fewest people follows
// from it together with the cells before it, however they are added and subtracted. The cells that are
// shown cut the people into classes, each wholly inside or wholly outside every cell; everything that
// can be computed from the cells is a sum over classes. So a group is shown if no class that it cuts is
// left with a part that is too small. Older groups come first: a group that somebody makes in order to
// see one person is hidden, and hides none.
func Cells(cohorts []Cohort, levels int) []Cell {
	unit := Cell{Levels: make([]int32, levels+1)}
	groups, within := map[ids.ID]*Cell{}, map[ids.ID][]int{}
	for i, c := range cohorts {
		unit.add(c)
		for _, g := range c.Groups {
			if groups[g] == nil {
				groups[g] = &Cell{Group: g, Levels: make([]int32, levels+1)}
			}
			groups[g].add(c)
			within[g] = append(within[g], i)
		}
	}
	unit.Shown = unit.People >= Fewest
	cells := []Cell{unit}
	classes := classes{of: make([]int, len(cohorts)), people: []int64{unit.People}}
	for _, g := range sortedIDs(slices.Collect(maps.Keys(groups))) {
		cell := *groups[g]
		cell.Shown = unit.Shown && classes.cut(cohorts, within[g])
		cells = append(cells, cell)
	}
	return cells
}

func (c *Cell) add(more Cohort) {
	c.People += more.N
	c.Sum += more.Sum
	c.Levels[min(more.Level, len(c.Levels)-1)] += int32(more.N)
}

// classes says which class each cohort belongs to, and how many people each class has.
type classes struct {
	of     []int
	people []int64
}

// cut splits the classes into the part inside a group, which is made of cohorts, and the part outside,
// unless a part would be too small.
func (k *classes) cut(cohorts []Cohort, group []int) bool {
	inside := map[int]int64{}
	for _, i := range group {
		inside[k.of[i]] += cohorts[i].N
	}
	for class, n := range inside {
		if outside := k.people[class] - n; n < Fewest || outside > 0 && outside < Fewest {
			return false
		}
	}
	parted := map[int]int{}
	for _, i := range group {
		class := k.of[i]
		if inside[class] == k.people[class] {
			continue
		}
		if _, ok := parted[class]; !ok {
			parted[class] = len(k.people)
			k.people = append(k.people, 0)
		}
		k.of[i] = parted[class]
	}
	for class, part := range parted {
		k.people[part] = inside[class]
		k.people[class] -= inside[class]
	}
	return true
}

// skillCell names the cells of a skill in an org unit.
type skillCell struct{ Org, Skill ids.ID }

const (
	staleSkillsSQL = `
		select org_unit_id, skill_id, revision from report_skill_stale where tenant_id = $1 order by marked_at, org_unit_id, skill_id limit $2`
	// One at a time, so that nobody writes figures that were read before another one wrote.
	ownCellsSQL = `select pg_advisory_xact_lock(hashtextextended('skill cells ' || $1::text, 0))`
	// A mark that came meanwhile stays.
	unmarkSkillsSQL = `
		delete from report_skill_stale s using unnest($2::uuid[], $3::uuid[], $4::bigint[]) k (org_unit_id, skill_id, revision)
		where s.tenant_id = $1 and s.org_unit_id = any($2) and s.skill_id = any($3)
			and s.org_unit_id = k.org_unit_id and s.skill_id = k.skill_id and s.revision = k.revision`
	dropCellsSQL = `
		delete from report_skill_cells c where c.tenant_id = $1 and c.ctid = any(array(
			select d.ctid from unnest($2::uuid[], $3::uuid[]) k (org_unit_id, skill_id), lateral (
				select ctid from report_skill_cells c where c.tenant_id = $1 and c.org_unit_id = k.org_unit_id
					and c.skill_id = k.skill_id offset 0) d))`
	writeCellsSQL = `
		insert into report_skill_cells (tenant_id, org_unit_id, skill_id, group_id, people_n, value_sum, level_counts, is_shown)
		select $1, org_unit_id, skill_id, group_id, people_n, value_sum * 0.0000000001, string_to_array(levels, ' ')::int[], is_shown
		from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::int[], $6::bigint[], $7::text[], $8::bool[])
			c (org_unit_id, skill_id, group_id, people_n, value_sum, levels, is_shown) order by 2, 4, 3 returning true`
)

var (
	skillCellsSQL = statement("skill_cells")
	markSkillsSQL = statement("mark_skills")
	markAllSkills = []operation{{"mark skills", `
		insert into report_skill_stale as s (tenant_id, org_unit_id, skill_id, revision, marked_at)
		select distinct $1::uuid, org_unit_id, skill_id, 1, now() from (
			select org_unit_id, skill_id from report_skill_rollups where tenant_id = $1 and $2::uuid[] is null
			union select org_unit_id, skill_id from report_skill_cells where tenant_id = $1) k order by 2, 3
		on conflict (tenant_id, org_unit_id, skill_id) do update set revision = s.revision + 1`}}
)

// skillMarks are what a batch has to mark: figures that changed, people who joined or left a group, and
// skills whose levels changed.
type skillMarks struct {
	figures       []skillKey
	users, levels []ids.ID
}

// apply marks the cells. It is the last step of a batch, so that its locks come after all others.
func (m skillMarks) apply(ctx context.Context, tx *db.Tx) error {
	if len(m.figures)+len(m.users)+len(m.levels) == 0 {
		return nil
	}
	seen := map[skillCell]bool{}
	var orgs, skills []ids.ID
	for _, k := range m.figures {
		if c := (skillCell{k.Org, k.Skill}); !seen[c] {
			seen[c] = true
			orgs, skills = append(orgs, k.Org), append(skills, k.Skill)
		}
	}
	_, err := tx.Exec(ctx, markSkillsSQL, tx.Tenant(), orgs, skills, sortedIDs(m.users), sortedIDs(m.levels), tx.Now())
	if err != nil {
		return fmt.Errorf("mark skills: %w", err)
	}
	return nil
}

// RecomputeSkills derives the cells of up to limit skills and org units whose figures, groups or levels
// changed, the ones that waited longest first, and gives how many it visited.
func RecomputeSkills(ctx context.Context, tx *db.Tx, limit int) (int, error) {
	_, err := tx.Exec(ctx, ownCellsSQL, tx.Tenant().String())
	if err != nil {
		return 0, fmt.Errorf("own cells of skills: %w", err)
	}
	var orgs, skills []ids.ID
	var revisions []int64
	var k skillCell
	var revision int64
	err = eachRow(ctx, tx, staleSkillsSQL, []any{tx.Tenant(), limit}, []any{&k.Org, &k.Skill, &revision}, func() {
		orgs, skills, revisions = append(orgs, k.Org), append(skills, k.Skill), append(revisions, revision)
	})
	if err != nil {
		return 0, fmt.Errorf("find stale skills: %w", err)
	}
	if len(orgs) == 0 {
		return 0, nil
	}
	cells, err := cellsOf(ctx, tx, orgs, skills)
	if err != nil {
		return 0, err
	}
	_, err = tx.Exec(ctx, dropCellsSQL, tx.Tenant(), orgs, skills)
	if err != nil {
		return 0, fmt.Errorf("drop cells of skills: %w", err)
	}
	err = writeCells(ctx, tx, cells)
	if err != nil {
		return 0, err
	}
	_, err = tx.Exec(ctx, unmarkSkillsSQL, tx.Tenant(), orgs, skills, revisions)
	if err != nil {
		return 0, fmt.Errorf("unmark skills: %w", err)
	}
	return len(orgs), nil
}

func cellsOf(ctx context.Context, tx *db.Tx, orgs, skills []ids.ID) (map[skillCell][]Cell, error) {
	cohorts, levels := map[skillCell][]Cohort{}, map[skillCell]int{}
	var k skillCell
	var n int
	var c Cohort
	err := eachRow(ctx, tx, skillCellsSQL, []any{tx.Tenant(), orgs, skills}, []any{&k.Org, &k.Skill, &n, &c.Groups, &c.Level, &c.N, &c.Sum}, func() {
		c.Groups = slices.Clone(c.Groups)
		cohorts[k], levels[k] = append(cohorts[k], c), n
	})
	if err != nil {
		return nil, fmt.Errorf("add up skills: %w", err)
	}
	cells := map[skillCell][]Cell{}
	for k, all := range cohorts {
		cells[k] = Cells(all, levels[k])
	}
	return cells, nil
}

func writeCells(ctx context.Context, tx *db.Tx, cells map[skillCell][]Cell) error {
	var orgs, skills, groups []ids.ID
	var people, sums []int64
	var levels []string
	var shown []bool
	for k, all := range cells {
		for _, c := range all {
			orgs, skills, groups = append(orgs, k.Org), append(skills, k.Skill), append(groups, c.Group)
			people, sums, levels, shown = append(people, c.People), append(sums, c.Sum), append(levels, spaced(c.Levels)), append(shown, c.Shown)
		}
	}
	_, err := tx.Exec(ctx, writeCellsSQL, tx.Tenant(), orgs, skills, groups, people, sums, levels, shown)
	if err != nil {
		return fmt.Errorf("write cells of skills: %w", err)
	}
	return nil
}

func spaced(counts []int32) string {
	text := fmt.Sprint(counts)
	return text[1 : len(text)-1]
}

// recomputeSkillsWithin derives all marked cells in the running transaction.
func recomputeSkillsWithin(ctx context.Context, tx *db.Tx) error {
	for {
		n, err := RecomputeSkills(ctx, tx, skillsBatch)
		if err != nil || n == 0 {
			return err
		}
	}
}
