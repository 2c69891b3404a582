-- Lists of submissions are narrowed by the version, too: what they filter by stands in their indexes.
drop index submissions_by_evaluation;
create index submissions_by_evaluation on submissions (tenant_id, evaluation_id, completed_at desc, id)
    include (org_unit_id, evaluation_version_id, status, outcome_code, approval_status, run_label, assignment_id);
drop index submissions_waiting;
create index submissions_waiting on submissions (tenant_id, evaluation_id, completed_at, id)
    include (org_unit_id, user_id, evaluation_version_id, pending, approval_status, outcome_code, run_label, assignment_id)
    where status = 'completed' and (pending or approval_status = 'pending_review');
