package datamap

// ofSession and ofSubmission give the condition for rows about a session or a submission of a person.
func ofSession(column string) string {
	return "t.tenant_id = $1 and t." + column + " in (select s.id from sessions s where s.tenant_id = $1 and s.user_id = $2)"
}

func ofSubmission(column string) string {
	return "t.tenant_id = $1 and t." + column + " in (select s.id from submissions s where s.tenant_id = $1 and s.user_id = $2)"
}

// An answer keeps its options and numbers: figures are counted from them.
const erasedAnswer = `case when response ? 'text' and response ->> 'text' <> '' then jsonb_set(response, '{text}', '"` + Mark + `"') else response end`

var examTables = []Table{
	{Name: "subjects", Domain: Assignments, Holds: "what exams are about beside users: a machine, a site, a product", Row: Keep,
		Columns: columns(none("id org_unit_id kind created_at updated_at"), identifiers("external_id name metadata"))},
	{Name: "engagements", Domain: Assignments, Holds: "an engagement", Row: Keep,
		Columns: columns(none("id org_unit_id external_id subject_id status starts_at ends_at created_at updated_at"), texts("name"))},
	{Name: "programme_requirements", Domain: Assignments, Holds: "what a programme requires", Row: Keep,
		Columns: columns(none("id org_unit_id external_id evaluation_id status created_at updated_at"), texts("programme name"))},
	{Name: "assignment_schedules", Domain: Assignments, Holds: "assignments that come again and again", Row: Keep,
		Columns: columns(pseudonyms("target_refs created_by"), none(`id org_unit_id evaluation_id rule time_zone starts_at target_type window_seconds
			subject_id engagement_id invite status next_at created_at updated_at`), labels("run_label_pattern"))},
	{Name: "assignment_occurrences", Domain: Assignments, Holds: "a run of a schedule", Row: Keep,
		Columns: columns(none("schedule_id occurs_at org_unit_id batch_id created problem ran_at"), labels("run_label"))},
	{Name: "assignments", Domain: Assignments, Holds: "that an evaluation was handed out",
		Subject: "t.tenant_id = $1 and t.target_ref = ($2::uuid)::text", Row: Keep,
		Columns: columns(pseudonyms("target_ref created_by"), secrets("token_hash"), none(`id org_unit_id evaluation_id target_type valid_from
			valid_until batch_id schedule_id subject_id engagement_id status created_at updated_at`), labels("run_label"))},
	{Name: "lti_contexts", Domain: Assignments, Holds: "a course of a learning platform", Row: Keep,
		Columns: columns(texts("title"), none("id org_unit_id deployment_id context_id group_id created_at members_url synced_at sync_at failures problem claimed_until"))},
	{Name: "lti_links", Domain: Assignments, Holds: "what an activity of a course hands out", Row: Keep, Columns: columns(texts("title"), none(`id org_unit_id platform_id
		deployment_id context_id link_id assignment_id line_item counts sent_when created_at updated_at`))},
	{Name: "lti_scores", Domain: Assignments, Holds: "a person's grade as it goes to a learning platform", Subject: byUser, Row: Delete, Columns: columns(
		pseudonyms("user_id"), texts("answer"), none("id org_unit_id platform_id link_id state changed attempts next_at stamp prepared sent status sent_at created_at"))},
	{Name: "assignment_redemptions", Domain: Assignments, Holds: "that a person redeemed an assignment", Subject: byUser, Row: Keep,
		Columns: columns(pseudonyms("user_id"), none("assignment_id org_unit_id redeemed_at"))},
	{Name: "assignment_overrides", Domain: Assignments, Holds: "more time, more attempts or another window for a person", Subject: byUser, Author: byActor("created_by"),
		Row: Redact, Columns: columns(pseudonyms("user_id created_by"), marked("reason"),
			none("assignment_id org_unit_id extra_time_seconds extra_attempts valid_from valid_until created_at updated_at"))},
	{Name: "assignment_invitations", Domain: Assignments, Holds: "that a person was invited by mail", Subject: byUser, Row: Keep,
		Columns: columns(pseudonyms("user_id"), none("assignment_id org_unit_id status sending problem queued_at sent_at"))},

	{Name: "sessions", Domain: Sessions, Holds: "that a person sits an exam", Subject: byUser, Row: Keep,
		Columns: columns(pseudonyms("user_id started_by acted_by"), secrets("receipt seed"), none(`id org_unit_id evaluation_id evaluation_version_id state
			assignment_id started_at deadline_at extra_time_seconds override_seconds last_activity_at ended_at revision save_mark view events_n furthest
			section_starts drawn swept_at`), labels("run_label"))},
	{Name: "session_answers", Domain: Sessions, Holds: "an answer as it was saved, before the submission", Subject: ofSession("session_id"), Row: Delete, Columns: columns(texts("response"), none("session_id item_id org_unit_id sequence time_spent_ms started_at answered_at"))},
	{Name: "session_events", Domain: Telemetry, Holds: "what the exam window reported", Subject: ofSession("session_id"), Row: Delete,
		Columns: none("session_id id org_unit_id event_type occurred_at")},
	{Name: "session_actions", Domain: Sessions, Holds: "what a proctor did", Subject: ofSession("session_id"), Author: byActor("actor"), Row: Redact, Columns: columns(pseudonyms("actor"), marked("reason"), none("session_id id org_unit_id action extra_time_seconds acted_at"))},
	{Name: "question_exposures", Domain: Content, Holds: "in how many sessions a question was shown", Row: Keep,
		Columns: none("evaluation_id question_id org_unit_id sessions")},

	{Name: "submissions", Domain: Submissions, Holds: "the durable record of an attempt", Subject: byUser, Row: Redact,
		Columns: columns(erased(None, "texts_erased", "true"), pseudonyms("user_id submitted_by acted_by"), secrets("seed"), none(`id org_unit_id evaluation_id evaluation_version_id status
			completion_method started_at completed_at score max_score outcome_code outcome_label pending assignment_id batch_id snapshot_hash score_version approval_status retain_until retention_basis hold_flag erased_at`), labels("run_label"))},
	{Name: "submission_items", Domain: Submissions, Holds: "an answer and its score at submit", Subject: ofSubmission("submission_id"), Row: Redact, Columns: columns(erased(FreeText, "response", erasedAnswer), none(`submission_id id org_unit_id item_id
			question_version_id position qtype score_status score_method score max_score is_correct is_omitted omit_reason invalid_code
			time_spent_ms started_at answered_at`), keys("correct_selected incorrect_selected total_correct right_parts"))},
	{Name: "submission_decisions", Domain: Submissions, Holds: "what somebody decided about a submission", Subject: ofSubmission("submission_id"),
		Author: byActor("actor"), Row: Redact,
		Columns: columns(pseudonyms("actor"), marked("comment"), none("submission_id id org_unit_id decision decided_at"))},
	{Name: "score_versions", Domain: Submissions, Holds: "the scores of a submission after a change", Subject: ofSubmission("submission_id"), Row: Keep, Columns: columns(pseudonyms("actor"),
		none("submission_id number org_unit_id reason remediation_id score max_score outcome_code outcome_label created_at"))},
	{Name: "item_scores", Domain: Submissions, Holds: "the score of an item after a change", Subject: ofSubmission("submission_id"), Row: Keep, Columns: columns(none(`submission_id submission_item_id number org_unit_id score_status score_method
			score max_score is_correct invalid_code`), keys("correct_selected incorrect_selected total_correct right_parts"))},
	{Name: "item_marks", Domain: Submissions, Holds: "the mark that a person gave an item", Subject: ofSubmission("submission_id"), Author: byActor("actor"),
		Row: Redact, Columns: columns(pseudonyms("actor"), marked("comment"),
			none("submission_id submission_item_id number org_unit_id score score_version marked_at"))},
	{Name: "remediations", Domain: Submissions, Holds: "a correction of scores",
		// One of chosen submissions may say why it chose them; one of a whole version is about a question.
		Subject: `t.tenant_id = $1 and t.evaluation_version_id is null and t.id in (select r.remediation_id from remediation_submissions r
			join submissions s on s.tenant_id = $1 and s.id = r.submission_id where r.tenant_id = $1 and s.user_id = $2)`,
		Author: byActor("created_by"), Named: `t.tenant_id = $1 and t.evaluation_version_id is not null and exists (select from users u
			where u.tenant_id = $1 and u.id = $2 and (length(u.name) > 3 and position(lower(u.name) in lower(t.reason)) > 0
				or position(lower(u.email) in lower(t.reason)) > 0))`,
		Row: Redact, Columns: columns(pseudonyms("created_by started_by"), marked("reason"),
			none(`id org_unit_id evaluation_version_id question_version_id rule state also_later open_n applied_number reached submissions_n done_n
			changed_n created_at updated_at stepped_at applied_at reverted_at`), keys("parameters"))},
	{Name: "remediation_submissions", Domain: Submissions, Holds: "that a correction is about a submission", Subject: ofSubmission("submission_id"), Row: Keep, Columns: none("remediation_id submission_id org_unit_id active waiting")},
	{Name: "verifications", Domain: Submissions, Holds: "how a protected action was verified", Subject: ofSubmission("subject_id"), Author: byActor("actor"), Row: Redact, Columns: columns(pseudonyms("actor"),
		// The names of the fields stay: which were stated is part of the proof.
		erased(FreeText, "fields", `coalesce((select jsonb_object_agg(field, '`+Mark+`') from jsonb_object_keys(fields) field), '{}')`),
		none("subject_id id org_unit_id applies_to policy_ref kind method proof_id verified_at"))},
}

// fileErased lets go of the file of a row, once: the job deletes it then, where no other row holds the same bytes.
const fileErased = "least(erased_at, now())"

var evidenceTables = []Table{
	{Name: "evidence_blobs", Domain: Evidence, Holds: "that the store has a file", Row: Keep, Columns: none("sha256 touched_at")},
	{Name: "evidence", Domain: Evidence, Holds: "a file about a submission", Subject: ofSubmission("submission_id"), Author: byActor("added_by"), Row: Redact,
		Columns: columns(pseudonyms("added_by voided_by"), marked("void_reason"), erased(None, "erased_at", fileErased), none(`id org_unit_id submission_id
			submission_item_id item_id kind media_type size_bytes sha256 held_sha256 storage_tier integrity checked_at created_at voided_at`))},
	{Name: "findings", Domain: Evidence, Holds: "what somebody observed", Subject: ofSubmission("submission_id"), Author: byActor("detected_by"), Row: Redact,
		Columns: columns(pseudonyms("detected_by"), marked("detail"), none(`id org_unit_id submission_id submission_item_id item_id code severity
			detected_at ledger_event_id`))},
	{Name: "finding_evidence", Domain: Evidence, Holds: "that a file belongs to a finding", Subject: ofSubmission("submission_id"), Row: Keep, Columns: none("finding_id evidence_id org_unit_id submission_id")},
	{Name: "submission_cases", Domain: Evidence, Holds: "a claim or a dispute", Subject: ofSubmission("submission_id"), Author: byActor("raised_by"), Row: Redact,
		Columns: columns(pseudonyms("raised_by decided_by"), marked("statement comment"), none("id org_unit_id submission_id kind state raised_at decided_at"))},
	{Name: "case_findings", Domain: Evidence, Holds: "that a finding belongs to a claim", Subject: ofSubmission("submission_id"), Row: Keep, Columns: none("case_id finding_id org_unit_id submission_id")},
}
