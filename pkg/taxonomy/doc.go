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
//   - The id is what everything else refers to. Slug and label are metadata; a slug is
//     unique within its domain (facets) or facet (terms).
//   - A term is active or retired. A retired term stays where it is and cannot be assigned
//     anew.
//   - A merged term is retired for good and names its survivor, which is never merged
//     itself: its id, where published versions go on naming it, means the survivor.
//
// Reading needs taxonomy.read, writing taxonomy.manage. Terms that an import makes on the
// way are writes too.
//
// Error codes: forbidden, not_found, validation_failed, duplicate_slug, duplicate_term.
package taxonomy
