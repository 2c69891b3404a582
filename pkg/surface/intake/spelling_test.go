package intake_test

import (
	"strings"
	"testing"

	"assess/pkg/surface/intake"
)

// A file of a Mac, or one with invisible characters, finds the records that a file of a PC made: every kind of import.
func TestEitherSpellingImportsTheSame(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	mac := strings.NewReplacer("é", "e\u0301\u200b", "Ü", "\u00adU\u0308", "ñ", "n\u0303\ufeff")
	for _, kind := range []struct {
		commit committer
		file   string
	}{
		{intake.CommitTerms, "facet,slug,label\ntopic,café,Café\n"},
		{intake.CommitUsers, "email,name,meta.região,metadata\na@example.org,Zoé,Évora,\"{\"\"año\"\":\"\"señor\"\"}\"\n"},
		{intake.CommitSubjects, "externalId,name,kind,meta.é\nÜ-9,Zoé,é,é\n"},
		{intake.CommitQuestions, "externalId,qtype,stem,correct,optionA,optionB,terms\nÜ-9,mcq,Café?,A,é,ñ,topic:café\nÜ-8,short_text,Café?,é|ñ,,,topic:café\n"},
		{intake.CommitPassages, "externalId,title,text,questions\nÜ-9,Café,Café,Ü-9\n"},
		{intake.CommitEvaluations, "evaluation,question,title,section,publish\nÜ-9,Ü-8,Café,Señor,yes\n"},
		{intake.CommitAssignments, "evaluation,targetType,targetRef,run_label,subject\nÜ-9,email,a@example.org,é,Ü-9\n"},
	} {
		first := b.must(kind.commit, kind.file)
		again := b.must(kind.commit, mac.Replace(kind.file))
		prose := strings.Contains(kind.file, "stem") || strings.Contains(kind.file, "text,")
		if first.Created == 0 || again.Created != 0 || again.Changed != 0 && !prose {
			t.Errorf("%s: first %s, again %s", kind.file, counts(first), counts(again))
		}
	}
}

func TestACellThatShowsNothingIsNoName(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	got, err := b.preview(intake.PreviewSubjects, intake.Input{Data: []byte("externalId,name,kind\n\u200b,Ada,\ns2,Bob,\u202c\n")})
	want(t, err, "")
	if found := strings.Join(problems(got), " "); found != "2:externalId:invalid_characters 3:kind:invalid_characters" {
		t.Errorf("got %s", found)
	}
}
