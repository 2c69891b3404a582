-- Lists of compliance jobs and holds find few rows among many: jobs by their state, those that are open or came to their end
-- late, holds of one submission.
create index compliance_jobs_by_status on compliance_jobs (tenant_id, status, created_at desc, id);
create index compliance_jobs_late on compliance_jobs (tenant_id, (completed_at is null or completed_at > sla_due_at), created_at desc, id);
create index holds_by_submission on holds (tenant_id, submission_id) where submission_id is not null;
