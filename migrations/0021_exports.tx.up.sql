-- What somebody stated when they acted on others is theirs too: a data export finds it by its author.
create index verifications_by_author on verifications (tenant_id, actor);
