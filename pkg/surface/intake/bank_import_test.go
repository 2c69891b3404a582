package intake_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/exchange"
	"assess/pkg/author/exchange/bank"
	"assess/pkg/author/media"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/scoring"
	"assess/pkg/surface/intake"
)

// moodle is a bank with a question for each thing that comes over, or does not.
func moodle(questions ...string) []byte {
	return []byte(`<?xml version="1.0"?><quiz>` + strings.Join(questions, "\n") + `</quiz>`)
}

const category = `<question type="category"><category><text>$course$/top/Logic/Sets</text></category></question>`

func multichoice(id, stem, files string, shares ...int) string {
	answers := ""
	for i, share := range shares {
		answers += fmt.Sprintf(`<answer fraction="%d" format="html"><text>option %d</text></answer>`, share, i)
	}
	return `<question type="multichoice"><name><text>` + id + `</text></name><questiontext format="html"><text><![CDATA[` + stem + `]]></text>` + files + `</questiontext>
<generalfeedback format="html"><text>because</text></generalfeedback><idnumber>` + id + `</idnumber><single>true</single>` + answers + `<tags><tag><text>easy</text></tag></tags></question>`
}

func pictureFile(name string, data []byte) string {
	return `<file name="` + name + `" path="/" encoding="base64">` + base64.StdEncoding.EncodeToString(data) + `</file>`
}

// codes lists the places and codes of problems.
func codes(problems []intake.Problem) []string {
	var all []string
	for _, p := range problems {
		all = append(all, fmt.Sprintf("%s:%d:%s", p.Item, p.Line, p.Code))
	}
	return all
}

func TestABankComesInWithItsCategoriesTagsPicturesAndFormulas(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	leaf := sample.PNG(4, 4)
	file := moodle(category,
		multichoice("q1", `Look: <img src="@@PLUGINFILE@@/leaf.png" alt="A leaf"> and \(x^2\)`, pictureFile("leaf.png", leaf), 100, 0),
		multichoice("q2", `Again: <img src="@@PLUGINFILE@@/same.png" alt="A leaf">`, pictureFile("same.png", leaf), 0, 100))
	in := intake.Input{Data: file, CreateTerms: true, Locale: "de"}
	p, err := b.preview(intake.PreviewQuestions, in)
	if err != nil || p.Records != 2 || len(p.Errors) > 0 || p.Valid[1].Item != "q2" || p.Rows[0].Key != "q1" {
		t.Fatalf("previewed %+v, %v", p, err)
	}
	if len(p.Notices.Notices) > 0 {
		t.Errorf("notices %+v", p.Notices)
	}
	if n := b.count("assets"); n != 0 {
		t.Fatalf("a preview left %d assets", n)
	}
	_, err = b.commit(intake.CommitQuestions, in)
	if err == nil {
		t.Fatal("a picture became an asset though nobody stored its file")
	}
	b.keeps(in, 1)
	done, err := b.commit(intake.CommitQuestions, in)
	if err != nil || counts(done) != "total 2 created 2 changed 0 unchanged 0 skipped 0 published 0" {
		t.Fatalf("committed %s, %v", counts(done), err)
	}
	got := b.question("q1")
	blocks := got.Draft.Stem.Locales["de"].Blocks
	if len(blocks) != 3 || blocks[1].Type != content.Image || blocks[1].Alt != "A leaf" || blocks[2].Children[1].Text != "x^2" || blocks[2].Children[1].Marks[0].Type != content.Math || got.Draft.Explanation == nil {
		t.Errorf("came in as %+v", blocks)
	}
	if n := b.count("assets"); n != 1 {
		t.Errorf("same bytes are %d assets", n)
	}
	if diff := cmp.Diff([]string{"category:logic", "category:logic-sets", "tags:easy"}, b.slugs()); diff != "" {
		t.Errorf("terms (-want +got)\n%s", diff)
	}
	b.keeps(in, 1)
	done, err = b.commit(intake.CommitQuestions, in)
	if err != nil || done.Unchanged != 2 || b.count("assets") != 1 {
		t.Errorf("again: %s, %v", counts(done), err)
	}
}

// keeps claims the pictures of a bank, as storing them does.
func (b bench) keeps(in intake.Input, pictures int) {
	b.Helper()
	n := 0
	err := intake.KeepPictures(in, func(file *blob.File) error {
		n++
		return b.store.Write(b.Context(), b.scope, func(tx *db.Tx) error {
			return media.Claim(b.Context(), tx, media.Content{SHA256: file.SHA256})
		})
	})
	if err != nil || n != pictures {
		b.Fatalf("kept %d pictures, %v", n, err)
	}
}

// slugs lists the terms of the content domain, each below its parent.
func (b bench) slugs() []string {
	b.Helper()
	var all []string
	b.write(func(tx *db.Tx) error {
		return tx.QueryRow(b.Context(), `select array_agg(f.slug || ':' || t.slug order by f.slug, t.slug) from terms t join facets f on f.tenant_id = t.tenant_id and f.id = t.facet_id
			where t.tenant_id = $1`, tx.Tenant()).Scan(&all)
	})
	return all
}

func TestNothingIsScoredOtherwiseWithoutAYes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	in := intake.Input{CreateTerms: true, Data: moodle(multichoice("whole", "A?", "", 100, 0), multichoice("half", "B?", "", 100, 50),
		`<question type="calculated"><name><text>c</text></name><questiontext><text>C?</text></questiontext><idnumber>c</idnumber></question>`)}
	p, err := b.preview(intake.PreviewQuestions, in)
	if err != nil || p.ValidCount != 1 {
		t.Fatalf("previewed %+v, %v", p, err)
	}
	if diff := cmp.Diff([]string{"half:3:partial_answer", "c:5:parameterised"}, codes(p.Errors)); diff != "" {
		t.Errorf("errors (-want +got)\n%s", diff)
	}
	_, err = b.commit(intake.CommitQuestions, in)
	if !errors.Is(err, errs.ImportInvalid) || b.count("questions") != 0 {
		t.Fatalf("committed though questions change: %v", err)
	}
	if f := errs.Of(err).Fields[0]; f.Item != "half" || f.Path != "item half" || f.Code != "partial_answer" {
		t.Errorf("refused at %+v", f)
	}
	in.SkipInvalid = true
	done, err := b.commit(intake.CommitQuestions, in)
	if err != nil || done.Created != 1 || done.Skipped != 2 {
		t.Fatalf("skipped: %s, %v", counts(done), err)
	}
	in.AcceptScoringChanges = true
	done, err = b.commit(intake.CommitQuestions, in)
	if err != nil || done.Created != 1 || done.Unchanged != 1 || done.Skipped != 1 {
		t.Fatalf("accepted: %s, %v", counts(done), err)
	}
	var accepted int
	b.write(func(tx *db.Tx) error {
		return tx.QueryRow(b.Context(), `select (payload->>'scoringChanges')::int from ledger_events where tenant_id = $1 and event_type = 'questions.imported' order by seq desc limit 1`, tx.Tenant()).Scan(&accepted)
	})
	if accepted != 1 {
		t.Errorf("the ledger names %d questions that are scored otherwise", accepted)
	}
}

func TestWhatIsWrongWithABankIsNamed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	broken := append(moodle(multichoice("q1", "A?", "", 100, 0))[:200], []byte("<quiz")...)
	for name, c := range map[string]struct {
		in   intake.Input
		want []string
	}{
		"broken XML":         {intake.Input{Data: broken}, []string{":2:malformed"}},
		"two of one id":      {intake.Input{Data: moodle(multichoice("q1", "A?", "", 100, 0), multichoice("q1", "B?", "", 100, 0))}, []string{"q1:3:duplicate_external_id"}},
		"not a picture":      {intake.Input{Data: moodle(multichoice("q1", `<img src="@@PLUGINFILE@@/a.png" alt="x">`, pictureFile("a.png", []byte("\x89PNG\r\n\x1a\nno")), 100, 0))}, []string{"q1:1:unreadable_image"}},
		"a picture too big":  {intake.Input{FileLimit: 16, Data: moodle(multichoice("q1", `<img src="@@PLUGINFILE@@/a.png" alt="x">`, pictureFile("a.png", sample.PNG(4, 4)), 100, 0))}, []string{"q1:1:request_too_large"}},
		"an archive of none": {intake.Input{Data: []byte("PK\x03\x04nothing")}, []string{":0:archive_refused"}},
		"another format":     {intake.Input{Data: moodle(multichoice("q1", "A?", "", 100, 0)), Format: "aiken"}, []string{"8073cc414a27b00f:1:malformed"}},
		"a type to come":     {intake.Input{Data: moodle(`<question type="description"><name><text>c</text></name><questiontext format="html"><text>It is.</text></questiontext></question>`)}, nil},
		"unknown terms":      {intake.Input{Data: moodle(category, multichoice("q1", "A?", "", 100, 0))}, []string{"q1:2:unknown_term", "q1:2:unknown_term"}},
	} {
		c.in.CreateTerms = name != "unknown terms"
		p, err := b.preview(intake.PreviewQuestions, c.in)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c.want == nil {
			if p.ValidCount != 0 || len(p.Errors) != 1 || p.Errors[0].Code != "unsupported_interaction" {
				t.Errorf("%s: %+v", name, p.Errors)
			}
			continue
		}
		if diff := cmp.Diff(c.want, codes(p.Errors)); diff != "" {
			t.Errorf("%s: errors (-want +got)\n%s%+v", name, diff, p.Errors)
		}
		_, err = b.commit(intake.CommitQuestions, c.in)
		if !errors.Is(err, errs.ImportInvalid) || len(errs.Of(err).Fields) != len(p.Errors) {
			t.Errorf("%s: the commit says %v", name, err)
		}
	}
	_, err := b.preview(intake.PreviewQuestions, intake.Input{Data: []byte("x"), Format: "word"})
	if f := errs.Of(err).Fields; len(f) != 1 || f[0].Path != "format" {
		t.Errorf("an unknown format: %v", err)
	}
}

func TestABankNeedsWhatItMakes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	with := moodle(multichoice("q1", `<img src="@@PLUGINFILE@@/a.png" alt="x">`, pictureFile("a.png", sample.PNG(4, 4)), 100, 0))
	author := b.as(capability.QuestionsWrite, capability.QuestionsRead, capability.TaxonomyRead, capability.TaxonomyManage)
	_, err := author.preview(intake.PreviewQuestions, intake.Input{Data: with, CreateTerms: true})
	if !errors.Is(err, errs.Forbidden) {
		t.Errorf("a picture without media.manage: %v", err)
	}
	_, err = b.as(capability.QuestionsRead).preview(intake.PreviewQuestions, intake.Input{Data: with})
	if !errors.Is(err, errs.Forbidden) {
		t.Errorf("questions without questions.write: %v", err)
	}
	other := newBench(t)
	in := intake.Input{Data: with, CreateTerms: true}
	b.keeps(in, 1)
	other.keeps(in, 1)
	for _, one := range []bench{b, other} {
		done, err := one.commit(intake.CommitQuestions, in)
		if err != nil || done.Created != 1 || one.count("assets") != 1 {
			t.Errorf("each tenant has its own: %s, %v", counts(done), err)
		}
	}
}

// Each format is found by its bytes, and takes the same way.
func TestEveryFormatComesIn(t *testing.T) {
	t.Parallel()
	question := &bank.Item{Kind: scoring.MCQ, Stem: bank.Paragraph("Which?"), Options: []bank.Option{{ID: "A", Content: bank.Paragraph("one"), Correct: true}, {ID: "B", Content: bank.Paragraph("two")}}}
	for _, f := range exchange.Formats {
		if !f.Writes() {
			continue
		}
		b := newBench(t)
		var out bytes.Buffer
		w := f.NewWriter(&out)
		for i := range 1_200 {
			it := *question
			it.ID = bank.Numbered("q", i)
			if err := w.Add(&it); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		done, err := b.commit(intake.CommitQuestions, intake.Input{Data: out.Bytes()})
		if err != nil || done.Created != 1_200 || len(done.Notices.Notices) > 0 {
			t.Errorf("%s: %s, %v %v", f.Name, counts(done), err, done.Notices)
		}
	}
	b := newBench(t)
	done, err := b.commit(intake.CommitQuestions, intake.Input{Data: []byte("Which?\nA. one\nB. two\nANSWER: B\n")})
	if err != nil || done.Created != 1 {
		t.Errorf("aiken: %s, %v", counts(done), err)
	}
}

// Gaps of each kind and a formula go out in each format that holds them, and come in again without a change.
func TestGapsAndFormulasGoOutAndComeInAgain(t *testing.T) {
	t.Parallel()
	typed := `<question type="cloze"><name><text>c</text></name><idnumber>c</idnumber><questiontext format="html"><text><![CDATA[<p>With \(x^2\): {1:SHORTANSWER:=Rome~=Roma}, {2:NUMERICAL:=9.81:0.01}, {1:MULTICHOICE:no~=yes}.</p>]]></text></questiontext></question>`
	pooled := `<question type="gapselect"><name><text>g</text></name><idnumber>g</idnumber><questiontext format="html"><text><![CDATA[<p>A [[2]] and a [[1]].</p>]]></text></questiontext>` +
		`<selectoption><text>cat</text><group>1</group></selectoption><selectoption><text>dog</text><group>1</group></selectoption><selectoption><text>bird</text><group>1</group></selectoption></question>`
	for format, taken := range map[string]int{"moodle_xml": 2, "qti": 2, "gift": 0} {
		b := newBench(t)
		done, err := b.commit(intake.CommitQuestions, intake.Input{Data: moodle(typed, pooled)})
		if err != nil || done.Created != 2 || len(done.Notices.Notices) > 0 {
			t.Fatalf("came in: %s, %v, %+v", counts(done), err, done.Notices)
		}
		q := b.question("c").Draft
		if len(q.Gaps) != 3 || q.Gaps[1].Weight != 2 || *q.Gaps[1].Value != 9.81 || q.Gaps[2].CorrectOptionIDs[0] != "B" || q.Scoring.Method != scoring.Partial {
			t.Errorf("the gaps are %+v", q.Gaps)
		}
		file, said := b.exportBank(format, nil, false)
		if said.Items != 2 || said.Whole != taken {
			t.Errorf("%s: %+v", format, said)
		}
		if taken == 0 {
			continue
		}
		done, err = b.commit(intake.CommitQuestions, intake.Input{Data: file})
		if err != nil || done.Unchanged != taken || len(done.Notices.Notices) > 0 {
			t.Errorf("%s again: %s, %v, %+v", format, counts(done), err, done.Notices)
		}
	}
}

// exportBank gives a file with the pictures that files has the bytes of.
func (b bench) exportBank(format string, picture []byte, accept bool) ([]byte, exchange.Report) {
	b.Helper()
	var file bytes.Buffer
	var said exchange.Report
	in := intake.BankExport{Format: format, AcceptScoringChanges: accept, Open: func(context.Context, media.Version) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(picture)), nil
	}}
	err := b.store.Report(b.Context(), b.scope, func(tx *db.Tx) error {
		var err error
		said, err = intake.ExportBank(b.Context(), tx, in, &file)
		if err != nil {
			return err
		}
		in.AcceptScoringChanges = accept
		shown, err := intake.PreviewBankExport(b.Context(), tx, in)
		if diff := cmp.Diff(said, shown); err == nil && diff != "" {
			b.Errorf("the preview of %s says (-export +preview)\n%s", format, diff)
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return file.Bytes(), said
}

// Questions exported in a format are imported again without a change, with their terms and pictures.
func TestAnExportOfABankChangesNothingWhenItComesInAgain(t *testing.T) {
	t.Parallel()
	leaf := sample.PNG(4, 4)
	in := intake.Input{CreateTerms: true, Data: moodle(category,
		multichoice("q1", `Look: <img src="@@PLUGINFILE@@/leaf.png" alt="A leaf">`, pictureFile("leaf.png", leaf), 100, 0),
		`<question type="truefalse"><name><text>t</text></name><questiontext><text>Is it?</text></questiontext><idnumber>t</idnumber><answer fraction="100"><text>true</text></answer><answer fraction="0"><text>false</text></answer></question>`,
		`<question type="numerical"><name><text>n</text></name><questiontext><text>How many?</text></questiontext><idnumber>n</idnumber><answer fraction="100"><text>5</text><tolerance>0.5</tolerance></answer></question>`,
		`<question type="shortanswer"><name><text>s</text></name><questiontext><text>Who?</text></questiontext><idnumber>s</idnumber><answer fraction="100"><text>nobody</text></answer></question>`,
		`<question type="essay"><name><text>e</text></name><questiontext><text>Why?</text></questiontext><idnumber>e</idnumber></question>`)}
	for _, f := range exchange.Formats {
		if !f.Writes() || f.Name == "csv" {
			continue
		}
		b := newBench(t)
		b.keeps(in, 1)
		if done, err := b.commit(intake.CommitQuestions, in); err != nil || done.Created != 5 {
			t.Fatalf("%s, %v", counts(done), err)
		}
		b.must(intake.CommitQuestions, "externalId,qtype,stem,optionA,optionB,correct,terms,scoring\n"+
			"m,mrq,Which ones?,one,two,AB,topic:Plants;level:Hard,partial\n")
		file, said := b.exportBank(f.Name, leaf, false)
		if said.Items != 6 || said.Whole != 6 {
			t.Errorf("%s: %+v", f.Name, said)
		}
		done, err := b.commit(intake.CommitQuestions, intake.Input{Data: file})
		if err != nil || done.Unchanged != 6 || len(done.Notices.Notices) > 0 {
			t.Errorf("%s again: %s, %v, %v", f.Name, counts(done), err, done.Notices)
		}
		if n := b.count("assets"); n != 1 {
			t.Errorf("%s: %d assets", f.Name, n)
		}
	}
}
