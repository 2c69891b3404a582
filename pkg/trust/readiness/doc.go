// Package readiness says whether a result holds: facts in, blocks out, nothing else (specification,
// sections 2.9 and 9.4; decisions, section 11).
//
// A submission has three entries. Knowledge: are the scores final, and what do they say? Observation:
// was the candidate verified, and did the people who ought to look at the submission do so? Evidence:
// is everything there that must be there, and is it undisputed? Each entry has a state and the reasons
// for it; the rules are rows of a table, and every reason has a sentence for people.
//
// The proof block answers two questions. Was the execution defensible, by what was known when the
// session was submitted, under the policy that was frozen with the version? Is the result ready now,
// under the policy of the day? The answer to the first never changes; the caller of Execution keeps it.
//
// Invariants, each held by a test over all combinations of facts:
//
//   - Reasons are empty exactly when a submission is ready now.
//   - One more file never makes a submission less ready.
//   - Execution's answer depends on no fact of later days.
package readiness
