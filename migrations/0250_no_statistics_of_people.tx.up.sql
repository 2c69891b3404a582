-- ANALYZE keeps the commonest values of a column in pg_statistic, where no job erases them and no vacuum of the table
-- reaches them. So it takes no samples of columns that forgetting erases, nor of what indexes compute of them.
alter index inventory_views_personal alter column 5 set statistics 0;
alter index inventory_views_shared alter column 4 set statistics 0;
alter index users_words alter column 1 set statistics 0;
alter table assignment_overrides alter column reason set statistics 0;
alter table evidence alter column void_reason set statistics 0;
alter table findings alter column detail set statistics 0;
alter table former_addresses alter column email set statistics 0;
alter table inventory_views alter column name set statistics 0;
alter table item_marks alter column comment set statistics 0;
alter table remediations alter column reason set statistics 0;
alter table session_actions alter column reason set statistics 0;
alter table session_answers alter column response set statistics 0;
alter table submission_cases alter column comment set statistics 0;
alter table submission_cases alter column statement set statistics 0;
alter table submission_decisions alter column comment set statistics 0;
alter table submission_items alter column response set statistics 0;
alter table users alter column email set statistics 0;
alter table users alter column email_key set statistics 0;
alter table users alter column metadata set statistics 0;
alter table users alter column name set statistics 0;
alter table verifications alter column fields set statistics 0;
