package reporting

import (
	"archive/zip"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// ExportVersion names the layout of the question health archive.
const ExportVersion = "question_health/v2"

// Manifest is the manifest.json of an export.
type Manifest struct {
	ExportVersion string          `json:"exportVersion"`
	Filters       ManifestFilters `json:"filters"`
	Files         []ManifestFile  `json:"files"`
	projection.Freshness
}

// ManifestFilters echoes the filters of an export.
type ManifestFilters struct {
	Tags                []string   `json:"tags,omitempty"`
	From                *time.Time `json:"from,omitempty"`
	To                  *time.Time `json:"to,omitempty"`
	EvaluationVersionID *ids.ID    `json:"evaluationVersionId,omitempty"`
	RunLabel            *string    `json:"run_label,omitempty"`
}

// ManifestFile is one CSV file of the archive; rows do not count its heading.
type ManifestFile struct {
	Name string `json:"name"`
	Rows int    `json:"rows"`
}

// exportSize is how many questions an export holds in memory.
const exportSize = 200

// ExportHealth writes the health of all questions that the filter chooses as a ZIP archive, in the
// order of their ids, and gives their number; sort and page of the filter do not matter. It needs
// reporting.view. validation_failed for a period that ends before it begins.
//
// The archive is written while the questions are read, a few hundred at a time. What belongs into
// later files waits in temporary ones, so that memory does not grow with the questions. The same
// data give the same bytes, except for asOf and projectionLagMs in the manifest.
func ExportHealth(ctx context.Context, tx *db.Tx, f HealthFilter, to io.Writer) (int, error) {
	err := tx.Require(capability.ReportingView)
	if err != nil {
		return 0, err
	}
	err = f.Check()
	if err != nil {
		return 0, err
	}
	fresh, err := projection.Fresh(ctx, tx)
	if err != nil {
		return 0, err
	}
	archive := zip.NewWriter(to)
	files, err := openTables(archive)
	if err != nil {
		return 0, err
	}
	defer files.close()
	err = f.eachPiece(ctx, tx, files.add)
	if err != nil {
		return 0, err
	}
	listed, err := files.into(archive)
	if err != nil {
		return 0, fmt.Errorf("write archive: %w", err)
	}
	manifest := Manifest{ExportVersion: ExportVersion, Filters: f.echo(), Files: listed, Freshness: fresh}
	return listed[0].Rows, cmp.Or(writeManifest(archive, manifest), archive.Close())
}

func (f HealthFilter) echo() ManifestFilters {
	e := ManifestFilters{Tags: f.Tags, From: f.From, To: f.To, RunLabel: f.RunLabel}
	if f.EvaluationVersionID != ids.None {
		e.EvaluationVersionID = &f.EvaluationVersionID
	}
	return e
}

func writeManifest(archive *zip.Writer, m Manifest) error {
	entry, err := createEntry(archive, "manifest.json")
	if err != nil {
		return err
	}
	encoded, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	_, err = entry.Write(append(encoded, '\n'))
	return err
}

// exported is one question with its choice counts.
type exported struct {
	models.QuestionHealth
	choices
}

// eachPiece reads the questions piece by piece in the order of their ids.
func (f HealthFilter) eachPiece(ctx context.Context, tx *db.Tx, use func([]exported) error) error {
	orgs, err := projection.OrgUnits(ctx, tx)
	if err != nil {
		return err
	}
	ready, err := f.fromRollup(ctx, tx, orgs)
	if err != nil {
		return err
	}
	last, done := ids.None, 0
	for {
		stored, err := rollupPiece(ctx, tx, orgs, last)
		if err != nil || len(stored) == 0 {
			return err
		}
		last = stored[len(stored)-1].QuestionVersionID
		read := f.measuredPiece
		if ready {
			read = storedPiece
		}
		piece, err := read(ctx, tx, orgs, stored)
		if err != nil {
			return err
		}
		err = use(piece)
		if err != nil {
			return fmt.Errorf("write archive: %w", err)
		}
		done += len(piece)
		if f.Progress != nil {
			f.Progress(done)
		}
	}
}

// rollupPiece gives the next questions behind an id, whatever the filter: no other question has
// attempts. A question of several org units comes once for each of them, in one piece.
func rollupPiece(ctx context.Context, tx *db.Tx, orgs []ids.ID, after ids.ID) ([]models.QuestionHealth, error) {
	var rows []models.QuestionHealth
	err := tx.NewRaw(`
		select h.* from report_question_health_rollup h
		where h.tenant_id = ?0 and h.org_unit_id = any(?1::uuid[]) and h.question_version_id in (
			select distinct question_version_id from report_question_health_rollup
			where tenant_id = ?0 and org_unit_id = any(?1::uuid[]) and question_version_id > ?2
			order by question_version_id limit ?3)
		order by h.question_version_id, h.org_unit_id`,
		tx.Tenant(), pgdialect.Array(orgs), after, exportSize).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("read questions: %w", err)
	}
	return rows, nil
}

func storedPiece(ctx context.Context, tx *db.Tx, orgs []ids.ID, stored []models.QuestionHealth) ([]exported, error) {
	of := projection.Filter{Questions: questionsOf(stored)}
	keys, err := projection.Keys(ctx, tx, orgs, of.Questions)
	if err != nil {
		return nil, err
	}
	chosen, err := readChoices(ctx, tx, orgs, of, keys)
	if err != nil {
		return nil, err
	}
	var all []exported
	for _, h := range stored {
		all = append(all, exported{h, chosen[h.QuestionVersionID]})
	}
	return all, nil
}

func (f HealthFilter) measuredPiece(ctx context.Context, tx *db.Tx, orgs []ids.ID, stored []models.QuestionHealth) ([]exported, error) {
	narrow := f.projected()
	narrow.Questions = questionsOf(stored)
	measured, err := projection.Measure(ctx, tx, narrow, projection.ForExport)
	if err != nil {
		return nil, err
	}
	keys := map[ids.ID]projection.Key{}
	for _, m := range measured {
		keys[m.Health.QuestionVersionID] = m.Key
	}
	chosen, err := readChoices(ctx, tx, orgs, narrow, keys)
	if err != nil {
		return nil, err
	}
	var all []exported
	for _, m := range measured {
		all = append(all, exported{m.Health, chosen[m.Health.QuestionVersionID]})
	}
	return all, nil
}

func questionsOf(rows []models.QuestionHealth) []ids.ID {
	var all []ids.ID
	for _, h := range rows {
		all = append(all, h.QuestionVersionID)
	}
	return all
}
