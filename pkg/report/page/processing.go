package page

import (
	"assess/pkg/kernel/wire"
	"assess/pkg/trust/processing"
)

// Processing draws the record of processing activities, to give to a supervisory authority.
func Processing(r processing.Record) Page {
	p := Page{Kind: "Record of processing", Name: r.Controller, AsOf: "As of " + moment(r.At),
		Lines: []string{"For what data of people are processed, on which legal basis, who gets them, and how long they are kept (GDPR, article 30)."}}
	t := &Table{Header: head("Purpose", "Legal basis", "Whose data", "Which data", "Recipients", "Kept"), Empty: "There are no purposes."}
	for _, l := range r.Lines() {
		t.Rows = append(t.Rows, []Cell{{Text: l.What, Note: l.Purpose, Label: true}, {Text: wire.Words(l.LegalBasis), Note: "article " + l.Article}, {Text: l.People},
			{Text: l.Data}, {Text: orNone(l.Recipients)}, {Text: l.Periods}})
	}
	p.Parts = []Part{{Heading: "Purposes", Table: t, Wide: true}}
	p.Foot = "What each column of the database holds of people is in the data map of the service."
	return p
}
