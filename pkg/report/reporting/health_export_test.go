package reporting

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// unzip gives the files of an archive as they are, the CSV ones as rows too.
func unzip(t *testing.T, archive []byte) (map[string][]byte, map[string][][]string) {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	raw, rows := map[string][]byte{}, map[string][][]string{}
	for _, f := range r.File {
		content, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		raw[f.Name], err = io.ReadAll(content)
		if err != nil {
			t.Fatal(err)
		}
		if f.Name != "manifest.json" {
			rows[f.Name], err = csv.NewReader(bytes.NewReader(bytes.TrimPrefix(raw[f.Name], []byte("\ufeff")))).ReadAll()
			if err != nil {
				t.Errorf("%s: %v", f.Name, err)
			}
		}
	}
	return raw, rows
}

func (c *cohort) export(t *testing.T, f HealthFilter) []byte {
	t.Helper()
	return report(t, c, c.analyst(c.orgs[0]), func(tx *db.Tx) ([]byte, error) {
		var to bytes.Buffer
		_, err := ExportHealth(t.Context(), tx, f, &to)
		return to.Bytes(), err
	})
}

func TestExportHoldsWhatThePagesShow(t *testing.T) {
	t.Parallel()
	c := newCohort(t, 120)
	archive := c.export(t, HealthFilter{})
	raw, rows := unzip(t, archive)
	var manifest Manifest
	err := json.Unmarshal(raw["manifest.json"], &manifest)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, f := range manifest.Files {
		want = append(want, f.Name)
		if got := len(rows[f.Name]) - 1; got != f.Rows {
			t.Errorf("%s has %d rows, the manifest says %d", f.Name, got, f.Rows)
		}
	}
	// Nobody breaks a constraint here, so that the last file has nothing to say.
	if diff := cmp.Diff([]string{"question_health_core.csv", "question_health_choice_single.csv", "choice_single_option_breakdown.csv",
		"question_health_choice_multi.csv", "choice_multi_option_breakdown.csv", "choice_multi_pattern_breakdown.csv"}, want); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if manifest.ExportVersion != ExportVersion || manifest.AsOf.IsZero() {
		t.Errorf("manifest: %+v", manifest)
	}
	list := report(t, c, c.analyst(c.orgs[0]), func(tx *db.Tx) (HealthList, error) { return ListHealth(t.Context(), tx, HealthFilter{}) })
	for _, item := range list.Items {
		core := lineOf(rows["question_health_core.csv"], item.QuestionVersionID)
		if core["attempts"] != strconv.FormatInt(item.Core.Attempts, 10) || core["facilityPct"] != Figure(item.Core.FacilityPct) ||
			core["omitRate"] != Figure(item.Core.OmitRate) || core["status"] != item.HealthBadge.Status {
			t.Errorf("core of %s: got %v, the list says %+v", item.QuestionVersionID, core, item)
		}
		if top := item.Analysis.ChoiceSingle; top != nil && top.TopOption.OptionID != lineOf(rows["question_health_choice_single.csv"], item.QuestionVersionID)["topOptionId"] {
			t.Errorf("top option of %s differs", item.QuestionVersionID)
		}
	}
	if again := c.export(t, HealthFilter{}); !bytes.Equal(withoutManifest(t, again), withoutManifest(t, archive)) {
		t.Error("the same data give other bytes")
	}
}

// withoutManifest is the part of an archive in front of the manifest, which says when it was made.
func withoutManifest(t *testing.T, archive []byte) []byte {
	t.Helper()
	at := bytes.Index(archive, []byte("manifest.json"))
	if at < 0 {
		t.Fatal("no manifest")
	}
	return archive[:at]
}

// lineOf gives the row of a question by the names of its columns.
func lineOf(rows [][]string, question ids.ID) map[string]string {
	line := map[string]string{}
	for _, row := range rows[1:] {
		if row[0] == question.String() {
			for i, name := range rows[0] {
				line[name] = row[i]
			}
		}
	}
	return line
}

// A filter that takes everything exports what the rollups do, and a narrow one less.
func TestExportIsTheSameWithAndWithoutRollup(t *testing.T) {
	t.Parallel()
	c := newCohort(t, 120)
	_, rollup := unzip(t, c.export(t, HealthFilter{}))
	_, flat := unzip(t, c.export(t, HealthFilter{From: &longAgo}))
	if diff := cmp.Diff(rollup, flat); diff != "" {
		t.Errorf("flat rows differ (-rollup +flat):\n%s", diff)
	}
	raw, tagged := unzip(t, c.export(t, HealthFilter{Tags: []string{"topic:algebra"}}))
	if got := len(tagged["question_health_core.csv"]) - 1; got != 2 || !bytes.Contains(raw["manifest.json"], []byte("topic:algebra")) {
		t.Errorf("%d questions have the tag, want 2; manifest %s", got, raw["manifest.json"])
	}
	raw, _ = unzip(t, c.export(t, HealthFilter{From: &farAway}))
	if len(raw) != 2 || !bytes.Contains(raw["question_health_core.csv"], []byte("questionVersionId,")) {
		t.Errorf("without questions there are %d files", len(raw))
	}
}

// Pieces neither lose nor repeat a question.
func TestExportInPieces(t *testing.T) {
	t.Parallel()
	c := newCohort(t, 1)
	c.write(t, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, `
			insert into report_question_health_rollup (tenant_id, org_unit_id, question_version_id, qtype, attempts_n, last_computed_at)
			select $1, $2, gen_random_uuid(), 'essay', 1, now() from generate_series(1, $3::int) returning true`, c.tenant, c.orgs[0], 2*exportSize)
		return err
	})
	_, rows := unzip(t, c.export(t, HealthFilter{}))
	var questions []string
	for _, row := range rows["question_health_core.csv"][1:] {
		questions = append(questions, row[0])
	}
	if len(questions) != 2*exportSize+4 || !slices.IsSorted(questions) || len(slices.Compact(questions)) != 2*exportSize+4 {
		t.Errorf("got %d questions, sorted %v", len(questions), slices.IsSorted(questions))
	}
}

// A caller who may see both org units gets a shared question once.
func TestExportCountsSharedQuestionsTogether(t *testing.T) {
	t.Parallel()
	c := newCohort(t, 60, 40)
	scope := c.analyst(c.orgs[0])
	scope.All = true
	archive := report(t, c, scope, func(tx *db.Tx) ([]byte, error) {
		var to bytes.Buffer
		n, err := ExportHealth(t.Context(), tx, HealthFilter{}, &to)
		if n != 4 {
			err = fmt.Errorf("%d questions", n)
		}
		return to.Bytes(), err
	})
	_, rows := unzip(t, archive)
	if got := lineOf(rows["question_health_core.csv"], c.questions[0])["attempts"]; got != "90" {
		t.Errorf("got %s attempts, want 90", got)
	}
}
