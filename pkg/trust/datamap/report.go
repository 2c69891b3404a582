package datamap

// reportTables hold figures. They name nobody: a person is an id, and forgetting leaves them, so that figures
// stay as they are (specification, section 2.4). Their rows repeat what submissions and sessions say, so a data
// export shows those instead; but conclusions about a person, from readiness to skills, are exported.
var reportTables = []Table{
	{Name: "defensibility_exception_triage", Domain: Readiness, Holds: "how a submission stands, and who looks after it", Subject: ofSubmission("submission_id"), Row: Keep,
		Columns: columns(pseudonyms("user_id owner_user_id"), none(`org_unit_id submission_id evaluation_id engagement_id completed_at is_active readiness_state
			reasons state suppressed_until first_seen_at last_seen_at updated_at`))},
	{Name: "defensibility_exception_counts", Domain: Reports, Holds: "counts", Row: Keep,
		Columns: none("org_unit_id kind target_id active_n blocked_n needs_review_n first_seen_at last_computed_at")},
	{Name: "defensibility_rollup_triage", Domain: Reports, Holds: "who looks after an engagement or a requirement", Row: Keep,
		Columns: columns(pseudonyms("owner_user_id"), none("org_unit_id kind target_id state suppressed_until updated_at"))},
	{Name: "report_access_points", Domain: Reports, Holds: "counts", Row: Keep,
		Columns: columns(none(`org_unit_id evaluation_id cut group_id user_id_n email_n group_id_n public_link_n invitees_n`), labels("run_label"))},
	{Name: "report_assignments", Domain: Reports, Holds: "an assignment, for figures", Subject: byUser, Row: Keep,
		Columns: columns(pseudonyms("user_id"), none("org_unit_id assignment_id evaluation_id target_type group_id"), labels("run_label"))},
	{Name: "report_evaluation_bands", Domain: Reports, Holds: "counts", Row: Keep,
		Columns: columns(none("org_unit_id evaluation_version_id cut group_id days day band_ms n"), labels("run_label"))},
	{Name: "report_evaluation_day", Domain: Reports, Holds: "counts", Row: Keep,
		Columns: columns(none(`org_unit_id evaluation_version_id cut group_id day evaluation_id started_n in_progress_n expired_n closed_n abandoned_n voided_n completed_n
			scored_n pass_n fail_n time_known_n duration_sum_ms telemetry_known_n focus_lost_n fullscreen_exit_n submitted_n submitted_pass_n submitted_fail_n
			auto_submitted_n auto_submitted_pass_n auto_submitted_fail_n proctor_submitted_n proctor_submitted_pass_n proctor_submitted_fail_n imported_n
			imported_pass_n imported_fail_n graded_0_n graded_1_n graded_2_n graded_3_n graded_4_n graded_5_n graded_6_n graded_7_n graded_8_n graded_9_n
			scored_0_n scored_1_n scored_2_n scored_3_n scored_4_n scored_5_n scored_6_n scored_7_n scored_8_n scored_9_n graded_nothing_n scored_nothing_n
			graded_score_pct_sum scored_score_pct_sum`), labels("run_label"))},
	{Name: "report_evaluation_durations", Domain: Reports, Holds: "counts", Row: Keep,
		Columns: columns(none("org_unit_id evaluation_version_id cut group_id step_ms n"), labels("run_label"))},
	{Name: "report_evaluation_invitees", Domain: Reports, Holds: "that a person was assigned an evaluation", Subject: byUser, Row: Keep,
		Columns: columns(pseudonyms("user_id"), none("org_unit_id evaluation_id cut n"), labels("run_label"))},
	{Name: "report_evaluation_items", Domain: Reports, Holds: "counts", Row: Keep,
		Columns: columns(none(`org_unit_id evaluation_version_id cut hours group_id since question_version_id attempts_n scored_n correct_n omitted_n score_pct_sum time_n
			time_sum_ms`), labels("run_label"))},
	{Name: "report_evaluation_people", Domain: Reports, Holds: "counts", Row: Keep,
		Columns: columns(none("org_unit_id subject_id cut group_id kind before day n"), labels("run_label"))},
	{Name: "report_evaluation_rollup", Domain: Reports, Holds: "counts", Row: Keep,
		Columns: columns(none("org_unit_id evaluation_version_id cut group_id evaluation_id started_n completed_n"), labels("run_label"))},
	{Name: "report_evaluation_takers", Domain: Reports, Holds: "how often a person took an evaluation", Subject: byUser, Row: Keep,
		Columns: columns(pseudonyms("user_id"), none(`org_unit_id evaluation_id evaluation_version_id group_id day starts_n invited_n invited_completed_n`), labels("run_label"))},
	{Name: "report_findings", Domain: Reports, Holds: "a finding, without its detail", Subject: ofSubmission("submission_id"), Row: Keep,
		Columns: none("org_unit_id submission_id finding_id submission_item_id code severity detected_at ledger_event_id")},
	{Name: "report_item_attempt_choice", Domain: Reports, Holds: "the options chosen in an answer", Subject: ofSubmission("submission_id"), Row: Keep,
		Columns: none(`org_unit_id submission_id submission_item_id question_version_id completed_at selected_option_ids response_pattern_hash is_full_credit
			is_partial_credit correct_selected incorrect_selected total_correct constraint_violation_code`)},
	{Name: "report_item_attempts_flat", Domain: Reports, Holds: "an answer, flat, without its text", Subject: byUser, Row: Keep,
		Columns: columns(pseudonyms("user_id"), none(`org_unit_id submission_id submission_item_id completed_at evaluation_id evaluation_version_id question_version_id qtype is_correct
			score_awarded max_score score_status score_method invalid_code selected_option choice_ids is_omitted omit_reason time_on_item_ms focus_lost
			structured_tags`), labels("run_label"))},
	{Name: "report_jobs", Domain: Reports, Holds: "maintenance of reports that somebody asked for", Row: Keep,
		Columns: columns(pseudonyms("requested_by"), none(`id org_unit_id kind state arguments total_n done_n last_subject error_code created_at started_at finished_at result`))},
	{Name: "report_live_rows", Domain: Reports, Holds: "hashes of rows, while reports are verified", Row: Keep,
		Columns: none("table_name key content")},
	{Name: "report_question_choice_day", Domain: Reports, Holds: "counts", Row: Keep,
		Columns: columns(none("org_unit_id question_version_id evaluation_version_id day kind code n"), labels("run_label"))},
	{Name: "report_question_day", Domain: Reports, Holds: "counts", Row: Keep,
		Columns: columns(none(`org_unit_id question_version_id evaluation_version_id day evaluation_id qtype attempts_n scored_n pending_n invalid_n exempt_n correct_n
			omitted_n score_sum score_pct_sum time_n time_sum_ms focus_lost_n`), labels("run_label"))},
	{Name: "report_question_health_by_run", Domain: Reports, Holds: "counts", Row: Keep,
		Columns: columns(none(`org_unit_id question_version_id last_day attempts_n scored_n facility_pct omit_rate median_time_ms option_pct`), labels("run_label"))},
	{Name: "report_question_health_rollup", Domain: Reports, Holds: "counts", Row: Keep,
		Columns: columns(none(`org_unit_id question_version_id qtype attempts_n correct_n omitted_n scored_n pending_n invalid_n exempt_n facility_pct omit_rate avg_time_ms
			median_time_ms p90_time_ms median_7d_time_ms median_30d_time_ms time_7d_n avg_score_awarded avg_score_pct option_counts option_pct facility_7d_pct
			facility_30d_pct facility_last_run_pct attempts_last_run_n focus_lost_n evaluations_count health_status confidence_level top_reasons flags
			attention_rank drift percentiles_stale percentiles_at revision last_computed_at`), labels("recent_runs"))},
	{Name: "report_question_keys", Domain: Reports, Holds: "counts", Row: Keep,
		Columns: none(`org_unit_id question_version_id remediation_id rule evaluation_version_id option_ids part_values submissions_n applied_number applied_at`)},
	{Name: "report_question_options", Domain: Reports, Holds: "counts", Row: Keep,
		Columns: none("org_unit_id question_version_id option_id position is_correct")},
	{Name: "report_question_parts", Domain: Reports, Holds: "counts", Row: Keep,
		Columns: none("org_unit_id question_version_id part_id position right_values")},
	{Name: "report_question_sections", Domain: Reports, Holds: "counts", Row: Keep,
		Columns: none("org_unit_id evaluation_version_id question_version_id section_id position contributes")},
	{Name: "report_question_tags", Domain: Reports, Holds: "counts", Row: Keep,
		Columns: none("org_unit_id tag question_version_id evaluation_version_id")},
	{Name: "report_question_times", Domain: Reports, Holds: "counts", Row: Keep,
		Columns: columns(none("org_unit_id question_version_id evaluation_version_id day step_ms n"), labels("run_label"))},
	{Name: "report_session_starts", Domain: Reports, Holds: "that a session was started", Subject: byUser, Row: Keep,
		Columns: columns(pseudonyms("user_id"), none(`org_unit_id session_id evaluation_id evaluation_version_id started_at state assignment_id group_id is_invited is_completed is_voided
			attempt_at`), labels("run_label"))},
	{Name: "report_skill_cells", Domain: Reports, Holds: "counts", Row: Keep,
		Columns: none("org_unit_id skill_id group_id people_n value_sum level_counts is_shown")},
	{Name: "report_skill_facts", Domain: Skills, Holds: "what an answer says about a skill", Subject: ofSubmission("submission_id"), Row: Keep,
		Columns: columns(pseudonyms("user_id"), none("org_unit_id submission_id submission_item_id rule_id skill_id question_version_id completed_at value weight term_id"))},
	{Name: "report_skill_matched", Domain: Reports, Holds: "that an evaluation version was held against rules", Row: Keep,
		Columns: none("org_unit_id evaluation_version_id")},
	{Name: "report_skill_matches", Domain: Reports, Holds: "that a rule matches a question", Row: Keep,
		Columns: none("org_unit_id evaluation_version_id question_version_id rule_id skill_id weight term_id")},
	{Name: "report_skill_rollups", Domain: Skills, Holds: "what a person can do", Subject: byUser, Row: Keep,
		Columns: columns(pseudonyms("user_id"), none(`org_unit_id skill_id value facts_n submissions_n trend first_at last_at strategy earned weight best
			newest_submission_id newest_earned newest_weight`))},
	{Name: "report_skill_stale", Domain: Reports, Holds: "that counts have to be derived anew", Row: Keep,
		Columns: none("org_unit_id skill_id revision marked_at")},
	{Name: "report_skill_submissions", Domain: Reports, Holds: "what a submission says about a skill", Subject: byUser, Row: Keep,
		Columns: columns(pseudonyms("user_id"), none("org_unit_id skill_id completed_at submission_id facts_n earned weight"))},
	{Name: "report_skill_targets", Domain: Reports, Holds: "which rules the figures of a skill follow", Row: Keep,
		Columns: none("skill_id set_id version_id strategy half_life_days applied_at")},
	{Name: "report_submissions", Domain: Reports, Holds: "a submission in figures", Subject: byUser, Row: Keep,
		Columns: columns(pseudonyms("user_id"), none(`org_unit_id submission_id evaluation_id evaluation_version_id started_at completed_at completion_method outcome_code is_scored score
			max_score score_pct score_tenth duration_ms assignment_id group_id telemetry_known focus_lost_n fullscreen_exit_n`), labels("run_label"))},
	{Name: "submission_telemetry_summary", Domain: Telemetry, Holds: "counts of what the exam window reported", Subject: ofSubmission("submission_id"), Row: Keep,
		Columns: none(`org_unit_id submission_id events_n focus_lost_n fullscreen_exit_n copy_n paste_n network_lost_n heartbeat_n last_activity_at`)},
}
