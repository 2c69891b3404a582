package apptest_test

import (
	"encoding/json"
	"fmt"
	"net/http"

	"assess/pkg/kernel/ids"
)

type object = map[string]any

// request is how a call is made over HTTP.
func (s *service) request(c call) (method, path string, body any) {
	session, submission, remedy := s.id(c.session).String(), "/submissions/"+s.id(c.session).String(), "/remediations/"+s.id(c.remedy).String()
	evaluation := "/evaluations/" + s.exams[c.exam].EvaluationID.String() + "/sessions"
	path = evaluation + "/" + session
	switch c.kind {
	case "start":
		return http.MethodPost, evaluation, object{}
	case "save":
		return http.MethodPost, path + "/answers", object{"view": c.view, "answers": s.answers(c)}
	case "event":
		events := []object{}
		for id, kind := range c.events {
			events = append(events, object{"id": id, "type": kind})
		}
		return http.MethodPost, path + "/events", object{"view": c.view, "events": events}
	case "resume":
		return http.MethodPost, path + "/resume", nil
	case "submit":
		meant := object{}
		if c.view > 0 {
			meant["view"] = c.view
		}
		if c.revision >= 0 {
			meant["revision"] = c.revision
		}
		return http.MethodPost, path + "/submit", meant
	case "close":
		return http.MethodPost, path + "/close", object{"reason": "because"}
	case "extend":
		return http.MethodPost, path + "/extend", object{"reason": "because", "extraTimeSeconds": 60}
	case "void":
		return http.MethodPost, submission + "/void", object{"comment": "because"}
	case "mark":
		item := s.exams[c.exam].Sections[0].Items[c.item].ItemID
		return http.MethodPost, submission + "/items/" + item.String() + "/score", object{"score": c.share * paper[c.item].weight}
	case "draft":
		return http.MethodPost, "/remediations", s.draft(c)
	}
	return http.MethodPost, remedy + "/" + c.kind, nil
}

func (s *service) answers(c call) []object {
	var all []object
	for _, a := range c.answers {
		all = append(all, object{"itemId": s.exams[c.exam].Sections[0].Items[a.item].ItemID, "sequence": a.sequence,
			"response": json.RawMessage(paper[a.item].response(a.word))})
	}
	return all
}

func (s *service) draft(c call) object {
	exam, q := s.exams[c.exam], paper[c.item]
	body := object{"questionVersionId": exam.Sections[0].Items[c.item].QuestionVersionID, "rule": c.rule, "reason": "the key was wrong"}
	if len(c.chosen) == 0 {
		body["evaluationVersionId"] = exam.EvaluationVersionID
		// When later submissions are corrected depends on the projector, which the model leaves out. They have tests of their own.
		body["also_later"] = false
	} else {
		var chosen []ids.ID
		for _, name := range c.chosen {
			chosen = append(chosen, s.id(name))
		}
		body["submissionIds"] = chosen
	}
	var response struct {
		OptionIDs []string    `json:"correctOptionIds,omitempty"`
		Accepted  []string    `json:"acceptedAnswers,omitempty"`
		Value     json.Number `json:"value,omitempty"`
		Score     *float64    `json:"score,omitempty"`
	}
	switch {
	case c.rule == "adjust_item":
		score := c.share * q.weight
		response.Score = &score
	case c.rule != "rekey":
	case q.qtype == "numeric":
		response.Value = json.Number(c.word)
	case q.qtype == "short_text":
		response.Accepted = []string{c.word}
	default:
		for _, letter := range c.word {
			response.OptionIDs = append(response.OptionIDs, string(letter))
		}
	}
	body["parameters"] = response
	return body
}

// reply has the fields of all answers that the model knows of.
type reply struct {
	Code, Message string
	ID            ids.ID
	View          int
	Revision      int64
	SHA256        string
	Saved         []struct {
		ItemID   ids.ID
		Sequence int64
	}
	Superseded []struct {
		ItemID   ids.ID
		Sequence int64
	}
	Accepted         int
	AlreadyComplete  bool
	Status           string
	Score, MaxScore  float64
	OutcomeCode      string `json:"outcome_code"`
	ExtraTimeSeconds int
	State            string
	Changed          int
	ScoreVersion     int
	ItemScoreStatus  string
	ItemScore        float64
	ItemMaxScore     float64
	RemediatedBy     *ids.ID
}

// facts are the facts of a reply that the model states.
func (s *service) facts(c call, r reply) answer {
	sum := fmt.Sprintf("%v of %v, %s", r.Score, r.MaxScore, r.OutcomeCode)
	switch c.kind {
	case "start":
		return facts("session %s", s.name(c.key, r.ID))
	case "save":
		var counted, late []string
		for _, a := range r.Saved {
			counted = append(counted, fmt.Sprintf("%d:%d", s.place(c.exam, a.ItemID), a.Sequence))
		}
		for _, a := range r.Superseded {
			late = append(late, fmt.Sprintf("%d:%d", s.place(c.exam, a.ItemID), a.Sequence))
		}
		return facts("revision %d, receipt %s, saved %v, superseded %v", r.Revision, r.SHA256, counted, late)
	case "event":
		return facts("accepted %d", r.Accepted)
	case "resume":
		return facts("view %d, revision %d", r.View, r.Revision)
	case "submit":
		return facts("already %v, %s, %s", r.AlreadyComplete, r.Status, sum)
	case "close":
		return facts("%s", r.State)
	case "extend":
		return facts("extra %d", r.ExtraTimeSeconds)
	case "void":
		return facts("%s", r.Status)
	case "mark":
		by := ""
		if r.RemediatedBy != nil {
			by = s.nameOf(*r.RemediatedBy)
		}
		return facts("version %d, item %s %v of %v, remediated by %q, %s", r.ScoreVersion, r.ItemScoreStatus, r.ItemScore, r.ItemMaxScore, by, sum)
	case "draft":
		return facts("remediation %s", s.name(c.key, r.ID))
	case "work":
		return facts("%s, changed %d", r.State, r.Changed)
	}
	return facts("%s", r.State)
}

// name gives what a call made the name of the call, and the name of anything known.
func (s *service) name(key string, id ids.ID) string {
	_, known := s.ids[key]
	if !known {
		s.ids[key] = id
	}
	return s.nameOf(id)
}

func (s *service) nameOf(id ids.ID) string {
	for name, known := range s.ids {
		if known == id {
			return name
		}
	}
	return "unknown " + id.String()
}
