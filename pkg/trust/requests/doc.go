// Package requests keeps the requests of people about their data, from the first letter to the answer (GDPR, articles 12
// and 15 to 21).
//
// # Tables
//
//	compliance_requests         one row a request: its state, and when the answer is due
//	compliance_request_changes  each change with who made it and its event; append-only
//	request_rules               what the tenant requires of erasures, and whether the service writes letters
//	letter_templates            the words of letters, version by version; append-only
//	request_letters             what was sent: hash and version of the template, never the text
//	data_recipients             who else gets data of people
//	recipient_tasks             what recipients are to do once a request is carried out
//	compliance_request_notes    what officers write about an open request, sealed; it goes when the request ends
//
// # States
//
//	received ──> identity_pending ──> verified ──> decided ──> carried_out ──> answered
//	    └──────────────────────────────┘ ▲            ├── refused ────────────────┘ │
//	                                     └────────────┴── contested, once ──────────┘
//
// A request can be withdrawn as long as it is open. It is about a user of the tenant, or about somebody who is still to be found; it is
// verified once it is known who it is about and that it is theirs. Nobody decides about a request of their own, and a refusal that is
// contested is decided by somebody other than the one who refused it.
//
// # The clock
//
// The answer is due a month after the receipt (article 12(3)), which Clock says. While the identity is open the time is paused; it can be
// extended by two months, once, before it is over.
//
// # Jobs
//
// Carrying out starts the job of the kind (package compliance), which belongs to the request; the end of the job is a change of the
// request. If there is no job, as for a rectification, an officer does it by hand and then says so.
//
// # Letters and recipients
//
// Each change that the person has to hear of queues a letter (tellPerson), and carrying out makes a task for each recipient
// (tellRecipients), in the transaction of the change. The address of somebody who is being erased is sealed with the letter that says so,
// and goes with it.
//
// Error codes: forbidden, not_found, validation_failed, wrong_request_state, four_eyes_required, request_extended, request_overdue,
// request_open, request_waiting, request_required, step_up_required, and the codes of the jobs.
//
// Ledger events: request.received, .subject_named, .identity_asked, .verified, .extended, .decided, .started, .job_ended,
// .carried_out, .answered, .withdrawn, .contested; request_rules.set; letter_template.set,
// request_letter.sent, .failed; data_recipient.created, .changed, .ended; recipient_task.created, .reminded, .acknowledged, .given_up.
package requests
