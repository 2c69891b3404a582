-- That the texts of a submission were erased, so nobody marks them. It is no part of what erasing is due for: erased_at tells what a
-- sweep has done, and a person may be forgotten before.
alter table submissions add column texts_erased boolean not null default false;
drop index submissions_waiting;
create index submissions_waiting on submissions (tenant_id, evaluation_id, completed_at, id)
    include (org_unit_id, user_id, evaluation_version_id, pending, approval_status, outcome_code, run_label, assignment_id, texts_erased)
    where status = 'completed' and (pending or approval_status = 'pending_review');
