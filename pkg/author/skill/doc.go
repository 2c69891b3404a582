// Package skill keeps skills, the frameworks that they belong to, and the rules that say which
// questions tell something about which skill (specification, sections 2.6, 2.12, 3, 4.7 and 4.12;
// decisions, section 13). Package projection applies these rules to answers.
//
// # Tables
//
//	skill_frameworks        a framework
//	skills                  a skill, and where it stands
//	skill_versions          what it is called, and its levels
//	skill_tags              its terms, of facets of the domain skills
//	skill_mapping_sets      a set of rules
//	skill_mapping_versions  its versions
//	skill_mapping_rules     the rules of a version, in order
//
// All belong to the whole tenant, as the vocabulary does.
//
// # Versions
//
//	draft ── publish ──> published
//
// A skill and a mapping set have at most one draft, and use their newest published version. A
// published version never changes, nor do its rules: triggers see to it. Changing begins a draft
// from the version that was published last.
//
// # Invariants
//
//   - The skills of a framework form a strict tree of at most MaxDepth levels. Every change of it
//     locks the framework first, since two sound moves can close a circle together.
//   - Levels have names of their own and thresholds in [0, 1] that rise.
//   - The figures of a skill come from one set, by one strategy: publishing a set sees to both, and sets
//     are published one after the other.
//   - Retiring a skill retires nothing below it. It takes no new rules.
//
// Ledger events, with nothing but ids and numbers: skill_framework.created, .updated, .imported; skill.created,
// .updated, .published; skill_mapping_set.created, .updated, .drafted, .published.
//
// Reading needs skills.read; writing skills and frameworks skills.manage, their tags
// skills.taxonomy.manage, mapping sets skills.mapping.manage.
//
// Error codes: forbidden, not_found, validation_failed, stale_update, conflict, nothing_to_publish,
// publish_blocked, version_immutable, archived.
package skill
