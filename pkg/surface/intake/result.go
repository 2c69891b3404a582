package intake

import (
	"slices"

	"assess/pkg/author/exchange"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/spelling"
)

const maxPreviewRows = 50

// Input is a file and how to take it.
type Input struct {
	Data []byte
	// ImportID is the id of the preview, so that the ledger has the same; none makes a new one.
	ImportID ids.ID
	// SkipInvalid imports the valid records and leaves out the others.
	SkipInvalid bool
	// CreateTerms makes the terms that the file names and nobody has made; without it they are
	// errors.
	CreateTerms bool
	// TagsFacet names the facet of the tags column; default "tags".
	TagsFacet string
	// Locale is the language of rows without one; default "en".
	Locale string
	// CategoryFacet names the facet of the categories of a question bank; default "category".
	CategoryFacet string
	// Format is one of Formats, for questions; without it the file says it.
	Format string
	// AcceptScoringChanges takes questions of a bank that will be scored otherwise than their author meant.
	AcceptScoringChanges bool
	// FileLimit bounds a picture of a bank, in bytes. Unkept says that KeepPictures was not called, for a transaction that will
	// be undone.
	FileLimit int64 `json:"-"`
	Unkept    bool  `json:"-"`
	// Invite queues an invitation by mail to every invitee of the new assignments.
	Invite bool
	// FrameworkID and Title say into which framework the skills of a file go: one that is there, or one of
	// this title, which is made where there is none. A CASE package says so itself.
	FrameworkID ids.ID
	Title       string
	// Publish publishes the skills of the file.
	Publish bool
	// Delimiter is comma, semicolon or tab; 0 finds it.
	Delimiter rune
	// Decimal is DecimalComma or DecimalPoint; without it a comma before exactly three digits is refused.
	Decimal string
	// Progress, where given, is told after each chunk how many rows are done and how many
	// there are.
	Progress func(done, total int) `json:"-"`

	// rehearsal says that the file is looked at and not written.
	rehearsal bool
	// bank is the format of a question bank, where the file is one; tests says that its tests are wanted.
	bank  exchange.Format
	tests bool
}

// Notices say what the questions of a bank lose on the way.
type Notices struct {
	Notices      []exchange.ItemNotice `json:"notices,omitempty" nullable:"false" doc:"What the questions of a question bank lose: the first 1,000. Those of class scoring need acceptScoringChanges, those of class unsupported keep the question out"`
	MoreNotices  int                   `json:"moreNotices,omitempty" doc:"Notices for which the list has no room"`
	NoticeCounts map[string]int        `json:"noticeCounts,omitempty" doc:"How many there are of each code"`
}

// The signs that may begin the decimals of a number.
const (
	DecimalComma = "comma"
	DecimalPoint = "point"
)

// Besides leaves out notices that are also listed as errors.
func (n Notices) Besides(errors []Problem) Notices {
	n.Notices = slices.DeleteFunc(slices.Clone(n.Notices), func(one exchange.ItemNotice) bool {
		return slices.ContainsFunc(errors, func(p Problem) bool { return p.Item == one.Item && p.Line == one.Line && p.Code == one.Code })
	})
	return n
}

// Preview is what a file would do. The specification shows it twice, with valid and errors
// as lists (section 4.6) and as counts (section 4.11); here each has its name. Lists are
// never null. ErrorCount counts lines, each of which may have several errors, and the header is one of them; so it
// may differ from InvalidCount, which also counts the rows without an error whose record has one elsewhere.
// Valid and Errors have room for 1,000, Rows for the first 50.
type Preview struct {
	ImportID     ids.ID     `json:"importId"`
	Total        int        `json:"total" doc:"Rows: validCount and invalidCount together"`
	ValidCount   int        `json:"validCount" doc:"Rows that would be written"`
	InvalidCount int        `json:"invalidCount" doc:"Rows that would not: with an error, or of a record or file with one"`
	Records      int        `json:"records" doc:"Records of which the valid rows are; one may have several rows"`
	Valid        []ValidRow `json:"valid" nullable:"false"`
	ErrorCount   int        `json:"errorCount" doc:"Lines with an error, the header included"`
	Errors       []Problem  `json:"errors" nullable:"false"`
	MoreErrors   int        `json:"moreErrors" doc:"Errors for which the list has no room"`
	Warnings     []Problem  `json:"warnings" nullable:"false"`
	Notices
	Rows []PreviewRow `json:"rows" nullable:"false"`
}

// ValidRow is a row that would be written; Key is the external id (users: the e-mail
// address) of its record.
type ValidRow struct {
	Line int    `json:"line"`
	Item string `json:"item,omitempty" doc:"As in errors"`
	Key  string `json:"key"`
}

// PreviewRow shows one row. Only users have Email (in canonical form, "" for a text that is not an
// address) and Metadata, and they always have both.
type PreviewRow struct {
	Line     int            `json:"line"`
	Item     string         `json:"item,omitempty" doc:"As in errors"`
	Key      string         `json:"key"`
	Email    *string        `json:"email,omitzero"`
	Metadata map[string]any `json:"metadata,omitzero"`
	Numbers  []ReadNumber   `json:"numbers,omitempty" nullable:"false" doc:"The numbers of the row, as they were read"`
	Status   string         `json:"status" enum:"valid,error"`
	Message  string         `json:"message"`
}

// ReadNumber is a number of a cell as it was read.
type ReadNumber struct {
	Column string  `json:"column"`
	Value  float64 `json:"value"`
}

// Commit is what an import did. Errors are the errors of the skipped rows.
type Commit struct {
	ImportID   ids.ID    `json:"importId"`
	Total      int       `json:"total" doc:"Rows: written and skipped together"`
	Written    int       `json:"written" doc:"Rows whose records are as the file says"`
	Skipped    int       `json:"skipped" doc:"Rows that were left out"`
	Records    int       `json:"records" doc:"Records of the written rows: created, changed and unchanged together"`
	Created    int       `json:"created" doc:"Records that are new"`
	Changed    int       `json:"changed" doc:"Records that were changed"`
	Unchanged  int       `json:"unchanged" doc:"Records that were already as the file says"`
	Published  int       `json:"published" doc:"Evaluations or skills that were published"`
	ErrorCount int       `json:"errorCount" doc:"Lines with an error"`
	Errors     []Problem `json:"errors" nullable:"false"`
	MoreErrors int       `json:"moreErrors" doc:"Errors for which the list has no room"`
	Warnings   []Problem `json:"warnings" nullable:"false"`
	Notices
}

// count adds the change of one record: "created", "changed" or "unchanged".
func (c *Commit) count(change string) {
	c.Records++
	switch change {
	case "created":
		c.Created++
	case "changed":
		c.Changed++
	default:
		c.Unchanged++
	}
}

func (in Input) importID() ids.ID {
	if in.ImportID != ids.None {
		return in.ImportID
	}
	return ids.New()
}

func (in Input) tagsFacet() string {
	if in.TagsFacet == "" {
		return "tags"
	}
	return spelling.Name(in.TagsFacet)
}

func (in Input) locale() string {
	if in.Locale == "" {
		return "en"
	}
	return in.Locale
}
