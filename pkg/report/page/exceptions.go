package page

import (
	"fmt"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/wire"
	"assess/pkg/report/exception"
	"assess/pkg/trust/readiness"
)

// Exceptions draws a page of the exceptions queue. names says what owners are called, as far as the reader may know.
func Exceptions(r db.List[exception.Exception], names map[ids.ID]string) Page {
	p := Page{Kind: "Exceptions", Name: "Results that cannot be defended yet"}
	p.Paging = Paging{r.Page, r.Limit, r.Total}
	p.Choices = []Choice{{Label: "First comes", Param: "sort", Values: []Value{{"the oldest issue", exception.OldestFirst}, {"the newest", exception.NewestFirst}}},
		{Label: "Show", Param: "readinessState", Values: []Value{{"all", ""}, {"what is blocked", string(readiness.NotMet)}, {"what waits", string(readiness.Pending)}}}}
	t := &Table{Header: head("Evaluation", "State", "Readiness", "Reasons", "Owner", ">Since"), Empty: "There is nothing to look after."}
	for _, e := range r.Items {
		owner := toned("nobody", Faint)
		if e.OwnerUserID != nil {
			owner = Cell{Text: names[*e.OwnerUserID], ID: e.OwnerUserID.String()}
			if owner.Text == "" {
				owner.Text = "somebody"
			}
		}
		since := Cell{Text: none, Right: true}
		if e.FirstSeenAt != nil {
			since = figure(moment(*e.FirstSeenAt))
		}
		state := words(wire.Words(e.State))
		if e.SuppressedUntil != nil {
			state.Note = "suppressed until " + moment(*e.SuppressedUntil)
		}
		t.Rows = append(t.Rows, []Cell{{Text: orNone(e.EvaluationTitle), ID: e.SubmissionID.String(), Label: true, At: attemptAt(e.SubmissionID.String()), Needs: Named}, state,
			{Text: wire.Words(e.ReadinessState), Tone: readinessTone(readiness.State(e.ReadinessState))},
			words(orNone(sentences(e.Reasons))), owner, since})
	}
	p.Tiles = []Tile{{Label: "In the queue", Value: whole(r.Total), Note: fmt.Sprintf("%d on this page", len(r.Items))}}
	p.Parts = []Part{{Heading: "Submissions", Note: "The oldest issue comes first, unless the list was asked for another order.", Table: t, Wide: true}}
	return p
}
