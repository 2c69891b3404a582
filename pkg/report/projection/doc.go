// Package projection writes the reporting read model (specification, sections 1.5, 2.4,
// 4.3 and 4.4; decisions, section 5; architecture, "Reporting").
//
// # Tables
//
// Read: projection_outbox (what to look at), submissions, submission_items, sessions,
// session_events, findings, remediations for keys, and version_snapshots for tags and options. Never the
// authoring tables, except for skills, which use the rules, terms and levels of today.
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
//	report_skill_matches, ..._matched, ..._targets          which rules are applied, and what they match
//	report_skill_facts, ..._submissions                     what item attempts say about skills, and their sums a submission
//	report_skill_rollups                                    what people can do
//	report_skill_cells, ..._stale                           sums over people, and which have to be derived anew
//	report_jobs                                             maintenance that was asked for
//
// # Where each step stands
//
// Statements of more than a few lines are in files of folder sql, under the names given here;
// statements.go fills in what several of them share. A batch and a rebuild run the same ones: with the
// subjects of the batch, or with none, which means all of the tenant.
//
//	a batch       batch.go              takes outbox rows, and calls what follows in the order of the locks
//	              submissions.go        compares (changed_submissions), takes out, writes (write_*), and counts
//	                                    submissions and items (count_completions, _durations, _items)
//	              session_starts.go     the same for session starts (count_starts)
//	              takers.go             who was there on which day (move_takers)
//	              people_by_day.go      and how many people that makes in any period
//	              answer_keys.go        keys that remediations corrected, and the key that holds
//	              findings.go           findings
//	              locks.go              locks of questions, evaluations and the tenant
//	              empty_rows.go         deletes rows that count nothing any more
//	              question_rollups.go   derives question health: question_counts.go adds up, badge.go and
//	                                    rules.go judge
//	              skill_matches.go      matches questions against rules (skill_matches)
//	              skills.go             takes out facts (drop_skill_facts), writes facts and adds them to figures
//	                                    (write_skill_facts), or derives figures (derive_skills)
//	              skill_cells.go        adds up people (skill_cells), and says what may be shown of them
//	              skills_job.go         recalculates, skills_preview.go says what that would change
//	a rebuild     rebuild.go            empties the tables, writes in pieces, counts all, then as a batch
//	a verify      verify.go             keeps what the rows are like, rebuilds, compares, rolls back
//	percentiles   percentiles.go        computes what waits (medians), percentiles_job.go when
//	a worker      projector.go          empties the outboxes; job*.go project again on request
//
// Reports with a filter count by the same definitions: filter.go chooses attempts (filtered_attempts),
// attempts.go adds them up, medians.go and slower_questions.go find percentiles, choices.go counts
// options, and ranking.go puts questions in order. measures.go holds the columns that are added up,
// each once; period.go cuts periods into days and weeks.
//
// # How a batch works
//
// A subject is a session or the submission of the same id. A batch locks its subjects in the order
// of their ids, then the rollup rows of all questions and evaluations that it touches, in the order
// of their keys. The versions of an evaluation share its lock, since its people are counted over all
// of them. Only batches wait for these locks. Each statement after that sees what the previous
// holders of the locks committed. Subjects whose flat rows no longer match are taken out of the day
// tables and put in again; the others are not touched. The rollups of all questions that were locked
// are derived anew from the day tables.
//
// A rebuild finds the tables empty and runs by itself. It writes the rows in pieces, and counts the
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
// running), and the codes of package db.
package projection
