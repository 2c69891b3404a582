package skills

import (
	"context"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// Explained is a profile with the newest evidence behind its figures, as a page shows it.
type Explained struct {
	Profile
	// Behind are item attempts of each skill of the page, the newest first.
	Behind map[ids.ID][]Fact
}

// evidenceOnPage is how many item attempts a page shows of each skill.
const evidenceOnPage = 10

// ExplainProfile reads what a person can do, and the newest item attempts behind each figure. Capability and
// errors: as GetProfile.
func ExplainProfile(ctx context.Context, tx *db.Tx, user ids.ID, page db.Page) (Explained, error) {
	p, err := GetProfile(ctx, tx, user, page)
	if err != nil {
		return Explained{}, err
	}
	units, err := projection.OrgUnits(ctx, tx)
	if err != nil {
		return Explained{}, err
	}
	// A skill has a figure in each org unit.
	seen := map[ids.ID]bool{}
	var skills []ids.ID
	for _, f := range p.Items {
		if !seen[f.SkillID] {
			seen[f.SkillID] = true
			skills = append(skills, f.SkillID)
		}
	}
	behind, err := readFacts(ctx, tx, units, user, skills, db.Page{Page: 1, Limit: evidenceOnPage})
	return Explained{p, behind}, err
}
