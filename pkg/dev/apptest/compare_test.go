package apptest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"assess/pkg/kernel/ids"
)

// shown is what one can read about a session and its submission.
type shown struct {
	State    string
	View     int
	Revision int64
	Receipt  string
	Answers  map[int]string
	Status   string
	Method   string
	Total    string
	Items    []string
	Correct  []bool
	Versions []string
}

// shows is what one reads according to the model.
func (s *attempt) shows() shown {
	out := shown{State: s.state, View: s.view, Revision: s.revision, Receipt: s.receipt, Answers: map[int]string{}}
	if s.state == "overdue" {
		out.State = "expired"
	}
	for i, a := range s.answers {
		out.Answers[i] = fmt.Sprintf("%d %s", a.sequence, a.word)
	}
	if s.scores == nil {
		return out
	}
	out.Status, out.Method, out.Total = s.status(), s.method, total(s.scores)
	for i, w := range s.scores {
		out.Items, out.Correct = append(out.Items, fmt.Sprintf("%s %s", s.answers[i].word, w)), append(out.Correct, w.correct)
	}
	for i, v := range s.versions {
		out.Versions = append(out.Versions, fmt.Sprintf("%d %s by %q: %s, %s", i+1, v.reason, v.remedy, v.total, v.item))
	}
	return out
}

type shownAnswer struct {
	ItemID      ids.ID
	Sequence    int64
	Response    json.RawMessage
	ScoreStatus string
	Score       float64
	MaxScore    float64 `json:"max_score"`
	IsCorrect   bool    `json:"is_correct"`
}

// read reads a session as its candidate, and its submission as the staff.
func (s *service) readBack(ctx context.Context, of *attempt) (shown, error) {
	var session struct {
		State    string
		View     int
		Revision int64
		SHA256   string
		Answers  []shownAnswer
	}
	evaluation, id := s.exams[of.exam].EvaluationID.String(), s.id(of.name).String()
	_, err := s.get(ctx, of.owner, "/evaluations/"+evaluation+"/sessions/"+id, &session)
	if err != nil {
		return shown{}, err
	}
	out := shown{State: session.State, View: session.View, Revision: session.Revision, Receipt: session.SHA256, Answers: map[int]string{}}
	for _, a := range session.Answers {
		out.Answers[s.place(of.exam, a.ItemID)] = fmt.Sprintf("%d %s", a.Sequence, wordOf(a.Response))
	}
	return out, s.readSubmission(ctx, of, id, &out)
}

func (s *service) readSubmission(ctx context.Context, of *attempt, id string, out *shown) error {
	var submission struct {
		Status, CompletionMethod string
		Score, MaxScore          float64
		OutcomeCode              string `json:"outcome_code"`
		Items                    []shownAnswer
	}
	status, err := s.get(ctx, "staff", "/submissions/"+id, &submission)
	if err != nil || status == http.StatusNotFound {
		return err
	}
	out.Status, out.Method = submission.Status, submission.CompletionMethod
	out.Total = fmt.Sprintf("%v of %v, %s", submission.Score, submission.MaxScore, submission.OutcomeCode)
	out.Items, out.Correct = make([]string, len(paper)), make([]bool, len(paper))
	for _, i := range submission.Items {
		at := s.place(of.exam, i.ItemID)
		out.Items[at], out.Correct[at] = fmt.Sprintf("%s %s %v of %v", wordOf(i.Response), i.ScoreStatus, i.Score, i.MaxScore), i.IsCorrect
	}
	return s.readVersions(ctx, of, id, out)
}

func (s *service) readVersions(ctx context.Context, of *attempt, id string, out *shown) error {
	var versions struct {
		Items []struct {
			Number          int
			Reason          string
			RemediationID   *ids.ID
			Score, MaxScore float64
			OutcomeCode     string `json:"outcome_code"`
			Items           []shownAnswer
		}
	}
	_, err := s.get(ctx, "staff", "/submissions/"+id+"/score-versions?limit=100", &versions)
	for _, v := range slices.Backward(versions.Items) {
		by, changed := "", ""
		if v.RemediationID != nil {
			by = s.nameOf(*v.RemediationID)
		}
		for _, i := range v.Items {
			changed += fmt.Sprintf("%d: %s %v of %v", s.place(of.exam, i.ItemID), i.ScoreStatus, i.Score, i.MaxScore)
		}
		out.Versions = append(out.Versions, fmt.Sprintf("%d %s by %q: %v of %v, %s, %s", v.Number, v.Reason, by, v.Score, v.MaxScore, v.OutcomeCode, changed))
	}
	return err
}

// get reads something; if it is missing, that is no error.
func (s *service) get(ctx context.Context, who, path string, into any) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/api/v1"+path, nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+s.tokens[who])
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK && res.StatusCode != http.StatusNotFound {
		return 0, fmt.Errorf("GET %s: %d", path, res.StatusCode)
	}
	return res.StatusCode, json.NewDecoder(res.Body).Decode(into)
}
