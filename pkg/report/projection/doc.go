// Package projection writes the reporting read model (specification, sections 1.5, 2.4,
// 4.3 and 4.4; decisions, section 5; architecture, "Reporting").
//
// # Tables
//
// Read: projection_outbox (what to look at), submissions, submission_items, sessions,
// session_events, findings, remediations for keys, and version_snapshots for tags and options. Never the authoring tables.
//
// Written, and by nobody else:
//
//	report_item_attempts_flat, report_item_attempt_choice   a row an item attempt
//	report_submissions, report_session_starts               a row a submission, a start
//	report_question_day, ..._choice_day, ..._times          sums a question and day
//	report_evaluation_day, ..._durations, ..._bands         sums an evaluation version and cut
//	report_evaluation_items                                 sums a question, cut and week, and pieces of days
//	report_evaluation_takers                                a row a person, version, run, group and day
//	report_evaluation_people                                people of a version, or of an evaluation, and cut
//	report_evaluation_rollup                                attempts of a version and cut
//	report_question_health_rollup, ..._by_run               derived from the day tables
//	report_question_tags, ..._options, ..._sections         what the snapshots say
//	report_question_keys                                    keys that remediations corrected, and exemptions
//	report_assignments                                      a row an assignment
//	report_evaluation_invitees, report_access_points        sums of assignments by evaluation and cut
//	report_findings                                         a row a finding
//	submission_telemetry_summary                            what is left of session_events
//	report_jobs                                             maintenance that was asked for
//
// # How a batch works
//
// A subject is a session or the submission of the same id. A batch locks its subjects in
// the order of their ids, then the rollup rows of all questions and evaluations that it
// touches, in the order of their keys. The versions of an evaluation share its lock, since its
// people are counted over all of them. Nobody but batches waits for these. Each statement after that sees what the
// previous holders of the locks committed. Subjects whose flat rows no longer match are
// taken out of the day tables and put in again; the others are left alone. The rollups of
// what was touched are derived anew from the day tables.
//
// A rebuild finds the tables empty and is alone. It writes the rows in pieces, and counts the
// items of all submissions at the end, so that each of their cells is written once.
//
// # Invariants
//
// Projecting any subject, any number of times, in any order, in several workers, with
// crashes in between, ends in the tables that Rebuild makes from nothing. Hence:
//   - sums are integers or numeric, so that their order does not matter;
//   - rows whose counts reach zero are deleted;
//   - no figure depends on the time of projection: the windows of 7 and 30 days end with
//     the newest UTC day on which the question was attempted, and the last run is the one
//     with the newest such day (of several, the greater label);
//   - voided submissions count nowhere.
//
// Exempt from it are last_computed_at, percentiles_at and revision, and the medians and
// the badge of rows that still wait for the percentiles job.
//
// # Definitions
//
// An omitted item is EXEMPT. Facility, scores and options are over SCORED attempts; the omit
// rate is EXEMPT over all attempts, whatever made them exempt; focus is over all attempts,
// times over answered attempts with a known time.
//
// # Jobs
//
// A job projects chosen subjects again, or computes percentiles: queued → running →
// completed or failed. It takes its subjects in the order of their ids, a piece a
// transaction, and keeps the last id with each piece. So it can be stopped at any point and
// run again, and a failed one goes on where it was.
//
// Error codes: not_found and validation_failed (jobs), conflict (a rebuild of the tenant is
// running), and those of package db.
package projection
