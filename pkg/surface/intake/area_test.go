package intake_test

import (
	"archive/zip"
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/author/media"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
	"assess/pkg/surface/intake"
)

// picture makes an asset whose file nobody stores.
func (b bench) picture(data []byte) ids.ID {
	b.Helper()
	return run(b, "make a picture", func(tx *db.Tx) (ids.ID, error) {
		received, err := blob.Receive(bytes.NewReader(data), 1<<20)
		if err != nil {
			return ids.None, err
		}
		defer received.Close() //nolint:errcheck // only read from
		made := media.NewAsset{ID: ids.New(), Name: "map.png"}
		made.Content, err = media.Inspect(received, "image/png")
		if err == nil {
			err = media.Claim(b.Context(), tx, made.Content)
		}
		if err == nil {
			err = media.CreateAssets(b.Context(), tx, []media.NewAsset{made})
		}
		return made.ID, err
	})
}

// A hotspot of QTI comes in as options with areas of the picture, and goes out again in QTI and in a table.
func TestAHotspotIsAChoiceOfAreas(t *testing.T) {
	t.Parallel()
	const item = `<assessmentItem xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1" identifier="h1" title="Map"><responseDeclaration identifier="R" cardinality="single" baseType="identifier"><correctResponse><value>A</value></correctResponse></responseDeclaration>
<itemBody><p>Where is it?</p><hotspotInteraction responseIdentifier="R" maxChoices="1"><object type="image/png" data="map.png" width="40" height="20">A map</object>
<hotspotChoice identifier="A" shape="rect" coords="20,20,0,5" hotspotLabel="North"/><hotspotChoice identifier="B" shape="circle" coords="30,10,5" hotspotLabel="South"/><hotspotChoice identifier="C" shape="poly" coords="0,0,13,0,45,7" hotspotLabel="East"/></hotspotInteraction></itemBody>
<responseProcessing template="http://www.imsglobal.org/question/qti_v2p1/rptemplates/match_correct"/></assessmentItem>`
	picture := sample.PNG(40, 20)
	var file bytes.Buffer
	z := zip.NewWriter(&file)
	for name, data := range map[string][]byte{"item.xml": []byte(item), "map.png": picture} {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	in := intake.Input{Data: file.Bytes()}
	b.keeps(in, 1)
	done, err := b.commit(intake.CommitQuestions, in)
	if err != nil || done.Created != 1 || len(done.Notices.Notices) > 0 {
		t.Fatalf("came in: %s, %v, %+v", counts(done), err, done.Notices)
	}
	q := b.question("h1").Draft
	var areas []authoring.Area
	for _, o := range q.Options {
		areas = append(areas, *o.Area)
	}
	want := []authoring.Area{{Shape: "rect", Coords: []int{0, 250, 500, 1000}}, {Shape: "circle", Coords: []int{750, 500, 125}}, {Shape: "poly", Coords: []int{0, 0, 325, 0, 1000, 350}}}
	if diff := cmp.Diff(want, areas); diff != "" || q.QType != scoring.MCQ || !q.Options[0].IsCorrect {
		t.Errorf("came in as %+v\n%s", q, diff)
	}
	out, said := b.exportBank("qti", picture, false)
	if said.Whole != 1 {
		t.Errorf("exported %+v", said)
	}
	table := b.export(intake.ExportQuestions, intake.Export{})
	for name, again := range map[string][]byte{"qti": out, "csv": []byte(table)} {
		done, err := b.commit(intake.CommitQuestions, intake.Input{Data: again})
		if err != nil || done.Unchanged != 1 || len(done.Notices.Notices) > 0 {
			t.Errorf("%s again: %s, %v, %+v", name, counts(done), err, done.Notices)
		}
	}
	if _, said := b.exportBank("moodle_xml", picture, true); said.Refused != 1 || said.Counts["unsupported_interaction"] != 1 {
		t.Errorf("Moodle has no such question: %+v", said)
	}
}
