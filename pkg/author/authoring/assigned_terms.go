package authoring

import (
	"context"
	"slices"
	"time"

	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// TermsInput says which terms a question or evaluation carries: a set.
type TermsInput struct {
	UpdatedAt       *time.Time `json:"updatedAt,omitempty" doc:"The state that the change was made from"`
	TaxonomyTermIDs []ids.ID   `json:"taxonomyTermIds" noun:"term" nullable:"false" maxItems:"100" doc:"Terms of the content domain; an empty list takes all away"`
}

// AssignedTerms are the terms of a question or evaluation: of the version that authors see
// and of the one that is delivered, if there is one.
type AssignedTerms struct {
	ID        ids.ID        `json:"id" doc:"The question or evaluation"`
	UpdatedAt time.Time     `json:"updatedAt"`
	Newest    VersionTerms  `json:"newest"`
	Published *VersionTerms `json:"published,omitempty"`
}

// VersionTerms are the terms of one version. StructuredTags maps facet slugs to the slugs
// of their terms (decisions, section 3).
type VersionTerms struct {
	VersionID      ids.ID              `json:"versionId"`
	Number         int                 `json:"number"`
	Status         string              `json:"status" enum:"draft,published"`
	Terms          []AssignedTerm      `json:"terms" nullable:"false"`
	StructuredTags map[string][]string `json:"structuredTags"`
}

// AssignedTerm is a term under its current name: for a term that was merged since, the survivor's.
type AssignedTerm struct {
	ID      ids.ID `json:"id"`
	Facet   string `json:"facet" example:"topic"`
	Slug    string `json:"slug" example:"photosynthesis"`
	Label   string `json:"label" example:"Photosynthesis"`
	Retired bool   `json:"retired"`
}

// taggedVersion is the part of a version that its terms are read from.
type taggedVersion struct {
	id     ids.ID
	number int
	status string
	terms  []ids.ID
}

// assignedTerms names the terms of the draft and of the published version. At least one
// of the two exists.
func assignedTerms(ctx context.Context, tx *db.Tx, id ids.ID, updated time.Time, newest, published *taggedVersion) (AssignedTerms, error) {
	if newest == nil {
		newest = published
	}
	wanted := slices.Clone(newest.terms)
	if published != nil {
		wanted = append(wanted, published.terms...)
	}
	names, err := taxonomy.Names(ctx, tx, wanted)
	if err != nil {
		return AssignedTerms{}, err
	}
	out := AssignedTerms{ID: id, UpdatedAt: updated.UTC(), Newest: newest.named(names)}
	if published != nil {
		terms := published.named(names)
		out.Published = &terms
	}
	return out, nil
}

func (v taggedVersion) named(names map[ids.ID]taxonomy.Name) VersionTerms {
	out := VersionTerms{VersionID: v.id, Number: v.number, Status: v.status, Terms: []AssignedTerm{},
		StructuredTags: structuredTags(v.terms, names)}
	for _, id := range v.terms {
		name := names[id]
		term := AssignedTerm{ID: name.ID, Facet: name.Facet, Slug: name.Term, Label: name.Label, Retired: name.Retired}
		if !slices.Contains(out.Terms, term) {
			out.Terms = append(out.Terms, term)
		}
	}
	return out
}

// check checks a new set of terms; held are the terms of the newest version.
func (in TermsInput) check(ctx context.Context, tx *db.Tx, held []ids.ID) error {
	var p problems
	p.termIDs("taxonomyTermIds", in.TaxonomyTermIDs)
	uses := make([]termUse, 0, len(in.TaxonomyTermIDs))
	for i, id := range in.TaxonomyTermIDs {
		uses = append(uses, termUse{path: element("", "taxonomyTermIds", i), id: id, held: slices.Contains(held, id)})
	}
	unusable, err := checkTerms(ctx, tx, uses)
	if err != nil {
		return err
	}
	return errs.Invalid(append(p, unusable...)...)
}
