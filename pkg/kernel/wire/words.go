package wire

import "strings"

// said is what people read in place of the codes of the interface: on pages, at a terminal and in docs/reporting.md. A code of one
// lowercase word is its own word. Badges and flags of question health have their words next to their rules (projection.Called).
var said = map[string]string{
	// Scores and outcomes.
	"SCORED": "scored", "PENDING": "to be scored", "INVALID": "invalid", "EXEMPT": "exempted",
	"attempts_started": "started attempts", "attempts_completed": "completed attempts", "attempts_graded": "graded attempts", "attempts_scored": "scored attempts",
	"unique_invitees": "different people who were invited", "completed_at": "the moment they were completed",
	"completed_at_minus_started_at": "from the start to the end",
	"population_full":               "all who were invited are known", "population_partial": "not all who were invited are known", "population_unknown": "nobody knows who was invited",
	"scored_by_person": "scored by a person", "remediation_applied": "a correction was applied", "remediation_reverted": "a correction was taken back",
	"wrong_response_kind": "another kind of answer", "unknown_option": "unknown option", "unknown_prompt": "unknown prompt", "unknown_gap": "unknown gap", "invalid_number": "not a number",
	"too_few_selections": "too few options", "too_many_selections": "too many options",
	"exempt_question": "the question counts for nobody", "full_credit": "everybody gets all points", "adjust_item": "everybody gets the same points",
	"rekey": "answers are scored by another key", "weighted_recent": "the newest weigh most",

	// What becomes of an attempt.
	"auto_submitted": "handed in when time was over", "proctor_submitted": "handed in by a proctor",
	"not_started": "not started", "in_progress": "in progress", "used_up": "no attempt left", "given_up": "given up",
	"not_required": "not required", "pending_review": "waits for review", "changes_requested": "changes were asked for", "request_changes": "ask for changes",
	"not_met": "not met",

	// Health, confidence and attention.
	"LOW": "low", "MED": "medium", "HIGH": "high", "INSUFFICIENT_DATA": "too few attempts", "HEALTHY": "healthy", "WATCH": "watch", "NEEDS_ATTENTION": "needs attention",
	"LOW_PASS_RATE": "few pass", "LOW_COMPLETION_RATE": "few complete it", "HIGH_EXPIRED_RATE": "time often runs out", "HIGH_UNGRADED_RATE": "many have no outcome",
	"HIGH_FOCUS_LOST_RATE": "window often left", "HIGH_FULLSCREEN_EXIT_RATE": "full screen is often left",
	"needs_attention_first": "what needs attention first", "highest_omit": "left out most first", "most_drift": "most drift first", "most_exposed": "shown most first",

	// Who takes part, and what the window of the exam reports.
	"user_id": "person", "group_id": "group", "public_link": "public link", "external_id": "external id",
	"focus_lost": "the window lost the focus", "focus_gained": "the window got the focus back", "focus_loss": "the window lost the focus",
	"fullscreen_exit": "full screen was left", "fullscreen_enter": "full screen was entered", "network_lost": "the connection was lost", "network_restored": "the connection came back",
	"seb_config_key": "key of the settings of Safe Exam Browser", "seb_browser_exam_key": "key of Safe Exam Browser",
	"screen_recording": "screen recording", "camera_recording": "camera recording", "audio_recording": "audio recording",

	// Verification and proof.
	"review_actions": "review actions", "evaluation_publish": "publishing of evaluations", "self_approve": "one's own approval", "four_eyes": "a second person",
	"auth.session": "signed in", "auth.step_up": "proof on top of the session", "magic_link": "link by mail", "mail_link": "link by mail", "step_up": "proof on top of the session",
	"client_secret": "client secret", "private_key_jwt": "signed with a private key",
	"L1": "level 1", "L2": "level 2", "L3": "level 3", "L4": "level 4", "HOT": "hot", "WARM": "warm", "COLD": "cold",

	// Requests about data, holds and marks of people.
	"dsar_export": "export for a person", "privacy_pack": "privacy pack", "retention_sweep": "retention sweep",
	"identity_needed": "identity is needed", "identity_pending": "identity is asked for", "carried_out": "carried out",
	"on_track": "on track", "at_risk": "at risk", "by_hand": "by hand", "call_back": "call back", "in_person": "in person", "number_of_requests": "number of requests",
	"legal_obligation": "legal obligation", "legal_claims": "legal claims", "legitimate_interests": "legitimate interests", "public_interest": "public interest",
	"public_task": "public task", "vital_interests": "vital interests", "compelling_grounds": "compelling grounds", "rights_of_others": "rights of others",
	"manifestly_unfounded": "manifestly unfounded", "identity_not_proven": "identity not proven", "nothing_held": "nothing is held", "data_accurate": "the data are accurate",
	"right_not_applicable": "the right does not apply", "has_no_data": "has no data",
	"another_person": "another person", "not_personal": "not about a person", "word_of_others": "a word of others",
	"name_part": "part of the name", "email_key": "key of the e-mail address", "json_twice": "JSON in JSON", "quoted_printable": "quoted-printable",
	"retention.blocked": "retention was stopped", "retention.failed": "retention failed",

	// Content, packs, corrections and skills.
	"moodle_xml": "Moodle XML", "question_version": "question version", "evaluation_version": "evaluation version", "question_health": "question health",
	"evaluation_summary": "evaluation summary", "tag_predicate": "tags", "keep_local": "keep what is here", "take_pack": "take what the pack has",
	"all_or_nothing": "all or nothing", "skill_preview": "preview of skills", "candidate_count": "number of candidates",
	"not_found": "not found", "not_published": "not published", "no_targets": "nobody to hand it to", "validation_failed": "not valid",
	"too_deep": "nested too deep", "too_large": "too large",
}

// Words says a code to people: "not_met" is "not met". One that is not in the list loses its underscores.
func Words(code string) string {
	if words := said[code]; words != "" {
		return words
	}
	return strings.ReplaceAll(code, "_", " ")
}

// HasWords says whether a code is in the list.
func HasWords(code string) bool { return said[code] != "" }
