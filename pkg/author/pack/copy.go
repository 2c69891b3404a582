package pack

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/content"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/search"
)

// source is a version of a question or passage in the pack, with the org unit's copy.
type source struct {
	version, record ids.ID
	number          int
	hash            string
	// copy is the org unit's record; isCopied says that it has this version.
	copy     *ids.ID
	isCopied bool
}

// sourcesSQL reads a piece of the versions of a kind with their lines.
const sourcesSQL = `
	select ref::uuid, source_id, number, content_hash, line from library_entries
	where tenant_id = $1 and revision_id = $2 and kind = $3 and position >= $4 and position < $5 order by position`

// sources reads a piece, with the org unit's copies; L is the line of the kind.
func sources[L any](ctx context.Context, i *installer, kind string, from int, has holdings) ([]source, []L, error) {
	rows, err := i.tx.Query(ctx, sourcesSQL, i.tx.Tenant(), i.revision.ID, kind, from, from+piece)
	if err != nil {
		return nil, nil, fmt.Errorf("read %ss of the pack: %w", kind, err)
	}
	var all []source
	var lines []L
	var s source
	var l L
	_, err = pgx.ForEachRow(rows, []any{&s.version, &s.record, &s.number, &s.hash, lineOf(&l)}, func() error {
		if c, there := has.copies[s.record]; there {
			s.copy = ids.Ref(c.record)
		}
		_, s.isCopied = has.versions[s.version]
		all, lines = append(all, s), append(lines, l)
		var none L
		s, l = source{}, none
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read %ss of the pack: %w", kind, err)
	}
	return all, lines, nil
}

// batch is the part of a piece that is written, each field an array of one statement.
type batch struct {
	// versions are copied; heads are records whose published version changes.
	records, versions, sources, sourceVersions []ids.ID
	numbers                                    []int
	hashes, words, pins                        []string
	bodies, newHashes, externalIDs             []*string
	isNew                                      []bool
	picked                                     []int
}

// choose fills a batch with the versions of a piece that the org unit lacks, and notes the records that it then has; it skips
// records that are kept.
func (i *installer) choose(all []source, has holdings) batch {
	var b batch
	made := map[ids.ID]ids.ID{}
	for n, s := range all {
		if s.isCopied || i.kept[s.record] {
			continue
		}
		record, isNew := made[s.record], false
		switch {
		case s.copy != nil:
			record = *s.copy
		case record == ids.None:
			record, isNew = ids.New(), true
			made[s.record] = record
			has.copies[s.record] = copyOf{record, s.version}
		}
		b.records, b.versions = append(b.records, record), append(b.versions, ids.New())
		b.sources, b.sourceVersions = append(b.sources, s.record), append(b.sourceVersions, s.version)
		b.numbers, b.hashes, b.isNew, b.picked = append(b.numbers, s.number), append(b.hashes, s.hash), append(b.isNew, isNew), append(b.picked, n)
	}
	return b
}

// free fills in the external ids that no record of the org unit has; copies whose external id is taken go without. Next to them
// it puts the words that search finds new records by, in addition to their content.
func (i *installer) free(ctx context.Context, kind string, b *batch, wanted []string) error {
	rows, err := i.tx.Query(ctx, fmt.Sprintf(`
		select r.external_id from unnest($3::text[]) w (id)
		cross join lateral (select external_id from %ss where tenant_id = $1 and org_unit_id = $2 and external_id = w.id offset 0) r`, kind),
		i.tx.Tenant(), i.in.OrgUnitID, wanted)
	if err != nil {
		return fmt.Errorf("look for external ids: %w", err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("look for external ids: %w", err)
	}
	taken := map[string]bool{"": true}
	for _, name := range names {
		taken[name] = true
	}
	for n := range wanted {
		if !b.isNew[n] || taken[wanted[n]] {
			b.externalIDs = append(b.externalIDs, nil)
			b.words = append(b.words, i.words(""))
			if b.isNew[n] && wanted[n] != "" {
				i.done.LostExternal++
			}
			continue
		}
		taken[wanted[n]] = true
		b.externalIDs, b.words = append(b.externalIDs, &wanted[n]), append(b.words, i.words(wanted[n]))
	}
	return nil
}

func (i *installer) words(externalID string) string {
	return search.Vector(i.tx.Tenant(), i.in.OrgUnitID, externalID)
}

// write copies the versions of a batch: new records first, then the versions, then the words that search finds them by, and
// which record is a copy of which. columns and values are the ones that a kind adds to records and versions, of the rows n.
func (i *installer) write(ctx context.Context, k copyKind, b batch, own ...any) error {
	if len(b.versions) == 0 {
		return nil
	}
	args := append([]any{i.tx.Tenant(), i.in.OrgUnitID, i.tx.Now(), i.revision.LibraryID, b.records, b.versions, b.sources, b.sourceVersions, b.numbers,
		b.hashes, b.words, b.pins, b.bodies, b.newHashes, b.externalIDs, b.isNew, content.CanonicalScheme, content.HashScheme}, own...)
	for _, sql := range k.statements {
		_, err := i.tx.Exec(ctx, k.rows+sql, args...)
		if err != nil {
			return fmt.Errorf("copy %ss: %w", k.name, err)
		}
	}
	return nil
}

// copyKind has the parts of the statements of a kind.
type copyKind struct {
	name       string
	rows       string
	statements []string
}

// ownColumn is a column that a kind adds: its name, the type in which its values are sent, and the column's
// type if it is a different one.
type ownColumn struct{ name, sent, cast string }

// newCopyKind makes the statements that copy one kind. own are the arrays that the kind adds to the rows, from $19 on.
func newCopyKind(name string, columns []ownColumn, recordColumns, versionColumns []string) copyKind {
	var own, sent, read []string
	for n, c := range columns {
		own, sent = append(own, c.name), append(sent, fmt.Sprintf("$%d::%s[]", 19+n, c.sent))
		read = append(read, "u."+c.name+c.cast+" as "+c.name)
	}
	list := func(prefix string, names []string, suffix string) string {
		var out []string
		for _, n := range names {
			out = append(out, prefix+n+suffix)
		}
		return strings.Join(out, "")
	}
	fill := func(sql string) string {
		return strings.NewReplacer("{{kind}}", name, "{{record columns}}", list(", ", recordColumns, ""), "{{record values}}", list(", n.", recordColumns, ""),
			"{{version columns}}", list(", ", versionColumns, ""), "{{version values}}", list(", n.", versionColumns, "")).Replace(sql)
	}
	// All statements take all parameters, so that one list of arguments serves them; the types say what each is.
	rows := `with n as materialized (
		select u.record, u.version, u.source, u.source_version, u.number, u.hash, u.words, u.pins, u.body, u.new_hash, u.external_id, u.is_new, ` +
		strings.Join(read, ", ") + `,
			$1::uuid as tenant, $2::uuid as org, $3::timestamptz as at, $4::uuid as library, $17::text as canonical, $18::text as scheme
		from unnest($5::uuid[], $6::uuid[], $7::uuid[], $8::uuid[], $9::int[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::bool[]` +
		", " + strings.Join(sent, ", ") + `) as u (record, version, source, source_version, number, hash, words, pins, body, new_hash, external_id, is_new` +
		list(", ", own, "") + `)
	) `
	return copyKind{name, rows, []string{
		fill(`insert into {{kind}}s (tenant_id, id, org_unit_id, external_id, status, published_id, created_at, updated_at{{record columns}})
			select n.tenant, n.record, n.org, n.external_id, 'published', n.version, n.at, n.at{{record values}} from n where n.is_new returning true`),
		fill(`insert into {{kind}}_versions (tenant_id, id, org_unit_id, {{kind}}_id, number, status, body, pins, extracts, content_hash, canonical_scheme, hash_scheme,
				created_at, updated_at, published_at{{version columns}})
			select n.tenant, n.version, n.org, n.record, coalesce(before.number, 0) + row_number() over (partition by n.record order by n.number), 'published',
				coalesce(n.body::jsonb, c.body), n.pins::jsonb, c.extracts, coalesce(n.new_hash, n.hash), n.canonical, n.scheme, n.at, n.at, n.at{{version values}}
			from n cross join lateral (select body, extracts from library_contents where tenant_id = $1 and hash = n.hash offset 0) c
			cross join lateral (select max(number) as number from {{kind}}_versions where tenant_id = $1 and {{kind}}_id = n.record and not n.is_new offset 0) before
			returning true`),
		fill(`insert into {{kind}}_search as s (tenant_id, {{kind}}_id, org_unit_id, document)
			select n.tenant, n.record, n.org, c.words || n.words::tsvector
			from n cross join lateral (select words from library_contents where tenant_id = $1 and hash = n.hash offset 0) c where n.is_new
			returning true`),
		fill(`insert into library_copies (tenant_id, org_unit_id, library_id, kind, source_id, copy_id, head_id)
			select n.tenant, n.org, n.library, '{{kind}}', n.source, n.record, n.source_version from n where n.is_new returning true`),
		fill(`insert into library_copied_versions (tenant_id, org_unit_id, library_id, kind, source_version_id, source_id, version_id)
			select n.tenant, n.org, n.library, '{{kind}}', n.source_version, n.source, n.version from n returning true`),
	}}
}

// moveHeads publishes the newest versions of the pack in records that are not kept, and records which version each
// record is meant to have. It gives the records whose published version changed.
func (i *installer) moveHeads(ctx context.Context, kind string) ([]ids.ID, error) {
	has, err := i.holdings(ctx, kind)
	if err != nil {
		return nil, err
	}
	var sources, heads, records, versions []ids.ID
	var refs []string
	for source, head := range has.heads {
		c, there := has.copies[source]
		if !there || c.head == head {
			continue
		}
		sources, heads = append(sources, source), append(heads, head)
		if version, copied := has.versions[head]; copied && !i.kept[source] {
			records, versions, refs = append(records, c.record), append(versions, version), append(refs, head.String())
		}
	}
	if len(sources) == 0 {
		return nil, nil
	}
	_, err = i.tx.Exec(ctx, `
		update library_copies c set head_id = m.head from unnest($5::uuid[], $6::uuid[]) m (source, head)
		where c.tenant_id = $1 and c.org_unit_id = $2 and c.library_id = $3 and c.kind = $4 and c.source_id = m.source`,
		i.tx.Tenant(), i.in.OrgUnitID, i.revision.LibraryID, kind, sources, heads)
	if err != nil {
		return nil, fmt.Errorf("use new versions of %ss: %w", kind, err)
	}
	rows, err := i.tx.Query(ctx, fmt.Sprintf(`
		update %ss r set published_id = m.version, status = 'published', draft_id = null, updated_at = greatest($2, just_after(r.updated_at))
		from unnest($3::uuid[], $4::uuid[], $5::text[]) m (record, version, ref)
		where r.tenant_id = $1 and r.id = m.record returning r.id, m.ref, coalesce(r.external_id, '')`, kind), i.tx.Tenant(), i.tx.Now(), records, versions, refs)
	if err != nil {
		return nil, fmt.Errorf("use new versions of %ss: %w", kind, err)
	}
	var newest, words []string
	var record ids.ID
	var ref, externalID string
	records = nil
	_, err = pgx.ForEachRow(rows, []any{&record, &ref, &externalID}, func() error {
		records, newest, words = append(records, record), append(newest, ref), append(words, i.words(externalID))
		return nil
	})
	if err == nil && len(records) > 0 {
		err = i.index(ctx, kind, records, newest, words)
	}
	if err != nil {
		return nil, fmt.Errorf("use new versions of %ss: %w", kind, err)
	}
	return records, nil
}

// index makes search find records by the content of their versions of the pack, and by their own words.
func (i *installer) index(ctx context.Context, kind string, records []ids.ID, versions, words []string) error {
	_, err := i.tx.Exec(ctx, fmt.Sprintf(`
		insert into %[1]s_search as s (tenant_id, %[1]s_id, org_unit_id, document)
		select $1, w.record, $3, c.words || w.words::tsvector
		from unnest($4::uuid[], $5::text[], $6::text[]) w (record, version, words)
		cross join lateral (select content_hash from library_entries where tenant_id = $1 and revision_id = $2 and kind = '%[1]s' and ref = w.version offset 0) e
		cross join lateral (select words from library_contents where tenant_id = $1 and hash = e.content_hash offset 0) c
		on conflict (tenant_id, %[1]s_id) do update set document = excluded.document`, kind),
		i.tx.Tenant(), i.revision.ID, i.in.OrgUnitID, records, versions, words)
	return err
}
