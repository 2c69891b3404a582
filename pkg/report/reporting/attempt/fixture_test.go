package attempt

import (
	"encoding/json"
	"fmt"
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
	"assess/pkg/report/projection"
)

// room has a published evaluation with everything that an attempt can show: two sections,
// the five types of questions, a survey item, a passage, a draw, shuffled items and options,
// negative marking, tags of two facets.
type room struct {
	*testing.T
	store             *db.Store
	operator, analyst db.Scope
	desk              *session.Desk
	evaluation        ids.ID
	snapshot          *authoring.Snapshot
}

func newRoom(t *testing.T) *room {
	t.Helper()
	return roomOf(t, sample.Store(t))
}

func roomOf(t *testing.T, store *db.Store) *room {
	t.Helper()
	r := &room{T: t, store: store, operator: sample.Tenant(t, store), desk: session.NewDesk()}
	r.analyst = sample.As(r.operator, ids.New(), capability.ReportingViewNamed)
	r.write(func(tx *db.Tx) error {
		e := sample.EvaluationInput()
		e.Settings = authoring.Settings{ShuffleItems: true, ShuffleOptions: true, FeedbackTagKeys: []string{"topic"},
			ScoringConfig: scoring.Config{NegativeMarking: 0.25}}
		pass := 50.0
		e.Settings.PassMarkPercent = &pass
		e.Sections = []authoring.SectionInput{r.firstSection(tx), r.secondSection(tx)}
		made, err := authoring.CreateEvaluation(t.Context(), tx, e)
		if err != nil {
			return err
		}
		made, err = authoring.PublishEvaluation(t.Context(), tx, made.ID)
		if err != nil {
			return err
		}
		r.evaluation = made.ID
		r.snapshot, err = authoring.LoadSnapshot(t.Context(), tx, made.Published.ID)
		return err
	})
	return r
}

// firstSection has a passage with two questions and a draw of three out of six.
func (r *room) firstSection(tx *db.Tx) authoring.SectionInput {
	rivers, lakes := sample.Term(r, tx, "topic", "rivers"), sample.Term(r, tx, "topic", "lakes")
	hard := sample.Term(r, tx, "difficulty", "hard")
	for i := range 6 {
		in := sample.QuestionInput("B")
		in.TaxonomyTermIDs = []ids.ID{rivers}
		if i%2 == 0 {
			in.TaxonomyTermIDs = append(in.TaxonomyTermIDs, hard)
		}
		r.question(tx, in)
	}
	read := sample.QuestionInput("A")
	read.TaxonomyTermIDs = []ids.ID{lakes}
	passage := sample.Passage(r, tx, r.question(tx, read), r.question(tx, sample.QuestionInput("A", "C")))
	return authoring.SectionInput{Title: "Reading 読解", Items: []authoring.ItemInput{{PassageID: passage.ID},
		{Draw: &authoring.Draw{Count: 3, TaxonomyTermIDs: []ids.ID{rivers}}}}}
}

// secondSection has fixed questions of the other kinds and one that adds nothing.
func (r *room) secondSection(tx *db.Tx) authoring.SectionInput {
	lakes := sample.Term(r, tx, "topic", "lakes")
	value, weight := 9.81, 4.0
	survey := false
	partial, text, exact, essay, asked := sample.QuestionInput("A", "B", "C"), sample.QuestionInput(), sample.QuestionInput(),
		sample.QuestionInput(), sample.QuestionInput("D")
	partial.Scoring = &authoring.QuestionScoring{Method: scoring.Partial, MaxSelections: 3}
	partial.TaxonomyTermIDs = []ids.ID{lakes}
	text.QType, text.Options, text.Scoring = scoring.ShortText, nil, &authoring.QuestionScoring{AcceptedAnswers: []string{"Bodensee"}}
	exact.QType, exact.Options, exact.Scoring = scoring.Numeric, nil, &authoring.QuestionScoring{Value: &value, Tolerance: 0.01}
	essay.QType, essay.Options, essay.Weight = scoring.Essay, nil, &weight
	essay.Stem = sample.Content("Describe a river.", "اكتب عن النهر")
	asked.ContributesToScore = &survey
	section := authoring.SectionInput{Title: "Writing"}
	for _, in := range []authoring.QuestionInput{partial, text, exact, essay, asked} {
		section.Items = append(section.Items, authoring.ItemInput{QuestionID: r.question(tx, in)})
	}
	return section
}

func (r *room) question(tx *db.Tx, in authoring.QuestionInput) ids.ID {
	r.Helper()
	q, err := authoring.CreateQuestion(r.Context(), tx, in)
	if err != nil {
		r.Fatal(err)
	}
	_, err = authoring.PublishQuestion(r.Context(), tx, q.ID)
	if err != nil {
		r.Fatal(err)
	}
	return q.ID
}

func (r *room) write(fn func(*db.Tx) error) {
	r.Helper()
	sample.Write(r, r.store, r.operator, fn)
}

// take makes a new person take an attempt. answer gives the JSON of each answer, empty to leave the
// item out, and the time it took; events are runtime events.
func (r *room) take(answer func(place int, item session.Item) (string, int64), events ...string) (ids.ID, session.Session) {
	r.Helper()
	var open session.Session
	r.write(func(tx *db.Tx) error {
		user := sample.User(r, tx, capability.Candidate).ID
		label := "spring"
		var err error
		open, err = r.desk.Start(r.Context(), tx, session.StartInput{EvaluationID: r.evaluation, UserID: &user, RunLabel: &label})
		if err != nil {
			return err
		}
		var answers []session.Answer
		place := 0
		for _, section := range open.Sections {
			for _, item := range section.Items {
				response, ms := answer(place, item)
				place++
				if response != "" {
					answers = append(answers, session.Answer{ItemID: item.ItemID, Sequence: 1, Response: json.RawMessage(response), TimeSpentMs: &ms})
				}
			}
		}
		if len(answers) > 0 {
			_, err = r.desk.Save(r.Context(), tx, session.SaveInput{EvaluationID: r.evaluation, SessionID: open.ID, Answers: answers})
			if err != nil {
				return err
			}
		}
		var batch []session.Event
		for _, e := range events {
			batch = append(batch, session.Event{Type: e})
		}
		if len(batch) > 0 {
			_, err = r.desk.RecordEvents(r.Context(), tx, session.EventsInput{EvaluationID: r.evaluation, SessionID: open.ID, Events: batch})
			if err != nil {
				return err
			}
		}
		_, err = r.desk.Submit(r.Context(), tx, session.SubmitInput{EvaluationID: r.evaluation, SessionID: open.ID})
		return err
	})
	return open.ID, open
}

// answered gives each type an answer: a right one or a wrong one.
func answered(item session.Item, right bool) string {
	texts := map[string][2]string{
		"mcq":        {`{"optionIds":["D"]}`, `{"optionIds":["B"]}`},
		"mrq":        {`{"optionIds":["A","D"]}`, `{"optionIds":["C","A"]}`},
		"short_text": {`{"text":"Lake Garda"}`, `{"text":" bodensee"}`},
		"numeric":    {`{"number":-3.5}`, `{"number":9.805}`},
		"essay":      {`{"text":"=SUM(A1) is how it begins"}`, `{"text":"النهر طويل"}`},
	}
	if right {
		return texts[string(item.QType)][1]
	}
	return texts[string(item.QType)][0]
}

func (r *room) project() {
	r.Helper()
	for n := 1; n > 0; {
		r.write(func(tx *db.Tx) error {
			var err error
			n, err = projection.ProjectBatch(r.Context(), tx, projection.BatchSize)
			return err
		})
	}
}

func (r *room) get(id ids.ID, lang string) Report {
	r.Helper()
	var report Report
	err := r.store.Write(r.Context(), r.analyst, func(tx *db.Tx) error {
		var err error
		report, err = Get(r.Context(), tx, GetInput{SubmissionID: id, Lang: lang})
		return err
	})
	if err != nil {
		r.Fatal(err)
	}
	return report
}

// exec runs a statement that must change something; $1 is the tenant.
func (r *room) exec(sql string, args ...any) {
	r.Helper()
	r.write(func(tx *db.Tx) error {
		n, err := tx.Exec(r.Context(), sql, append([]any{tx.Tenant()}, args...)...)
		if err == nil && n == 0 {
			err = fmt.Errorf("nothing changed: %s", sql)
		}
		return err
	})
}

func keyOf(value float64) scoring.Key { return scoring.Key{Value: value, ContributesToScore: true} }

// lockdown is required or not, and allows losing the focus or not.
func lockdown(required, focus bool) authoring.Lockdown {
	return authoring.Lockdown{Required: required, AllowFocusLoss: focus}
}
