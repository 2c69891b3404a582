// Package lti lets a learning platform (Moodle, Canvas) hand out our exams in its courses: the tool of LTI 1.3.
//
// A launch begins at Login, goes to the platform, and comes back at Launch with a signed token: with a state and a nonce
// that are good once, for ten minutes, in the browser that began it. It ends as a link in a mail does, in a code that the
// application trades for a token (package access), and leads to the assignment. Calls to a platform go out while no
// transaction is open, through the guarded client (package outgoing).
//
// A platform is found by its tenant, which its login address names, and by issuer and client id: hosted platforms share an
// issuer. What it launches goes to the org unit of the deployment that the launch names. A deployment that nobody knows is written down
// as pending, and launches nothing until somebody allows it.
//
// A person is known by the platform's name for them (sub), never by an address. Somebody new becomes a Candidate without an
// address, or signs in here once and links the account to the user they have, as the platform is set. A role in a course gives a role here only where the platform says so.
//
// A course is a group, which learners enter at their launches, and leave when the platform does not tell them any more (Names and Role Provisioning). An
// activity of a course is a link; its first launch hands the evaluation that it names out to the group. A teacher picks the
// evaluation on one of our pages (Deep Linking), or types it in.
//
// Tables: lti_platforms, lti_deployments, lti_contexts, lti_links, lti_flows, lti_deep_links, lti_pending_accounts, lti_registrations, lti_keys; user_accounts is
// kept by package people.
//
// Error codes: lti_launch_refused, lti_platform_unavailable, account_link_needed, account_taken, link_invalid, sign_in_refused, not_found, forbidden,
// validation_failed, duplicate_platform, stale_update, rate_limited.
//
// Ledger events: lti_platform.created, .updated; lti_deployment.allowed, .blocked; lti_link.created, .updated;
// lti_key.rotated; lti_registration.created; lti_deep_link.chosen; and the events of packages people and assignment for everything that launches make.
package lti
