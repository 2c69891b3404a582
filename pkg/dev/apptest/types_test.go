package apptest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"assess/pkg/dev/apptest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/remediation"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// TestEveryTypeGoesAllTheWay takes a question of each type in the table from its author, by HTTP and
// by CSV, over a candidate and a new key, or a person's mark, to its health and the attempt report.
func TestEveryTypeGoesAllTheWay(t *testing.T) {
	t.Parallel()
	app := apptest.Start(t)
	for _, row := range scoring.Types {
		t.Run(string(row.Name), func(t *testing.T) {
			t.Parallel()
			own := app.NewTenant(t)
			w := &walk{T: t, App: own, row: row, staff: own.Token(t, capability.OrgAdmin), candidate: own.Token(t, capability.Candidate)}
			w.author()
			w.exchange()
			w.take()
			w.project(1)
			w.decide()
			w.project(0)
		})
	}
}

// walk is the way of one question.
type walk struct {
	*testing.T
	*apptest.App
	row                           scoring.Type
	staff, candidate              string
	question, version, evaluation string
	evaluationVersion, submission string
	item                          string
}

// keyed fills in each part that says what is right: the question's, which the answers of answered
// meet, and a new key's, which they do not.
var keyed = map[scoring.Part]func(question, key, rekey object){
	scoring.PartOptions: func(question, _, rekey object) {
		question["options"] = []object{{"content": sample.Content("Yes", "Ja"), "isCorrect": true}, {"content": sample.Content("No", "Nein"), "isCorrect": false}}
		rekey["correctOptionIds"] = []string{"B"}
	},
	scoring.PartOrder: func(question, key, rekey object) {
		for _, o := range question["options"].([]object) {
			o["isCorrect"] = false
		}
		delete(rekey, "correctOptionIds")
		key["order"], rekey["order"] = []string{"B", "A"}, []string{"A", "B"}
	},
	scoring.PartPairs: func(question, key, rekey object) {
		for _, o := range question["options"].([]object) {
			o["isCorrect"] = false
		}
		delete(rekey, "correctOptionIds")
		question["prompts"] = []object{{"content": sample.Content("Is it?", "Ist es?")}, {"content": sample.Content("Was it?", "War es?")}}
		key["pairs"], rekey["pairs"] = [][]string{{"p1", "A"}, {"p2", "B"}}, [][]string{{"p1", "B"}, {"p2", "B"}}
	},
	scoring.PartGaps: func(question, _, rekey object) {
		question["stem"] = sample.Gapped("g1", "g2")
		question["gaps"] = []object{{"kind": "text", "acceptedAnswers": []string{"so"}}, {"kind": "choice", "correctOptionIds": []string{"B"},
			"options": []object{{"content": sample.Content("Is it so?", "Ist es so?")}, {"content": sample.Content("Yes", "Ja")}}}}
		rekey["gaps"] = []object{{"id": "g1", "acceptedAnswers": []string{"not"}}}
	},
	scoring.PartAcceptedAnswers: func(_, key, rekey object) {
		key["acceptedAnswers"], rekey["acceptedAnswers"] = []string{"don't"}, []string{"do"}
	},
	scoring.PartValue: func(_, key, rekey object) { key["value"], rekey["value"] = 1, 2 },
}

var answered = map[scoring.Answer]object{
	scoring.OneOption:      {"optionIds": []string{"A"}},
	scoring.SeveralOptions: {"optionIds": []string{"A"}},
	scoring.Text:           {"text": "ＤＯＮ’Ｔ\u200b"},
	scoring.Number:         {"number": 1},
	scoring.AllInOrder:     {"optionIds": []string{"B", "A"}},
	scoring.PromptPairs:    {"pairs": [][]string{{"p1", "A"}, {"p2", "B"}}},
	scoring.FilledGaps:     {"gaps": object{"g1": "ＳＯ\u200b", "g2": "B"}},
}

// asked gives the question and a new key for it.
func (w *walk) asked() (question, rekey object) {
	key, rekey := object{}, object{}
	question = object{"externalId": "q", "qtype": w.row.Name, "stem": sample.Content("Is it so?", "Ist es so?"), "scoring": key}
	for _, part := range scoring.Parts {
		if fill := keyed[part]; fill != nil && w.row.Has(part) {
			fill(question, key, rekey)
		}
	}
	return question, rekey
}

func (w *walk) author() {
	question, _ := w.asked()
	var made struct {
		ID        string
		Problems  []struct{ Path, Code string }
		Published struct{ ID string }
	}
	w.ask(w.staff, http.MethodPost, "/questions", question, &made)
	if len(made.Problems) > 0 {
		w.Fatalf("problems of the draft: %v", made.Problems)
	}
	w.question = made.ID
	w.ask(w.staff, http.MethodPost, "/questions/"+w.question+"/publish", nil, &made)
	w.version = made.Published.ID
	w.ask(w.staff, http.MethodPost, "/evaluations", object{"title": "E", "sections": []object{{"items": []object{{"questionId": w.question}}}}}, &made)
	w.evaluation = made.ID
	w.ask(w.staff, http.MethodPost, "/evaluations/"+w.evaluation+"/publish", nil, &made)
	w.evaluationVersion = made.Published.ID
}

// exchange exports the question to a file, with its parts in columns, and imports it again.
func (w *walk) exchange() {
	file := string(w.send(w.staff, http.MethodGet, "/questions/export?qtype="+string(w.row.Name), nil))
	whole := slices.ContainsFunc(w.row.Parts, func(p scoring.Part) bool { return p.Column == scoring.ColumnContent })
	if !strings.Contains(file, "Is it so?") || strings.Contains(file, "{") != whole {
		w.Errorf("the columns do not say the question:\n%s", file)
	}
	var done struct{ Unchanged, Created, ErrorCount int }
	w.ask(w.staff, http.MethodPost, "/questions/import/commit", object{"csv": file}, &done)
	if done.Unchanged != 1 || done.Created != 0 || done.ErrorCount != 0 {
		w.Errorf("the import of the export: %+v", done)
	}
	w.ask(w.staff, http.MethodPost, "/questions/import/commit", object{"csv": strings.ReplaceAll(file, "\nq,", "\nnew,")}, &done)
	if done.Created != 1 {
		w.Errorf("the import of a new question: %+v", done)
	}
}

func (w *walk) take() {
	var session struct {
		ID       string
		Sections []struct {
			Items []struct {
				ItemID, QType string
				Options       []struct{ ID string }
			}
		}
	}
	w.ask(w.candidate, http.MethodPost, "/evaluations/"+w.evaluation+"/sessions", object{}, &session)
	item := session.Sections[0].Items[0]
	if item.QType != string(w.row.Name) || (len(item.Options) > 0) != w.row.HasOptions() {
		w.Errorf("the candidate sees %+v", item)
	}
	path := "/evaluations/" + w.evaluation + "/sessions/" + session.ID
	w.ask(w.candidate, http.MethodPost, path+"/answers", object{"view": 1, "answers": []object{{"itemId": item.ItemID, "sequence": 1,
		"response": answered[w.row.Answer]}}}, nil)
	w.ask(w.candidate, http.MethodPost, path+"/submit", object{}, nil)
	w.submission, w.item = session.ID, item.ItemID
	w.scored(!w.row.ByPeople())
}

// decide gives the item another score: by a person's mark, or by a key that the answer misses.
func (w *walk) decide() {
	_, rekey := w.asked()
	draft := object{"questionVersionId": w.version, "evaluationVersionId": w.evaluationVersion, "rule": "rekey", "reason": "the key was wrong", "parameters": rekey}
	if w.row.ByPeople() {
		if refused := string(w.send(w.staff, http.MethodPost, "/remediations", draft)); !strings.Contains(refused, "has no key") {
			w.Errorf("a new key for what people score: %s", refused)
		}
		w.ask(w.staff, http.MethodPost, "/submissions/"+w.submission+"/items/"+w.item+"/score", object{"score": 1}, nil)
		w.scored(true)
		return
	}
	var made struct{ ID ids.ID }
	w.ask(w.staff, http.MethodPost, "/remediations", draft, &made)
	w.ask(w.staff, http.MethodPost, "/remediations/"+made.ID.String()+"/apply", nil, nil)
	_, err := remediation.Run(w.Context(), w.Store, w.Tenant, made.ID, nil)
	if err != nil {
		w.Fatal(err)
	}
	w.scored(false)
}

// scored looks at the item in the attempt report: whether it has full credit, and why.
func (w *walk) scored(right bool) {
	w.Helper()
	var report struct {
		Items []struct {
			IsCorrect                         bool `json:"is_correct"`
			DisplayAnswer, ScoringExplanation string
		}
	}
	w.ask(w.staff, http.MethodGet, "/reporting/session-attempts/"+w.submission, nil, &report)
	item := report.Items[0]
	if item.IsCorrect != right || item.DisplayAnswer == "" || strings.HasPrefix(item.ScoringExplanation, "A correction") {
		w.Errorf("the report says %+v, want right %v", item, right)
	}
}

// project looks at the health of the question; right is how many have its first part right.
func (w *walk) project(right int) {
	w.Project(w.T)
	var health struct {
		QType    string
		Core     struct{ Attempts int }
		Analysis struct {
			ChoiceSingle, ChoiceMulti *struct{ Options []struct{ N int } }
			Parts                     *struct {
				Parts       []struct{ N int }
				TopPatterns []struct{ OptionIDs []string }
			}
		}
	}
	w.ask(w.staff, http.MethodGet, "/reporting/question-versions/"+w.version+"/health", nil, &health)
	single, several, parts := health.Analysis.ChoiceSingle, health.Analysis.ChoiceMulti, health.Analysis.Parts
	if health.QType != string(w.row.Name) || health.Core.Attempts != 1 || (single != nil) != (w.row.Answer == scoring.OneOption) ||
		(several != nil) != (w.row.Answer == scoring.SeveralOptions) || (parts != nil) != w.row.HasParts() {
		w.Errorf("the health is %+v", health)
	}
	if single != nil && single.Options[0].N+single.Options[1].N != 1 || several != nil && several.Options[0].N+several.Options[1].N != 1 {
		w.Error("the choice is not counted")
	}
	if parts != nil && (len(parts.Parts) != 2 || parts.Parts[0].N != right) {
		w.Errorf("the parts are not counted: %+v, want %d right", parts, right)
	}
	if w.row.Answer == scoring.FilledGaps && !slices.Equal(parts.TopPatterns[0].OptionIDs, []string{[]string{"g1=wrong", "g1=right"}[right], "g2=B"}) {
		w.Errorf("what was typed is reported as %v", parts.TopPatterns)
	}
}

// ask sends a request that must succeed, and reads the answer.
func (w *walk) ask(token, method, path string, body, into any) {
	w.Helper()
	got := w.send(token, method, path, body)
	var failed struct{ Code string }
	err := json.Unmarshal(got, &failed)
	if err != nil || failed.Code != "" {
		w.Fatalf("%s %s: %s", method, path, got)
	}
	if into == nil {
		return
	}
	err = json.Unmarshal(got, into)
	if err != nil {
		w.Fatalf("%s %s: %v", method, path, err)
	}
}

func (w *walk) send(token, method, path string, body any) []byte {
	w.Helper()
	sent, err := json.Marshal(body)
	if err != nil {
		w.Fatal(err)
	}
	if body == nil {
		sent = nil
	}
	req, err := http.NewRequestWithContext(w.Context(), method, w.URL+"/api/v1"+path, bytes.NewReader(sent))
	if err != nil {
		w.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", ids.New().String())
	req.Header.Set("X-Step-Up-Proof", w.Proof(w.T, token))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.Fatal(err)
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		w.Fatal(err)
	}
	return got
}
