package page

import (
	"fmt"
	"slices"
	"strings"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/plural"
	"assess/pkg/kernel/wire"
	"assess/pkg/trust/glassbox"
	"assess/pkg/trust/readiness"
)

// GlassBox draws what a link shows of a submission. bundle is the address of the bundle to download;
// empty for none. Where lists are so long that the page would be heavy, it shows the newest of each.
func GlassBox(b glassbox.Box, bundle string) Page {
	p := box(b, bundle)
	for most := 100; most > 10 && weight(p) > heaviest; most /= 2 {
		p = box(newestOf(b, most), bundle)
	}
	return p
}

// newestOf is a box with at most some rows of each list.
func newestOf(b glassbox.Box, most int) glassbox.Box {
	b.Verifications = first(b.Verifications, most)
	b.ScoreVersions.Items, b.Decisions.Items, b.Findings.Items = first(b.ScoreVersions.Items, most), first(b.Decisions.Items, most), first(b.Findings.Items, most)
	b.Claims.Items, b.Disputes.Items = first(b.Claims.Items, most), first(b.Disputes.Items, most)
	if b.Evidence != nil {
		evidence := *b.Evidence
		evidence.Items = first(evidence.Items, most)
		b.Evidence = &evidence
	}
	return b
}

func first[T any](all []T, most int) []T { return all[:min(len(all), most)] }

func box(b glassbox.Box, bundle string) Page {
	p := Page{Kind: "Glass box of " + b.Organisation, Name: b.Title, AsOf: "As of " + moment(b.AsOf) + ". The link is valid until " + moment(b.Link.ExpiresAt) + ".",
		Foot: "Shown without names and answers; people stand here by their roles. Each view of this page is written into the ledger."}
	p.Details = boxDetails(b)
	p.Lines = []string{fmt.Sprintf("From %s to %s, %s.", moment(b.StartedAt), moment(b.CompletedAt), wire.Words(b.CompletionMethod)),
		"Status: " + standing(b.Status, b.ApprovalStatus) + "."}
	p.Tiles = []Tile{
		{Label: "Outcome", Value: wire.Words(b.OutcomeCode), Tone: outcomeTone(b.OutcomeCode), Note: "Score version " + whole(b.ScoreVersion)},
		{Label: "Score", Value: wire.Points(b.Score), Note: "Of " + wire.Points(b.MaxScore)},
		readyTile(b.ProofReadiness.ReadyNow), executedTile(b.ProofReadiness.DefensibleAtExecution),
		{Label: "In the log", Value: yesOr(b.Ledger.Current, b.Ledger.InLog), Tone: logTone(b.Ledger), Note: "The state of the submission"},
	}
	p.Notices = boxNotices(b)
	p.Parts = []Part{boxReadiness(b), boxVersions(b), boxVerifications(b), boxDecisions(b)}
	if b.Evidence != nil {
		p.Parts = append(p.Parts, boxEvidence(b))
	}
	p.Parts = append(p.Parts, boxFindings(b), boxCases("Claims", b, b.Claims), boxCases("Disputes", b, b.Disputes), boxProof(b, bundle))
	return p
}

func readyTile(ready bool) Tile {
	if ready {
		return Tile{Label: "Ready now", Value: "yes", Tone: Good, Note: "Under the policy of the day"}
	}
	return Tile{Label: "Ready now", Value: "no", Tone: Bad, Note: "Under the policy of the day"}
}

func executedTile(defensible bool) Tile {
	if defensible {
		return Tile{Label: "Defensible at submit", Value: "yes", Tone: Good, Note: "Under the policy of that day"}
	}
	return Tile{Label: "Defensible at submit", Value: "no", Tone: Bad, Note: "Under the policy of that day"}
}

// yesOr says whether the log has the state, an older one, or none yet.
func yesOr(current, inLog bool) string {
	switch {
	case current:
		return "yes"
	case inLog:
		return "an older one"
	}
	return "not yet"
}

func logTone(l glassbox.Ledger) Tone {
	if l.Current {
		return Good
	}
	return Warning
}

func boxNotices(b glassbox.Box) []Notice {
	if b.ProofReadiness.Reasons == nil {
		return []Notice{{Tone: Faint, Label: "Reasons", Text: "This link shows how the result stands, and not the reasons for it."}}
	}
	full := func(e glassbox.Entry) readiness.EntryStatus {
		return readiness.EntryStatus{State: e.State, Reasons: *e.Reasons}
	}
	return readinessNotices(readiness.KoeStatus{Knowledge: full(b.KoeStatus.Knowledge), Observation: full(b.KoeStatus.Observation), Evidence: full(b.KoeStatus.Evidence)},
		readiness.ProofReadiness{ReadyNow: b.ProofReadiness.ReadyNow, DefensibleAtExecution: b.ProofReadiness.DefensibleAtExecution, Reasons: *b.ProofReadiness.Reasons})
}

func boxReadiness(b glassbox.Box) Part {
	t := &Table{Header: head("Entry", "State", "Is about")}
	for _, e := range []struct {
		name, about string
		glassbox.Entry
	}{{"Knowledge", "scores and outcome", b.KoeStatus.Knowledge}, {"Observation", "how it was taken, verified and decided about", b.KoeStatus.Observation},
		{"Evidence", "files, claims, disputes, and the exam as it was", b.KoeStatus.Evidence}} {
		t.Rows = append(t.Rows, []Cell{label(e.name), toned(wire.Words(string(e.State)), entryTone(e.State)), words(e.about)})
	}
	note := "The policy of the day is the one at submit."
	if b.ProofReadiness.PolicyRefCurrent != b.ProofReadiness.PolicyRefExecution {
		note = "The policy of the day is another one than at submit."
	}
	return Part{Heading: "Readiness", Note: note + " Details has what identifies them.", Table: t, Wide: true}
}

// boxDetails are what identifies the submission, its exam, and the policies and rules that it was judged by.
func boxDetails(b glassbox.Box) []Detail {
	all := []Detail{{"Submission", b.SubmissionID.String()}, {"Evaluation version", b.EvaluationVersionID.String()}, {"Evaluation", b.EvaluationID.String()},
		{"Rules of readiness", b.ProofReadiness.LogicVersion}, {"Policy at submit", b.ProofReadiness.PolicyRefExecution}, {"Policy of the day", b.ProofReadiness.PolicyRefCurrent}}
	for _, v := range b.Verifications {
		all = append(all, Detail{"Policy for " + wire.Words(v.AppliesTo) + ", " + moment(v.VerifiedAt), v.PolicyRef})
	}
	return all
}

func entryTone(s readiness.State) Tone {
	if s == readiness.NotRequired {
		return Faint
	}
	return readinessTone(s)
}

func boxVersions(b glassbox.Box) Part {
	t := &Table{Header: head(">Version", "Reason", "By", "Outcome", ">Score", "When")}
	for _, v := range b.ScoreVersions.Items {
		t.Rows = append(t.Rows, []Cell{figure(whole(v.Number)), label(wire.Words(v.Reason)), by(v.By), toned(wire.Words(v.OutcomeCode), outcomeTone(v.OutcomeCode)),
			figure(wire.Points(v.Score) + " of " + wire.Points(v.MaxScore)), words(moment(v.CreatedAt))})
	}
	return Part{Heading: "Scores", Note: "Corrections are added, and nothing is overwritten; the newest version counts." + rest(len(t.Rows), b.ScoreVersions.Total), Table: t, Wide: true}
}

func boxVerifications(b glassbox.Box) Part {
	t := &Table{Header: head("Action", "Kind", "Method", "When"), Empty: "No policy asked for any."}
	for _, v := range b.Verifications {
		t.Rows = append(t.Rows, []Cell{label(wire.Words(v.AppliesTo)), words(wire.Words(v.Kind)), words(orNone(wire.Words(v.Method))), words(moment(v.VerifiedAt))})
	}
	return Part{Heading: "Verifications", Note: "How the submit and what people did about it were verified." + rest(len(t.Rows), b.VerificationsTotal), Table: t, Wide: true}
}

func boxDecisions(b glassbox.Box) Part {
	t := &Table{Header: head("Decision", "By", "When"), Empty: "Nothing was decided about it."}
	for _, d := range b.Decisions.Items {
		t.Rows = append(t.Rows, []Cell{label(wire.Words(d.Decision)), by(d.By), words(moment(d.DecidedAt))})
	}
	return Part{Heading: "Decisions", Note: strings.TrimSpace(rest(len(t.Rows), b.Decisions.Total)), Table: t, Wide: true}
}

func boxEvidence(b glassbox.Box) Part {
	t := &Table{Header: head("File", "Status", "Last check", ">Bytes", "Added"), Empty: "There are no files."}
	for _, e := range b.Evidence.Items {
		t.Rows = append(t.Rows, []Cell{{Text: wire.Words(e.Kind) + ", " + e.MediaType, Note: "SHA-256 " + e.SHA256, Label: true, Href: e.File}, words(wire.Words(e.Status)),
			toned(wire.Words(e.Integrity), integrityTone(e.Integrity)), figure(whole(e.SizeBytes)), words(moment(e.CreatedAt))})
	}
	return Part{Heading: "Evidence", Note: "The hash tells whether a file is the one that was added." + rest(len(t.Rows), b.Evidence.Total), Table: t, Wide: true}
}

func integrityTone(found string) Tone {
	switch found {
	case models.IntegrityOK:
		return Good
	case models.IntegrityChanged, models.IntegrityMissing:
		return Bad
	}
	return Warning
}

func boxFindings(b glassbox.Box) Part {
	t := &Table{Header: head("Finding", "Severity", "About", "By", "When"), Empty: "Nothing was found."}
	for _, f := range b.Findings.Items {
		t.Rows = append(t.Rows, []Cell{{Text: f.Code, Label: true, ID: f.ID.String()}, toned(wire.Words(f.Severity), findingTone(f.Severity)), words("the " + f.Scope), by(f.By), words(moment(f.DetectedAt))})
	}
	return Part{Heading: "Findings", Note: strings.TrimSpace(rest(len(t.Rows), b.Findings.Total)), Table: t, Wide: true}
}

func findingTone(severity string) Tone {
	switch severity {
	case "major", "critical":
		return Bad
	case "minor":
		return Warning
	}
	return Faint
}

func boxCases(heading string, b glassbox.Box, cases db.List[glassbox.Case]) Part {
	t := &Table{Header: head("State", "Raised by", "Raised", "Decided by", "Decided", "Findings"), Empty: "There are none."}
	for _, c := range cases.Items {
		decided := none
		if c.DecidedAt != nil {
			decided = moment(*c.DecidedAt)
		}
		t.Rows = append(t.Rows, []Cell{toned(wire.Words(c.State), caseTone(c.State)), by(c.RaisedBy), words(moment(c.RaisedAt)), by(c.DecidedBy), words(decided),
			{Text: plural.Of(len(c.FindingIDs), "finding"), Note: findingNames(b, c.FindingIDs)}})
	}
	return Part{Heading: heading, Note: strings.TrimSpace(rest(len(t.Rows), cases.Total)), Table: t, Wide: true}
}

func caseTone(state string) Tone {
	switch state {
	case models.CaseOpen:
		return Warning
	case models.CaseUpheld:
		return Bad
	}
	return Faint
}

// boxProof lists what can be checked without the service.
func boxProof(b glassbox.Box, bundle string) Part {
	rows := [][]Cell{
		{label("The exam as it was taken"), {Text: b.SnapshotHash, Code: true, Note: "SHA-256 of the canonical JSON (RFC 8785)"}},
		{label("The state of the submission"), {Text: b.StateHash, Code: true, Note: b.StateScheme}},
	}
	note := "The log does not have the submission yet; it will within a minute."
	if p := b.Ledger.Proof; p != nil {
		note = "The log has the state of the submission. Whoever owns the database cannot change it unseen any more."
		if p.Submission != nil && p.Submission.StateHash != nil {
			rows = append(rows, []Cell{label("The state that the log has"), {Text: *p.Submission.StateHash, Code: true, Note: p.Submission.StateScheme}})
		}
		rows = append(rows, []Cell{label("Event of the log"), {Text: fmt.Sprintf("%d of %d", p.Inclusion.Index+1, p.Inclusion.Size), Code: true}},
			[]Cell{label("Checkpoint"), {Text: p.Checkpoint, Code: true}})
		if bundle != "" {
			rows = append(rows, []Cell{label("To take along"), {Text: "Signed bundle", Href: bundle, Note: "assessctl ledger verify FILE checks it without the service"}})
		}
	}
	return Part{Heading: "Proof", Note: note, Table: &Table{Header: head("What", "Value"), Rows: rows}, Wide: true}
}

func by(roles []string) Cell {
	spokenRoles := make([]string, 0, len(roles))
	for _, r := range roles {
		spokenRoles = append(spokenRoles, wire.Words(r))
	}
	return words(orNone(strings.Join(spokenRoles, ", ")))
}

// rest says how many there are in all when not all are shown.
func rest(shown, total int) string {
	if total <= shown {
		return ""
	}
	return fmt.Sprintf(" The newest %d of %d.", shown, total)
}

// findingNames says what findings are about; a finding that is not on the page stays unnamed.
func findingNames(b glassbox.Box, all []ids.ID) string {
	var names []string
	for _, f := range b.Findings.Items {
		if slices.Contains(all, f.ID) {
			names = append(names, f.Code)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
