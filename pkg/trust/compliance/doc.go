// Package compliance runs jobs about a person's data, and keeps their ledger (specification,
// sections 2.11, 4.9 and 7.12; decisions, sections 6 and 10).
//
// # Tables
//
//	compliance_jobs       a job, its state and how far it is
//	compliance_steps      the steps that ended, with the rows that each touched
//	compliance_ledger     what was requested and what came of it; append-only
//	compliance_artifacts  files that a job made; compliance_blobs says that the store has them
//
// # Jobs
//
// A Kind is a job type: a check and a list of steps. A step does its work in a transaction that also
// writes down how far it is, so a job that was killed anywhere goes on where it stopped and ends in the
// same state. Work outside the database comes before the step is written down, and may be done twice.
//
//	queued ──> running ──> completed
//	   │          ├──────> failed     the last attempt broke off
//	   └──────────┴──────> blocked    a hold prevents it; nobody tries again
//
// The worker of the queue and assessctl do steps by the same call (Work); the row of the job lets one at
// a time. Of several jobs about a person the oldest comes first: Work brings those before it to their end.
// A dry run is the same steps in one transaction that is rolled back.
//
// # Who
//
// compliance.read sees jobs and ledger, compliance.manage starts jobs. Jobs cover the whole tenant,
// because a person's data do, so starting one needs scope.all.
//
// Error codes: forbidden, not_found, validation_failed, hold_active, artifact_expired.
//
// Ledger events: the events of the compliance ledger (<job type>.requested, .completed, .failed,
// .blocked), compliance.artifact_viewed.
package compliance
