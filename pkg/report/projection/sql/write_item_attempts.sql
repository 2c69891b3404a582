-- Writes the item attempts of the submissions $2, and gives the questions among them. A pattern's hash
-- is that of scoring.PatternHash: the first 16 hex digits of the SHA-256 of the sorted option ids
-- joined by '+', or of an order that of its sequence.
with {{item_attempts}}, flat as (
	insert into report_item_attempts_flat
	select u.tenant_id, org_unit_id, submission_id, submission_item_id, user_id, completed_at, evaluation_id,
		evaluation_version_id, run_label, question_version_id, qtype, is_correct, score_awarded, max_score,
		score_status, score_method, invalid_code, selected_option, choice_ids, is_omitted, omit_reason,
		time_on_item_ms, focus_lost, structured_tags
	from fresh r {{of its unit}} returning true
), choice as (
	insert into report_item_attempt_choice
	select u.tenant_id, org_unit_id, submission_id, submission_item_id, question_version_id, completed_at,
		coalesce(choice_ids, '{}'),
		case when qtype in ({{types of patterns}}) and not is_omitted
			then substr(encode(sha256(convert_to(array_to_string(choice_ids, '+'), 'UTF8')), 'hex'), 1, 16) end,
		score_status = 'SCORED' and score_awarded >= max_score,
		score_status = 'SCORED' and score_awarded > 0 and score_awarded < max_score,
		correct_selected, incorrect_selected, total_correct,
		case when score_status = 'INVALID' then invalid_code end
	from fresh r {{of its unit}} where qtype in ({{types of any options}}) returning true
)
select distinct org_unit_id, question_version_id, qtype from fresh
