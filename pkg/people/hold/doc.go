// Package hold keeps holds and restrictions of processing, and answers the two questions that every
// operation about a person asks (decisions, sections 6 and 10; GDPR, articles 4(2) and 18).
//
// # Tables
//
//	holds  one row a hold, lifted ones too; several people may be held for one matter
//	users  restricted, held and erasing: what to refuse about the person
//
// It also writes hold_flag of submissions, which says that a hold covers the submission.
//
// # Kinds
//
//	processing  nobody erases, and nobody uses: no new session, redemption or invitation, and no export or
//	            report by name but the person's own
//	legal       nobody erases; the person goes on. It covers the whole person, or one submission
//
// Several holds may be in force at once, each with a reason of its own from Reasons. Everything that
// placing set is computed from the holds in force, so lifting one takes away what no other needs.
//
// # The two questions
//
// Use asks whether the person's data may be used (processing_restricted), Erase and EraseSubmission
// whether they may be erased (hold_active). Statements that look at the user anyway read
// users.restricted instead of asking Use, and answer with Restricted.
//
// # Races
//
// Placing and lifting lock the user for update; Use and Erase lock it for key share, as does every foreign key that
// names the user, so that nothing else waits. So either the erasing transaction comes first and the hold covers what
// is left, or the hold comes first and the erasing is refused. A caller that erases in several transactions says so
// in the first that erases (StartErasing): no hold is placed between two of them, and nobody writes anything more
// about the person (people.RefuseErased). A submit takes the same lock in the statement that writes the submission
// (package submission), so that no submission escapes a hold that is placed meanwhile.
//
// Error codes: forbidden, not_found, validation_failed, user_out_of_reach, four_eyes_required,
// hold_exists, hold_not_placed, erasing_under_way, processing_restricted, hold_active.
//
// Ledger events: hold.placed, hold.lifted.
package hold
