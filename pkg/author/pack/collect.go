package pack

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
	"assess/pkg/kernel/search"
)

// piece is the number of records that are in memory at once.
const piece = 500

// sourceQuestion is a question version that goes into a pack, without its content.
type sourceQuestion struct {
	id, question ids.ID
	number       int
	externalID   string
	terms        []ids.ID
	passage      *ids.ID
	// place is the place among the questions of its passage.
	place int
}

func findQuestions(ctx context.Context, tx *db.Tx, versions []ids.ID) ([]sourceQuestion, error) {
	rows, err := tx.Query(ctx, `
		select v.id, v.question_id, v.number, coalesce(q.external_id, ''), v.term_ids, v.passage_version_id,
			case when v.passage_version_id is null then 0 else coalesce(l.position, 0) end
		from question_versions v join questions q on q.tenant_id = v.tenant_id and q.id = v.question_id
		left join passage_questions l on l.tenant_id = v.tenant_id and l.question_id = v.question_id
		where v.tenant_id = $1 and v.id = any($2) order by v.id`, tx.Tenant(), versions)
	if err != nil {
		return nil, fmt.Errorf("find questions: %w", err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (sourceQuestion, error) {
		var q sourceQuestion
		return q, row.Scan(&q.id, &q.question, &q.number, &q.externalID, &q.terms, &q.passage, &q.place)
	})
	if err == nil && len(found) < len(versions) {
		err = errs.New(errs.NotFound, "A question of the library is not in your scope.")
	}
	if err != nil {
		return nil, fmt.Errorf("find questions: %w", err)
	}
	return found, nil
}

// questions adds a line for each question, and its content.
func (c *collection) questions(ctx context.Context, all []sourceQuestion) error {
	for some := range slices.Chunk(all, piece) {
		wanted := make([]ids.ID, len(some))
		for i, q := range some {
			wanted[i] = q.id
		}
		rows, err := c.tx.Query(ctx, "select id, qtype, body, pins from question_versions where tenant_id = $1 and id = any($2) order by id", c.tx.Tenant(), wanted)
		if err != nil {
			return fmt.Errorf("read questions: %w", err)
		}
		type read struct {
			ID    ids.ID
			QType string
			Body  json.RawMessage
			Pins  models.Pins
		}
		bodies, err := pgx.CollectRows(rows, pgx.RowToStructByPos[read])
		if err != nil {
			return fmt.Errorf("read questions: %w", err)
		}
		var contents []stored
		for i, b := range bodies {
			body, files, err := c.portable(b.Body, b.Pins)
			if err != nil {
				return err
			}
			line := questionLine{QuestionID: some[i].question, QuestionVersionID: b.ID, Number: some[i].number, ExternalID: some[i].externalID,
				QType: scoring.QType(b.QType), Terms: c.named(some[i].terms), PassageVersionID: some[i].passage, Place: some[i].place, Assets: files}
			one, found, err := line.read(body)
			if err != nil {
				return err
			}
			for _, f := range found {
				c.problem(fmt.Sprintf("questions.%s.%s", b.ID, f.Path), f.Code, f.Message)
			}
			if len(found) > 0 {
				continue
			}
			contents = append(contents, one)
			e, err := newEntry(kindQuestion, b.ID.String(), line)
			err = c.add(e.of(line.QuestionID, line.Number, line.ContentHash), err)
			if err != nil {
				return err
			}
		}
		err = storeContents(ctx, c.tx, contents)
		if err != nil {
			return err
		}
	}
	return nil
}

// read checks a body, fills in the fields of the line that come from it, and gives it in the
// form in which it is stored.
func (l *questionLine) read(body json.RawMessage) (stored, []errs.Field, error) {
	read, found, err := authoring.ReadQuestion(l.QType, body)
	if err != nil || len(found) > 0 {
		return stored{}, found, err
	}
	var said authoring.QuestionBody
	err = json.Unmarshal(read.Body, &said)
	if err != nil {
		return stored{}, nil, fmt.Errorf("read question: %w", err)
	}
	l.ContentHash, l.Scoring, l.Weight, l.ContributesToScore = read.ContentHash, said.Scoring, said.Weight, said.ContributesToScore
	return storedBody(read), nil, nil
}

func (c *collection) passages(ctx context.Context, versions []ids.ID) error {
	for some := range slices.Chunk(versions, piece) {
		rows, err := c.tx.Query(ctx, `
			select v.id, v.passage_id, v.number, coalesce(p.external_id, ''), v.title, v.body, v.pins
			from passage_versions v join passages p on p.tenant_id = v.tenant_id and p.id = v.passage_id
			where v.tenant_id = $1 and v.id = any($2) order by v.id`, c.tx.Tenant(), some)
		if err != nil {
			return fmt.Errorf("read passages: %w", err)
		}
		type read struct {
			ID, Passage       ids.ID
			Number            int
			ExternalID, Title string
			Body              json.RawMessage
			Pins              models.Pins
		}
		found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[read])
		if err != nil {
			return fmt.Errorf("read passages: %w", err)
		}
		var contents []stored
		for _, p := range found {
			body, files, err := c.portable(p.Body, p.Pins)
			if err != nil {
				return err
			}
			said, wrong, err := authoring.ReadPassage(p.Title, body)
			if err != nil {
				return err
			}
			for _, f := range wrong {
				c.problem(fmt.Sprintf("passages.%s.%s", p.ID, f.Path), f.Code, f.Message)
			}
			if len(wrong) > 0 {
				continue
			}
			contents = append(contents, storedBody(said))
			e, err := newEntry(kindPassage, p.ID.String(), passageLine{PassageID: p.Passage, PassageVersionID: p.ID, Number: p.Number,
				ExternalID: p.ExternalID, Title: p.Title, ContentHash: said.ContentHash, Assets: files})
			err = c.add(e.of(p.Passage, p.Number, said.ContentHash), err)
			if err != nil {
				return err
			}
		}
		err = storeContents(ctx, c.tx, contents)
		if err != nil {
			return err
		}
	}
	return nil
}

// portable gives a body whose images have the ids of their files, and these files.
func (c *collection) portable(body json.RawMessage, pins models.Pins) (json.RawMessage, []string, error) {
	if len(pins.AssetVersions) == 0 {
		return body, nil, nil
	}
	others := map[ids.ID]ids.ID{}
	var files []string
	for asset, version := range pins.AssetVersions {
		sha256, known := c.assets[version]
		if !known {
			return nil, nil, errs.New(errs.NotFound, "An image of the library is not in your scope.")
		}
		id, err := assetID(sha256)
		if err != nil {
			return nil, nil, err
		}
		others[asset] = id
		files = append(files, sha256)
	}
	slices.Sort(files)
	renamed, err := withAssets(body, others)
	return renamed, slices.Compact(files), err
}

// findAssets names the files that versions of questions and passages pinned, and keeps them.
func (c *collection) findAssets(ctx context.Context, questions, passages []ids.ID) error {
	rows, err := c.tx.Query(ctx, `
		with pinned as materialized (
			select (p.value #>> '{}')::uuid as version from question_versions v, jsonb_each(v.pins -> 'assetVersions') p
			where v.tenant_id = $1 and v.id = any($2)
			union
			select (p.value #>> '{}')::uuid from passage_versions v, jsonb_each(v.pins -> 'assetVersions') p
			where v.tenant_id = $1 and v.id = any($3)
		)
		select v.id, v.sha256, a.name, v.media_type, v.size_bytes, v.width, v.height
		from pinned p
		cross join lateral (select * from asset_versions where tenant_id = $1 and id = p.version offset 0) v
		cross join lateral (select name from assets where tenant_id = $1 and id = v.asset_id offset 0) a order by v.sha256, v.id`, c.tx.Tenant(), questions, passages)
	if err != nil {
		return fmt.Errorf("find images: %w", err)
	}
	c.assets = map[ids.ID]string{}
	var files []assetLine
	var version ids.ID
	var a assetLine
	_, err = pgx.ForEachRow(rows, []any{&version, &a.SHA256, &a.Name, &a.MediaType, &a.SizeBytes, &a.Width, &a.Height}, func() error {
		c.assets[version] = a.SHA256
		if len(files) == 0 || files[len(files)-1].SHA256 != a.SHA256 {
			files = append(files, a)
		}
		a = assetLine{}
		return nil
	})
	if err != nil {
		return fmt.Errorf("find images: %w", err)
	}
	for _, f := range files {
		err = c.add(newEntry(kindAsset, f.SHA256, f))
		if err != nil {
			return err
		}
	}
	return storeFiles(ctx, c.tx, files)
}

// nameTerms gives the terms their names, and adds a line for each term and for the terms above it.
func (c *collection) nameTerms(ctx context.Context) error {
	rows, err := c.tx.Query(ctx, `
		with recursive named as (
			select id, coalesce(merged_into, id) as now from terms where tenant_id = $1 and id = any($2)
		), above as (
			select now as id from named
			union
			select r.parent_id from above a
			cross join lateral (select parent_id from term_relations where tenant_id = $1 and term_id = a.id offset 0) r
		)
		select n.id, t.id, f.slug, f.label, f.domain, t.slug, t.label, coalesce(p.slug, '')
		from (select id, now from named union select id, id from above) n
		cross join lateral (select * from terms where tenant_id = $1 and id = n.now offset 0) t
		cross join lateral (select * from facets where tenant_id = $1 and id = t.facet_id offset 0) f
		left join lateral (select parent_id from term_relations where tenant_id = $1 and term_id = t.id offset 0) r on true
		left join lateral (select slug from terms where tenant_id = $1 and id = r.parent_id offset 0) p on true
		order by f.slug, t.slug`, c.tx.Tenant(), inOrder(c.terms))
	if err != nil {
		return fmt.Errorf("name terms: %w", err)
	}
	c.names = map[ids.ID]string{}
	lines := map[string]termLine{}
	var asked, now ids.ID
	var domain string
	var t termLine
	_, err = pgx.ForEachRow(rows, []any{&asked, &now, &t.Facet, &t.FacetLabel, &domain, &t.Slug, &t.Label, &t.Parent}, func() error {
		c.names[asked], c.names[now] = t.ref(), t.ref()
		lines[t.ref()] = t
		return nil
	})
	if err != nil {
		return fmt.Errorf("name terms: %w", err)
	}
	for ref, line := range lines {
		err = c.add(newEntry(kindTerm, ref, line))
		if err != nil {
			return err
		}
	}
	return nil
}

// stored is content that is about to be stored.
type stored struct{ hash, body, extracts, words string }

func storedBody(b authoring.Body) stored {
	return stored{b.ContentHash, string(b.Body), string(b.Extracts), search.Words(b.Texts...)}
}

// storeContents stores the contents that are not stored yet.
func storeContents(ctx context.Context, tx *db.Tx, all []stored) error {
	var hashes, bodies, extracts, words []string
	for _, s := range all {
		hashes, bodies = append(hashes, s.hash), append(bodies, s.body)
		extracts, words = append(extracts, s.extracts), append(words, s.words)
	}
	_, err := tx.Exec(ctx, `
		insert into library_contents (tenant_id, hash, body, extracts, words, created_at)
		select distinct on (n.hash) $1::uuid, n.hash, n.body::jsonb, n.extracts::jsonb, n.words::tsvector, $2::timestamptz
		from unnest($3::text[], $4::text[], $5::text[], $6::text[]) as n (hash, body, extracts, words)
		order by n.hash
		on conflict (tenant_id, hash) do nothing`, tx.Tenant(), tx.Now(), hashes, bodies, extracts, words)
	if err != nil {
		return fmt.Errorf("store contents: %w", err)
	}
	return nil
}

// storeFiles names the files that revisions show, so that they stay.
func storeFiles(ctx context.Context, tx *db.Tx, files []assetLine) error {
	for _, f := range files {
		_, err := tx.Exec(ctx, `
			insert into library_files (tenant_id, sha256, name, media_type, size_bytes, width, height) values ($1, $2, $3, $4, $5, $6, $7)
			on conflict (tenant_id, sha256) do nothing`, tx.Tenant(), f.SHA256, f.Name, f.MediaType, f.SizeBytes, f.Width, f.Height)
		if err != nil {
			return fmt.Errorf("keep files: %w", err)
		}
	}
	return nil
}
