package bank

import (
	"slices"
	"strconv"
	"strings"

	"assess/pkg/kernel/scoring"
)

// Class says how bad a loss is.
type Class string

// The classes. Presentation and Feedback are taken; Scoring needs a yes; Unsupported makes the item unusable.
const (
	Presentation Class = "presentation"
	Feedback     Class = "feedback"
	Scoring      Class = "scoring"
	Unsupported  Class = "unsupported"
)

// Code names a loss.
type Code string

// The codes of losses.
const (
	StyleDropped           Code = "style_dropped"
	RemoteImage            Code = "remote_image"
	AltMissing             Code = "alt_missing"
	TableCaptionMade       Code = "table_caption_made"
	MediaDropped           Code = "media_dropped"
	MathAsText             Code = "math_as_text"
	LanguageDropped        Code = "language_dropped"
	OptionWeightDropped    Code = "option_weight_dropped"
	HottextAsList          Code = "hottext_as_list"
	SliderAsNumber         Code = "slider_as_number"
	CompositeSplit         Code = "composite_split"
	DescriptionAsPassage   Code = "description_as_passage"
	OptionFeedbackDropped  Code = "option_feedback_dropped"
	HintDropped            Code = "hint_dropped"
	CaseIgnored            Code = "case_ignored"
	Wildcard               Code = "wildcard"
	PartialAnswer          Code = "partial_answer"
	UnequalWeights         Code = "unequal_weights"
	NegativeFraction       Code = "negative_fraction"
	SeveralValues          Code = "several_values"
	Units                  Code = "units"
	MappingChanged         Code = "mapping_changed"
	OwnProcessing          Code = "own_processing"
	ScoredByKey            Code = "scored_by_key"
	Parameterised          Code = "parameterised"
	Adaptive               Code = "adaptive"
	UnsupportedInteraction Code = "unsupported_interaction"
	UnsupportedPlugin      Code = "unsupported_plugin"
	TestDropped            Code = "test_dropped"
	TimeLimitDropped       Code = "time_limit_dropped"
	TestOrderDropped       Code = "test_order_dropped"
	TestSettingDropped     Code = "test_setting_dropped"
	InstructionsDropped    Code = "instructions_dropped"
	TestFeedbackDropped    Code = "test_feedback_dropped"
	BranchRules            Code = "branch_rules"
	SelectionDropped       Code = "selection_dropped"
	TestProcessing         Code = "test_processing"
	UnsupportedTestPart    Code = "unsupported_test_part"
)

// Loss has the meaning of a code.
type Loss struct {
	Code  Code
	Class Class
	Text  string
}

// Losses has a row for each code.
var Losses = []Loss{
	{StyleDropped, Presentation, "colours, sizes, rules and frames of the text are left out"},
	{RemoteImage, Presentation, "a picture that is not in the file is left out"},
	{AltMissing, Presentation, "a picture has no alternative text"},
	{TableCaptionMade, Presentation, "a table has no caption, and gets a general one"},
	{MediaDropped, Presentation, "sound, film or another file is left out"},
	{MathAsText, Presentation, "a formula becomes text"},
	{LanguageDropped, Presentation, "the question's other languages are left out"},
	{OptionWeightDropped, Presentation, "the weight of an option, which counts for nothing, is left out"},
	{HottextAsList, Presentation, "parts of a text to select become a list of options"},
	{SliderAsNumber, Presentation, "a slider becomes a number to type"},
	{CompositeSplit, Presentation, "several questions in one become a passage with a question each"},
	{DescriptionAsPassage, Presentation, "a text without a question becomes a passage"},
	{TestDropped, Presentation, "the test that lists the questions is left out"},
	{TimeLimitDropped, Presentation, "a time limit of a test is left out"},
	{TestOrderDropped, Presentation, "the way through a test changes"},
	{TestSettingDropped, Presentation, "a setting of a test is left out"},
	{InstructionsDropped, Presentation, "the instructions of a test or of a section are left out"},
	{OptionFeedbackDropped, Feedback, "the feedback for an answer is left out"},
	{HintDropped, Feedback, "a hint is left out"},
	{TestFeedbackDropped, Feedback, "the feedback for a whole test is left out"},
	{CaseIgnored, Scoring, "upper and lower case no longer matter"},
	{Wildcard, Scoring, "an answer with a wildcard is taken as it is written"},
	{PartialAnswer, Scoring, "an answer for part of the points is no longer right"},
	{UnequalWeights, Scoring, "right options that count differently count the same"},
	{NegativeFraction, Scoring, "wrong options subtract otherwise"},
	{SeveralValues, Scoring, "of several right numbers one stays"},
	{Units, Scoring, "units are left out"},
	{MappingChanged, Scoring, "points for answers are given otherwise"},
	{OwnProcessing, Scoring, "the question's own rule of scoring is left out, and the key counts"},
	{ScoredByKey, Scoring, "the file does not say how it is scored, so the key counts"},
	{BranchRules, Scoring, "a rule that skips questions of a test is left out, and everybody gets all of them"},
	{SelectionDropped, Scoring, "a section that selects some of its questions gets all of them"},
	{TestProcessing, Scoring, "a test's own rule for its result is left out, and the points of its questions add up"},
	{Parameterised, Unsupported, "the question computes its text or its key"},
	{Adaptive, Unsupported, "the question changes with the answers"},
	{UnsupportedInteraction, Unsupported, "there is no question type for this kind of answer"},
	{UnsupportedPlugin, Unsupported, "there is no question type for this plugin"},
	{UnsupportedTestPart, Unsupported, "there is no such part of a test in the format"},
}

var losses = func() map[Code]Loss {
	all := map[Code]Loss{}
	for _, l := range Losses {
		all[l.Code] = l
	}
	return all
}()

// Notice is a loss of an item.
type Notice struct {
	Code    Code   `json:"code"`
	Class   Class  `json:"class"`
	Message string `json:"message"`
}

// maxNotices limits the notices of one item, except for the first of each class.
const maxNotices = 200

// Lose adds a loss, each once; what may name the thing that it is about.
func (it *Item) Lose(code Code, what ...string) {
	l := losses[code]
	text := l.Text
	if about := strings.Join(what, " "); about != "" {
		text += ": " + about
	}
	n := Notice{code, l.Class, text}
	if (len(it.Notices) < maxNotices || !it.Has(n.Class)) && !slices.Contains(it.Notices, n) {
		it.Notices = append(it.Notices, n)
	}
}

// Has says whether the item lost something of a class.
func (it *Item) Has(class Class) bool {
	return slices.ContainsFunc(it.Notices, func(n Notice) bool { return n.Class == class })
}

// Keep drops the notices of all classes but these.
func (it *Item) Keep(classes ...Class) {
	it.Notices = slices.DeleteFunc(it.Notices, func(n Notice) bool { return !slices.Contains(classes, n.Class) })
}

// Usable says that nothing keeps the item out, except perhaps a change of its scoring.
func (it *Item) Usable() bool { return len(it.Problems) == 0 && !it.Has(Unsupported) }

// Problem is a problem with a file or an item.
type Problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	// Path and Line are the place, as far as it is known.
	Path string `json:"path,omitempty"`
	Line int    `json:"line,omitempty"`
}

func (p *Problem) Error() string {
	var at []string
	if p.Path != "" {
		at = append(at, p.Path)
	}
	if p.Line > 0 {
		at = append(at, "line "+strconv.Itoa(p.Line))
	}
	if len(at) == 0 {
		return p.Message
	}
	return strings.Join(at, ", ") + ": " + p.Message
}

// The codes of problems.
const (
	UnknownFormat  = "unknown_format"
	ArchiveRefused = "archive_refused"
	Malformed      = "malformed"
	DuplicateID    = "duplicate_external_id"
	Incomplete     = "incomplete"
	NotThere       = "file_missing"
	TooLarge       = "too_large"
)

// Refuse adds a problem at the item's place.
func (it *Item) Refuse(code, message string) {
	it.Problems = append(it.Problems, Problem{Code: code, Message: message, Path: it.Path, Line: it.Line})
}

// Numbered is an id made of a prefix and a number.
func Numbered(prefix string, n int) string { return prefix + strconv.Itoa(n) }

// TrueFalse makes the options of a statement to judge, which have fixed ids.
func (it *Item) TrueFalse(right bool, words [2]string) {
	it.Kind = scoring.MCQ
	it.Options = []Option{{ID: "T", Content: Paragraph(words[0]), Correct: right}, {ID: "F", Content: Paragraph(words[1]), Correct: !right}}
}
