// Package taxonomy keeps the controlled vocabulary: facets and their terms
// (specification, sections 2.6 and 4.7).
//
// Tables: facets, terms, term_relations. All belong to the whole tenant, so that its org
// units speak the same words.
//
// # Invariants
//
//   - A facet belongs to one domain: content, skills, subjects or identity. Questions and
//     evaluations take terms of the content domain only.
//
//   - The id is what everything else refers to. Slug and label are metadata; a slug is
//     unique within its domain (facets) or facet (terms).
//
//   - A term is active or retired. A retired term stays where it is and cannot be assigned
//     anew.
//
//   - A merged term is retired for good and names its survivor, which is never merged
//     itself: its id, where published versions go on naming it, means the survivor.
//
//   - The relations of a facet form a strict tree of at most MaxDepth levels: a term has at
//     most one parent, of its own facet, and is never below itself. Every change of the tree
//     locks the facet first, since two sound moves can close a circle together.
//
//   - Retiring a term retires no term below it, and a retired term may have children:
//     it goes on ordering them.
//
//   - Merging (BeginMerge, Finish) moves the terms below the merged term under the survivor; a
//     survivor from below takes the merged term's place first. inventory.MergeTerm rewrites
//     everything that names the term.
//
//   - An import goes by domain, facet and slug: importing what was exported changes nothing.
//
//   - Assigning locks the terms (Assignable), so that none is retired or merged between
//     the check and the commit.
//
// Ledger events, with nothing but ids: facet.created, .updated; term.created, .updated,
// .retired, .restored, .merged.
//
// Reading needs taxonomy.read, writing taxonomy.manage; in the domain skills writing needs
// skills.taxonomy.manage instead, which reads as well. Terms that an import makes on the way are
// writes too.
//
// Error codes: forbidden, not_found, validation_failed, stale_update, duplicate_slug,
// duplicate_term, taxonomy_cycle, term_merged.
package taxonomy
