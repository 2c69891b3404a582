-- The copies of a library are found by library and org unit, whatever PostgreSQL knows of the table. The key had the org unit
-- first, and an index held the library alone. To an org unit that is new both seem to lead to one row, and the check of the
-- foreign key of each copied version read all copies of the library.
alter table library_copied_versions drop constraint library_copied_versions_tenant_id_org_unit_id_library_id_k_fkey;
alter table library_copies drop constraint library_copies_pkey;
drop index library_copies_by_library;
alter table library_copies add primary key (tenant_id, library_id, org_unit_id, kind, source_id);
alter table library_copied_versions add foreign key (tenant_id, library_id, org_unit_id, kind, source_id)
    references library_copies (tenant_id, library_id, org_unit_id, kind, source_id) on delete cascade;
