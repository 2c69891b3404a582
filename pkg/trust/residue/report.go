package residue

import (
	"time"

	"assess/pkg/kernel/ids"
)

// Verdict says what a finding means.
type Verdict string

// The verdicts.
const (
	Residue  Verdict = "residue"
	Possible Verdict = "possible"
	Allowed  Verdict = "allowed"
)

// Rule says why a finding is not residue.
type Rule string

// The rules.
const (
	// AnotherPerson: somebody else of the tenant has the same in their record.
	AnotherPerson Rule = "another_person"
	// WordOfOthers: a word that also has other meanings, in a row that is not about the person.
	WordOfOthers Rule = "word_of_others"
	// Code: such a word in a column that holds codes and ids.
	Code Rule = "code"
)

// Version names the rules by which a report was made.
const Version = "residue/v2"

// MaxFindings bounds the findings that a report lists; all of them are counted.
const MaxFindings = 1000

// Finding is a place that holds an identifier: never the identifier itself.
type Finding struct {
	// Table and Column name the place; of a file, Table is "files" and Column the path inside it.
	Table  string `json:"table"`
	Column string `json:"column"`
	// Row is the primary key, or the name of the file in the store.
	Row     string  `json:"row"`
	Kind    Kind    `json:"kind" enum:"name,name_part,email,email_key,metadata,external_id"`
	Form    Form    `json:"form" enum:"plain,decomposed,url,json,json_twice,html,quoted_printable,hex,base64,utf16,alike"`
	Verdict Verdict `json:"verdict" enum:"residue,possible,allowed"`
	Rule    Rule    `json:"rule,omitempty" enum:"another_person,word_of_others,code"`
}

// Searched counts how much of a table was read.
type Searched struct {
	Table   string `json:"table"`
	Columns int    `json:"columns"`
	Rows    int64  `json:"rows"`
	Bytes   int64  `json:"bytes"`
}

// Reason says why something was not searched.
type Reason string

// The reasons.
const (
	Unreadable Reason = "unreadable"
	TooDeep    Reason = "too_deep"
	TooLarge   Reason = "too_large"
	Damaged    Reason = "damaged"
	Encrypted  Reason = "encrypted"
)

// Gap is something that was not searched.
type Gap struct {
	Table  string `json:"table"`
	Column string `json:"column"`
	Row    string `json:"row,omitempty"`
	Reason Reason `json:"reason" enum:"unreadable,too_deep,too_large,damaged,encrypted"`
}

// Report is what a search did and found.
type Report struct {
	Version   string     `json:"version"`
	TenantID  ids.ID     `json:"tenantId"`
	SubjectID *ids.ID    `json:"subjectId"`
	StartedAt time.Time  `json:"startedAt"`
	EndedAt   *time.Time `json:"endedAt"`
	// Identifiers counts the identifiers that were searched for, by kind.
	Identifiers map[Kind]int `json:"identifiers"`
	Forms       []Form       `json:"forms" nullable:"false"`
	Tables      []Searched   `json:"tables" nullable:"false"`
	Columns     int          `json:"columns"`
	Rows        int64        `json:"rows"`
	Files       int64        `json:"files"`
	// Bytes counts the bytes of columns and files, and of what was unpacked from them.
	Bytes int64 `json:"bytes"`
	// Residue, Possible and Allowed count all findings.
	Residue     int64     `json:"residue"`
	Possible    int64     `json:"possible"`
	Allowed     int64     `json:"allowed"`
	Findings    []Finding `json:"findings" nullable:"false" doc:"At most 1000, residue first in the order of the search"`
	NotSearched []Gap     `json:"notSearched" nullable:"false"`
}

// Clean says that nothing of the person was found.
func (r *Report) Clean() bool { return r.Residue == 0 }

// add counts a finding, and lists it while there is room. Residue takes the room of others, since
// somebody has to act on it.
func (r *Report) add(f Finding) {
	switch f.Verdict {
	case Residue:
		r.Residue++
	case Possible:
		r.Possible++
	case Allowed:
		r.Allowed++
	}
	if len(r.Findings) < MaxFindings {
		r.Findings = append(r.Findings, f)
		return
	}
	if f.Verdict != Residue || r.Residue > MaxFindings {
		return
	}
	for i := len(r.Findings) - 1; i >= 0; i-- {
		if r.Findings[i].Verdict != Residue {
			r.Findings = append(append(r.Findings[:i:i], r.Findings[i+1:]...), f)
			return
		}
	}
}

func (r *Report) gap(g Gap) {
	if len(r.NotSearched) < MaxFindings {
		r.NotSearched = append(r.NotSearched, g)
	}
}
