package intake_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/surface/intake"
)

const passageHeader = "\ufeffExternal ID;Title;text;LANG;format;questions\n"

func (b bench) passages() map[string]authoring.ExportedPassage {
	b.Helper()
	found := map[string]authoring.ExportedPassage{}
	err := b.store.Read(b.Context(), b.scope, func(tx *db.Tx) error {
		all, err := authoring.ExportPassages(b.Context(), tx, authoring.ExportFilter{}, ids.None, 100)
		for _, p := range all {
			found[p.ExternalID] = p
		}
		return err
	})
	want(b.T, err, "")
	return found
}

func TestPassageIsWrittenAsTheFileSays(t *testing.T) {
	t.Parallel()
	b := withQuestions(t)
	b.must(intake.CommitPassages, passageHeader+
		"p1;The water cycle;\"Water rises.\n\nIt *falls*.\";en;markdown;\"q3;q1\"\n"+
		"p1;;\"Wasser steigt.\n\nEs fällt.\";de;;\n"+
		"p2;=Second;دورة الماء;ar;plain;\n")
	got := b.passages()
	texts := map[string]string{}
	for locale, payload := range got["p1"].Content.Locales {
		texts[locale] = payload.PlainText()
	}
	wanted := map[string]string{"en": "Water rises.\n\nIt falls.", "de": "Wasser steigt.\n\nEs fällt."}
	if diff := cmp.Diff(wanted, texts); diff != "" || got["p1"].Content.DefaultLocale != "en" || got["p2"].Title != "=Second" {
		t.Errorf("p1 is in %s, p2 is called %q, texts (-want +got):\n%s", got["p1"].Content.DefaultLocale, got["p2"].Title, diff)
	}
	if diff := cmp.Diff([]ids.ID{b.question("q3").ID, b.question("q1").ID}, got["p1"].Questions); diff != "" {
		t.Errorf("questions of p1 (-want +got):\n%s", diff)
	}
	b.returns(intake.ExportPassages, intake.CommitPassages, 2)
	if n := b.count("passage_versions"); n != 2 {
		t.Errorf("%d versions, want 2", n)
	}
}

func TestPassageLinksFollowTheFile(t *testing.T) {
	t.Parallel()
	b := withQuestions(t)
	b.must(intake.CommitPassages, "externalId,title,text,questions\np1,T,a,q1;q2\n")
	for _, step := range []struct {
		name, file, counts string
		links              int
	}{
		{"no column", "externalId,title,text\np1,T,a\n", "total 1 created 0 changed 0 unchanged 1 skipped 0 published 0", 2},
		{"another order", "externalId,title,text,questions\np1,T,a,q2;q1\n", "total 1 created 0 changed 1 unchanged 0 skipped 0 published 0", 2},
		{"none", "externalId,title,text,questions\np1,T,a,\n", "total 1 created 0 changed 1 unchanged 0 skipped 0 published 0", 0},
	} {
		if got := counts(b.must(intake.CommitPassages, step.file)); got != step.counts {
			t.Errorf("%s: got %s, want %s", step.name, got, step.counts)
		}
		if n := len(b.passages()["p1"].Questions); n != step.links {
			t.Errorf("%s: %d questions, want %d", step.name, n, step.links)
		}
	}
}

func TestPassageProblems(t *testing.T) {
	t.Parallel()
	b := withQuestions(t)
	b.must(intake.CommitPassages, "externalId,title,text,questions\nother,T,a,q3\n")
	const header = "externalId,title,text,lang,format,questions,content,colour\n"
	type list = []string
	tests := []struct {
		name, rows string
		want       list
	}{
		{"good", "p,T,a,en,plain,q1;q2,,\n", list{}},
		{"empty", "p,,,,,,,x\n", list{"2:text:required", "2:title:required"}},
		{"no title", "p,,a,,,,,\n", list{"2:title:required"}},
		{"no external id", ",T,a,,,,,\n", list{"2:externalId:required"}},
		{"language", "p,T,a,no such,,,,\n", list{"2:lang:invalid_locale"}},
		{"format", "p,T,a,,word,,,\n", list{"2:format:invalid_choice"}},
		{"unknown question", "p,T,a,,,q1;q9,,\n", list{"2:questions:unknown_question"}},
		{"question twice", "p,T,a,,,q1;q1,,\n", list{"2:questions:duplicate_question"}},
		{"everything at once", "p,,a,no such,word,q3;q9,,\n",
			list{"2:lang:invalid_locale", "2:format:invalid_choice", "2:title:required", "2:questions:unknown_question", "2:questions:question_in_other_passage"}},
		{"question of two passages", "p,T,a,,,q1,,\nr,T,a,,,q1,,\n", list{"3:questions:question_in_other_passage"}},
		{"language twice", "p,T,a,,,,,\np,T,b,EN,,,,\n", list{"3:lang:duplicate_locale"}},
		{"rows disagree", "p,T,a,en,,q1,,\np,U,b,de,,q2,,\n", list{"3:title:rows_disagree", "3:questions:rows_disagree"}},
		{"content that is no JSON", "p,,,,,,{,\n", list{"2:content:malformed_json"}},
		{"content without title", "p,,,,,,{},\n", list{"2:content:required", "2:content:required"}},
		{"cells beside content", "p,T,,,,,{},\n", list{"2:title:beside_content", "2:content:required"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := b.preview(intake.PreviewPassages, intake.Input{Data: []byte(header + test.rows)})
			want(t, err, "")
			if diff := cmp.Diff(test.want, problems(got)); diff != "" || len(got.Warnings) != 1 {
				t.Errorf("%d warnings, want 1; problems (-want +got):\n%s", len(got.Warnings), diff)
			}
			if got.Errors == nil || got.Valid == nil || got.Rows == nil {
				t.Error("a list is null")
			}
		})
	}
	_, err := b.commit(intake.CommitPassages, intake.Input{Data: []byte("externalId,title,text,questions\np,T,a,\nr,T,a,q3\n")})
	want(t, err, errs.ImportInvalid)
	if diff := cmp.Diff(errs.Field{Path: "line 3, column questions", Code: "question_in_other_passage", Message: "the question belongs to another passage",
		Line: 3, Column: "questions"},
		errs.Of(err).Fields[0]); diff != "" || b.count("passages") != 1 {
		t.Errorf("%d passages, want 1; problem (-want +got):\n%s", b.count("passages"), diff)
	}
	_, err = b.as(capability.QuestionsRead).preview(intake.PreviewPassages, intake.Input{Data: []byte(header)})
	want(t, err, errs.Forbidden)
}
