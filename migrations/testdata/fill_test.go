// Package testdata wrote filled.sql.gz and frozen.txt, once, when 0001 to 0008 were frozen. Later
// code may not be able to write to that schema, so this is here to tell how they were made:
//
//	go test ./migrations/testdata
package testdata

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/migrations"
	"assess/pkg/author/authoring"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/evidence"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
	"assess/pkg/report/projection"
)

func TestFill(t *testing.T) {
	urls := dbtest.Fresh(t)
	super, err := pgx.Connect(t.Context(), urls.Super)
	if err != nil {
		t.Fatal(err)
	}
	defer super.Close(t.Context()) //nolint:errcheck // nothing hangs on it
	take(t, dbtest.Open(t, db.Options{URL: urls.App}))
	if _, err := super.Exec(t.Context(), restSQL); err != nil {
		t.Fatal(err)
	}
	write(t, super)
	var lines bytes.Buffer
	for _, m := range migrations.All() {
		fmt.Fprintln(&lines, m.Name, m.Hash)
	}
	if err := os.WriteFile("frozen.txt", lines.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// take has one person take an exam, and reports made of it.
func take(t *testing.T, store *db.Store) {
	scope := sample.Tenant(t, store)
	var exam authoring.Snapshot
	user := scope
	sample.Write(t, store, scope, func(tx *db.Tx) error {
		user = sample.As(scope, sample.User(t, tx, "candidate").ID, "sessions.take", "scope.all")
		sample.Term(t, tx, "topic", "one")
		sample.Term(t, tx, "topic", "two")
		question := sample.Question(t, tx, "A")
		sample.Passage(t, tx, sample.Question(t, tx, "B").ID)
		sample.Evaluation(t, tx, question.ID)
		exam = sample.Published(t, tx, authoring.Settings{}, sample.Choice("A"), sample.Choice("B"))
		return nil
	})
	desk := session.NewDesk()
	var taken session.SubmitResult
	sample.Write(t, store, user, func(tx *db.Tx) error {
		taken = sample.Submission(t, tx, desk, exam, `{"optionIds":["A"]}`, `{"optionIds":["A"]}`)
		return nil
	})
	sample.Write(t, store, scope, func(tx *db.Tx) error {
		found := sample.Finding(t, tx, taken.SubmissionID)
		sample.Case(t, tx, evidence.Claims, taken.SubmissionID, found.ID)
		return nil
	})
	sample.Write(t, store, db.System(scope.Tenant, "fill"), func(tx *db.Tx) error {
		_, err := projection.ProjectBatch(t.Context(), tx, 100)
		return err
	})
}

// restSQL gives each table that is still empty one row that obeys its constraints: its foreign keys
// name rows that are there, its words are the first that its checks allow.
const restSQL = `
insert into assets (tenant_id, id, org_unit_id, name, name_key, media_type, current_id, created_at, updated_at)
	select tenant_id, gen_random_uuid(), id, 'a.png', 'a.png', 'image/png', gen_random_uuid(), now(), now() from org_units limit 1;
insert into media_blobs select tenant_id, repeat('0', 64), now() from assets;
insert into asset_versions (tenant_id, id, org_unit_id, asset_id, number, media_type, size_bytes, sha256, created_at)
	select tenant_id, current_id, org_unit_id, id, 1, 'image/png', 1, repeat('0', 64), now() from assets;
do $$
declare
	t record; a record; f record;
	value text; parent jsonb; made jsonb; columns text; filled boolean;
	zeros constant text := repeat('0', 64);
	chosen constant jsonb := jsonb_build_object(
		'inventory_views', '{"visibility": "shared"}'::jsonb,
		'item_scores', '{"number": 2}'::jsonb,
		'defensibility_exception_triage', '{"state": "resolved"}'::jsonb,
		'link_principals', '{"report": {}}'::jsonb,
		'compliance_ledger', '{"event_type": "forget.requested"}'::jsonb,
		'trust_keys', jsonb_build_object('public_key', '\x' || zeros),
		'ledger_tiles', jsonb_build_object('hashes', '\x' || zeros),
		'ledger_checkpoints', jsonb_build_object('root', '\x' || zeros),
		'ledger_batches', jsonb_build_object('leaves', '\x' || zeros),
		'library_contents', jsonb_build_object('hash', zeros),
		'library_revisions', jsonb_build_object('manifest_hash', zeros),
		'library_keys', jsonb_build_object('public_key', zeros));
begin
	for t in select oid, relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by oid loop
		execute format('select exists (select from %I)', t.relname) into filled;
		continue when filled;
		made := jsonb_build_object('tenant_id', (select id from tenants), 'org_unit_id', (select id from org_units));
		for a in select attname, attnum, format_type(atttypid, null) as type from pg_attribute
				where attrelid = t.oid and attnum > 0 and not attisdropped and attnotnull and not atthasdef and not made ? attname loop
			select substring(pg_get_constraintdef(oid) from $r$'([^']*)'::text$r$) into value from pg_constraint
				where conrelid = t.oid and contype = 'c' and conkey = array[a.attnum] and pg_get_constraintdef(oid) like '%ANY%';
			made := made || jsonb_build_object(a.attname, case
				when a.attname = 'sha256' then to_jsonb(repeat('0', 64))
				when a.type = 'uuid' then to_jsonb(gen_random_uuid())
				when a.type = 'uuid[]' then jsonb_build_array(gen_random_uuid())
				when a.type like '%[]' then '[]'
				when a.type = 'text' then to_jsonb(coalesce(value, 'x'))
				when a.type = 'boolean' then 'false'
				when a.type = 'jsonb' then '{}'
				when a.type = 'bytea' then to_jsonb('\x' || repeat('00', 60))
				when a.type = 'date' or a.type like 'timestamp%' then to_jsonb(now()::text)
				when a.type = 'tsvector' then to_jsonb('x'::text)
				else '1' end);
		end loop;
		for f in select k.confrelid::regclass as parent, k.conkey, k.confkey,
				row_number() over (partition by k.confrelid order by k.oid) - 1 as nth from pg_constraint k
				where k.conrelid = t.oid and k.contype = 'f'
				and not exists (select from pg_attribute n where n.attrelid = t.oid and n.attnum = any(k.conkey) and not n.attnotnull) loop
			execute format('select to_jsonb(p) from %s p offset %s limit 1', f.parent, f.nth) into parent;
			for i in 1 .. cardinality(f.conkey) loop
				made := made || jsonb_build_object(
					(select attname from pg_attribute where attrelid = t.oid and attnum = f.conkey[i]),
					parent -> (select attname::text from pg_attribute where attrelid = f.parent and attnum = f.confkey[i]));
			end loop;
		end loop;
		made := made || coalesce(chosen -> t.relname::text, '{}');
		select string_agg(quote_ident(attname), ', ') into columns from pg_attribute
			where attrelid = t.oid and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = '' and made ? attname;
		begin
			execute format('insert into %I (%s) select %2$s from jsonb_populate_record(null::%1$I, $1)', t.relname, columns) using made;
		exception when others then
			raise exception '%: %: %', t.relname, sqlerrm, made;
		end;
	end loop;
end $$`

// write leaves out rows that the migrations fill themselves.
func write(t *testing.T, super *pgx.Conn) {
	found, err := super.Query(t.Context(), `
		select format('%I (%s)', relname, (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
			where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = ''))
		from pg_class c where relnamespace = 'public'::regnamespace and relkind = 'r'
		and relname not in ('applied_migrations', 'capabilities') order by oid`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(found, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	zip, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	for _, table := range tables {
		fmt.Fprintf(zip, "copy %s from stdin\n", table)
		if _, err := super.PgConn().CopyTo(t.Context(), zip, "copy "+table+" to stdout"); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(zip, `\.`)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("filled.sql.gz", out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
