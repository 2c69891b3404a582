-- Keys that sign are a chain: each names the key before it, which has signed it. A tenant has one first key, so that
-- nobody puts another chain beside it. Keys of before that were not signed stay, outside the chain.
alter table trust_keys add column signed_by uuid, add column signature bytea;
create policy begin on trust_keys for all to current_user using (true) with check (true);
update trust_keys k set signed_by = (select f.id from trust_keys f where f.tenant_id = k.tenant_id order by f.created_at, f.id limit 1)
where k.id <> (select f.id from trust_keys f where f.tenant_id = k.tenant_id order by f.created_at, f.id limit 1);
drop policy begin on trust_keys;
alter table trust_keys add foreign key (tenant_id, signed_by) references trust_keys (tenant_id, id);
create unique index trust_keys_first on trust_keys (tenant_id) where signed_by is null;
create index trust_keys_signed_by on trust_keys (tenant_id, signed_by);
