package demo

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestImportFilesOfAFolderWithoutQuestions(t *testing.T) {
	t.Parallel()
	data, err := Read(files(small()))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		got  []byte
		want string
	}{
		{"questions", data.QuestionsCSV(), "" +
			"externalId,qtype,stem,optionA,optionB,optionC,optionD,correct,weight,lang,format\n" +
			"X1,mcq,\"Which, of these?\",Option A,Option B,Option C,,B,1,en,plain\n" +
			"X2,mrq,Item X2,Option A,Option B,Option C,Option D,AC,1,en,plain\n"},
		{"evaluation", data.EvaluationCSV("exam", "An exam", 62.5), "" +
			"evaluation,title,section,question,weight,passMarkPercent,timeLimitSeconds,feedbackMode,reviewPolicy," +
			"maxAttemptsPerUser,cooloffSeconds,navigation,shuffleItems,shuffleOptions,publish\n" +
			"exam,An exam,alpha,X1,1,62.5,,overall,self_approve,,,free,no,no,yes\n" +
			"exam,An exam,beta,X2,1,,,,,,,,,,\n"},
		{"users", data.UsersCSV(), "" +
			"email,name,roles,meta.site\n" +
			"a@demo.example,Candidate a,candidate,north\n" +
			"b@demo.example,Candidate b,candidate,south\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, string(tt.got)); diff != "" {
				t.Errorf("file (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSectionsKeepATopicTogether(t *testing.T) {
	t.Parallel()
	data := Dataset{Items: []Item{{ID: "1", Topic: "b"}, {ID: "2"}, {ID: "3", Topic: "b"}, {ID: "4", Topic: "a"}}}
	var got [][]string
	for _, section := range data.sections() {
		line := []string{section.title}
		for _, item := range section.items {
			line = append(line, item.ID)
		}
		got = append(got, line)
	}
	want := [][]string{{"b", "1", "3"}, {"All items", "2"}, {"a", "4"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
}
