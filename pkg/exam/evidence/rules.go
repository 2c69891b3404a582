package evidence

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// The bounds of people's texts and names.
const (
	maxReason    = 2000
	maxDetail    = 4000
	maxStatement = 4000
	maxNamed     = 50
)

var (
	kinds = authoring.EvidenceKinds
	tiers = []string{models.TierHot, models.TierWarm, models.TierCold}
	// severities are in rising order.
	severities = []string{"info", "minor", "major", "critical"}
	// CaseStates are the states that lists of claims and disputes can be narrowed to.
	CaseStates = []string{models.CaseOpen, models.CaseUpheld, models.CaseRejected, models.CaseWithdrawn}
)

var findingCode = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,63}$`)

// problems collects the problems of an input.
type problems []errs.Field

func (p *problems) add(path, code, format string, args ...any) {
	*p = append(*p, errs.Field{Path: path, Code: code, Message: fmt.Sprintf(format, args...)})
}

func (p *problems) oneOf(path, value string, of []string) {
	if !slices.Contains(of, value) {
		p.add(path, "unknown_value", "expected one of %s", strings.Join(of, ", "))
	}
}

// named checks a list of records and gives it without repetitions.
func (p *problems) named(path string, all []ids.ID) []ids.ID {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b ids.ID) int { return slices.Compare(a[:], b[:]) })
	all = slices.Compact(all)
	if len(all) > maxNamed {
		p.add(path, "too_many", "at most %d", maxNamed)
	}
	return all
}
