// Package skills says what people can do, and why it says so (specification, sections 2.12 and 4.12;
// decisions, section 13).
//
// # Tables
//
// Read here, and written only by package projection:
//
//	report_skill_rollups      a row a person, skill and org unit: the figure
//	report_skill_facts        a row an item attempt and rule that matched it: the evidence
//	report_skill_submissions  their sums, a row a submission and skill of a person
//	report_skill_cells        sums of the figures of an org unit, and of each of its groups
//	report_skill_matches      which rule matches which question of the versions that were attempted
//	report_skill_targets      which mapping version the figures of a skill follow
//
// Names of skills, levels, terms and evaluations are joined when they are read.
//
// # Who may see what
//
// Everybody sees their own profile. The profile of somebody else needs skills.read, and
// reporting.view_named as well, since it holds figures of one person. Overviews need skills.read;
// without reporting.view_named, they show nothing that says something about fewer than five people,
// however the figures are added and subtracted (projection.Cells, projection.Hide).
//
// Figures that people see of themselves count only attempts whose result they may see: not where
// feedback_mode is none, nor before feedbackPolicy.availableAfter. Their own evidence shows what an item
// earned only where the evaluation gives feedback item by item, as its result does.
//
// # Definitions
//
// A figure is a share in [0, 1]. The level is the greatest one whose threshold it reaches. Confidence
// counts evidence: LOW below 5 item attempts, MED below 20, HIGH from there on. The trend is how far
// the newest submission is above or below all before it.
//
// Others do not see the profile of a person whose processing is restricted.
//
// Error codes: not_found, forbidden, processing_restricted, conflict, validation_failed.
package skills
