package intake_test

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"assess/pkg/author/media"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/db"
	"assess/pkg/surface/intake"
)

const collections = "../../../../shared/data"

// Every file of the public collections gets an answer, and the items taken from it are imported twice without a change.
func TestBanksOfTheCollectionsComeIn(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(collections); err != nil {
		t.Skip("no collections at " + collections)
	}
	b := newBench(t)
	files, questions := 0, 0
	for _, folder := range []string{"bank/raw/gift", "bank/raw/moodle_xml", "exchange/moodle_xml_dima", "exchange/qti12_21_instructure"} {
		err := filepath.WalkDir(filepath.Join(collections, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			var data []byte
			_, packaged := os.Stat(filepath.Join(path, "imsmanifest.xml"))
			switch {
			case d.IsDir() && packaged == nil:
				data, err = zipped(path), fs.SkipDir
			case d.IsDir(), filepath.Ext(path) != ".xml" && filepath.Ext(path) != ".gift":
				return nil
			default:
				data, err = os.ReadFile(path)
			}
			files++
			questions += b.comesIn(path, data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d questions of %d files", questions, files)
	if files < 100 || questions < 200 {
		t.Errorf("only %d questions of %d files came in", questions, files)
	}
}

// comesIn imports everything that can be taken from a file, and gives the number of its questions.
func (b bench) comesIn(path string, data []byte) int {
	b.Helper()
	in := intake.Input{Data: data, CreateTerms: true, AcceptScoringChanges: true, SkipInvalid: true}
	p, err := b.preview(intake.PreviewQuestions, in)
	if err != nil {
		b.Errorf("%s: %v", path, err)
		return 0
	}
	err = intake.KeepPictures(in, func(file *blob.File) error {
		return b.store.Write(b.Context(), b.scope, func(tx *db.Tx) error {
			return media.Claim(b.Context(), tx, media.Content{SHA256: file.SHA256})
		})
	})
	if err != nil {
		b.Errorf("%s: %v", path, err)
	}
	if p.ValidCount == 0 {
		return 0
	}
	done, err := b.commit(intake.CommitQuestions, in)
	if err != nil || done.Written != p.ValidCount {
		b.Errorf("%s: %s where the preview says %d, %v", path, counts(done), p.ValidCount, err)
		return 0
	}
	again, err := b.commit(intake.CommitQuestions, in)
	if err != nil || again.Unchanged != done.Records {
		b.Errorf("%s again: %s, %v", path, counts(again), err)
	}
	return done.Records
}

func zipped(folder string) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	if err := w.AddFS(os.DirFS(folder)); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}
