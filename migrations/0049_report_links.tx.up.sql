-- A link leads to one submission, or to one report with its filters: report is which. It shows what whoever made it
-- may still read.
alter table link_principals
    alter submission_id drop not null,
    add report jsonb,
    add check ((submission_id is null) <> (report is null));
create index link_principals_reports on link_principals (tenant_id, org_unit_id, id desc) where report is not null;
