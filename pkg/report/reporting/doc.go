// Package reporting answers the UI-ready reports (specification, sections 4.1 and 4.3;
// decisions, section 5): the evaluation summary and question health.
//
// # Tables
//
// It reads the report_* tables that package projection writes; for words, snapshot_titles and
// snapshot_questions, which publishing writes along with the snapshot (package authoring); and nothing
// else, except for checks that tell "no data yet" from "no such thing": whether an evaluation version or a
// submission exists, and how old the oldest row of the outbox is. It writes nothing.
//
// # Two ways to a figure
//
// Without a filter, and within one org unit, figures come ready from the rollups. With a
// filter that the rollups cannot answer they are added up from the tables by day, and at the
// edges of a period from the attempts of that day. Both ways use the statements and rules of
// the projector, and so give the same figures.
//
// # Statements
//
// Statements that never change are constants. The statements of the evaluation summary are files in
// folder sql: summary_text.go fills in the conditions, and a select for each stretch of the period.
//
// # Lists with a filter
//
// A list orders all questions of its filter by sums of their attempts, and measures only the questions
// on its page. The order by attention needs options and medians too: they are read for the questions
// whose place depends on them, until no other can come onto the page (sharpen).
//
// # Scopes
//
// A caller whose scope covers several org units sees a question version, or an evaluation
// version, once: where several org units have attempts at it, these are counted together.
//
// Rates are fractions in [0,1] and null when their denominator is 0. Times are
// milliseconds. Every report says in asOf and projectionLagMs how fresh it is.
//
// Error codes: forbidden, not_found, validation_failed.
package reporting
