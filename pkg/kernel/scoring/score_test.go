package scoring

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func options(ids ...string) *Response { return &Response{OptionIDs: ids} }
func text(s string) *Response         { return &Response{Text: &s} }
func number(x float64) *Response      { return &Response{Number: &x} }

// optionKeys makes a key of the options A, B, ...; the ones in correct are right.
func optionKeys(n int, correct string) []OptionKey {
	keys := make([]OptionKey, n)
	for i := range keys {
		keys[i].ID = string(rune('A' + i))
	}
	for _, c := range correct {
		keys[c-'A'].Correct = true
	}
	return keys
}

var (
	mcq     = Key{QType: MCQ, Options: optionKeys(4, "B"), Weight: 2, ContributesToScore: true}
	mrq     = Key{QType: MRQ, Options: optionKeys(5, "ABC"), Weight: 2, ContributesToScore: true}
	partial = Key{QType: MRQ, Options: optionKeys(5, "ABC"), Weight: 2, Method: Partial, ContributesToScore: true}
	bounded = Key{QType: MRQ, Options: optionKeys(5, "ABC"), MinSelections: 2, MaxSelections: 3, Method: Partial}
	capital = Key{QType: ShortText, Accepted: []string{"São Paulo", "Straße", "ᾴ"}}
	tenth   = Key{QType: Numeric, Value: 1, Tolerance: 0.1}
	exactly = Key{QType: Numeric, Value: 0.3}
	essay   = Key{QType: Essay, Weight: 5}
)

// Each rule of folding stays as it was when the first snapshot named it.
func TestTextsAreFoldedByTheRuleOfTheirTime(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rule, locale, accepted, answer string
		right                          bool
	}{
		{"", "en", "don't", "DON'T ", true}, {"", "en", "don't", "don’t", false}, {"", "en", "café", "cafe\u0301", true},
		{"", "en", "café", "ca\u200bfé", false}, {"", "en", "12", "１２", false}, {"", "tr", "ılık", "ILIK", false},
		{"v2", "en", "don't", "DON’T", true}, {"v2", "en", "café", "\ufeffca\u00ad\u202cfé", true}, {"v2", "en", "x-ray", "X\u2011Ray", true},
		{"v2", "en", "12", "１２", true}, {"v2", "tr", "ılık", "ILIK", true}, {"v2", "tr", "ilik", "ILIK", false}, {"v2", "en", "ilik", "ILIK", true},
		{"v2", "en", "café", "cafe", false},
	} {
		k := Key{QType: ShortText, Accepted: []string{tt.accepted}, Folding: Folding{tt.rule, tt.locale}}
		if got := Score(k, Config{}, text(tt.answer)).IsCorrect; got != tt.right {
			t.Errorf("%q in %s: %q for %q is right: %t", tt.rule, tt.locale, tt.answer, tt.accepted, got)
		}
	}
}

func TestScoreOfRules(t *testing.T) {
	t.Parallel()
	penalty := Config{NegativeMarking: 0.25}
	tests := []struct {
		name       string
		key        Key
		config     Config
		response   *Response
		wantStatus Status
		wantScore  float64
		wantCode   string
	}{
		{"mcq right gives the weight", mcq, Config{}, options("B"), Scored, 2, ""},
		{"mcq wrong gives nothing", mcq, Config{}, options("A"), Scored, 0, ""},
		{"mcq without a right option gives nothing", Key{QType: MCQ, Options: optionKeys(2, "")}, Config{}, options("A"), Scored, 0, ""},
		{"mcq with two options is invalid", mcq, penalty, options("A", "B"), Invalid, 0, CodeTooManySelections},
		{"weight is 1 unless given", Key{QType: MCQ, Options: optionKeys(2, "A")}, Config{}, options("A"), Scored, 1, ""},
		{"mrq all or nothing: all", mrq, Config{}, options("C", "A", "B"), Scored, 2, ""},
		{"mrq all or nothing: one missing", mrq, Config{}, options("A", "B"), Scored, 0, ""},
		{"mrq all or nothing: one too many", mrq, Config{}, options("A", "B", "C", "D"), Scored, 0, ""},
		{"mrq partial: two of three", partial, Config{}, options("A", "B"), Scored, 1.3333333333, ""},
		{"mrq partial: wrong ones take away", partial, Config{}, options("A", "B", "D"), Scored, 0.6666666667, ""},
		{"mrq partial: not below nothing", partial, Config{}, options("A", "D", "E"), Scored, 0, ""},
		{"mrq without a right option gives nothing", Key{QType: MRQ, Method: Partial, Options: optionKeys(2, "")}, Config{}, options("A"), Scored, 0, ""},
		{"too few selections", bounded, penalty, options("A"), Invalid, 0, CodeTooFewSelections},
		{"too many selections", bounded, penalty, options("A", "B", "C", "D"), Invalid, 0, CodeTooManySelections},
		{"selections within bounds", bounded, Config{}, options("A", "B"), Scored, 0.6666666667, ""},
		{"selections on the bound", bounded, Config{}, options("A", "B", "C"), Scored, 1, ""},
		{"one option twice counts once", bounded, Config{}, options("A", "A"), Invalid, 0, CodeTooFewSelections},
		{"unknown option", mrq, Config{}, options("A", "Z"), Invalid, 0, CodeUnknownOption},
		{"short text folds case and space", capital, Config{}, text("  são\t PAULO\n"), Scored, 1, ""},
		{"short text normalises", capital, Config{}, text("Sa\u0303o Paulo"), Scored, 1, ""},
		{"short text folds as Unicode does", capital, Config{}, text("STRASSE"), Scored, 1, ""},
		{"short text normalises before it folds", capital, Config{}, text("α\u0345\u0301"), Scored, 1, ""},
		{"short text keeps accents apart", capital, Config{}, text("Sao Paulo"), Scored, 0, ""},
		{"numeric on the edge, in decimals", tenth, Config{}, number(1.1), Scored, 1, ""},
		{"numeric on the lower edge", tenth, Config{}, number(0.9), Scored, 1, ""},
		{"numeric past the edge", tenth, Config{}, number(1.1000001), Scored, 0, ""},
		{"numeric without tolerance", exactly, Config{}, number(0.3), Scored, 1, ""},
		{"numeric without tolerance, beside it", exactly, Config{}, number(0.30000000000000004), Scored, 0, ""},
		{"numeric zero is an answer", Key{QType: Numeric}, Config{}, number(0), Scored, 1, ""},
		{"numeric NaN", tenth, Config{}, number(math.NaN()), Invalid, 0, CodeInvalidNumber},
		{"essay waits for a person", essay, penalty, text("..."), Pending, 0, ""},
		{"wrong kind of answer", mcq, penalty, text("B"), Invalid, 0, CodeWrongKind},
		{"two kinds of answer", mcq, Config{}, &Response{OptionIDs: []string{"B"}, Number: new(float64)}, Invalid, 0, CodeWrongKind},
		{"unknown type of question", Key{QType: "riddle"}, Config{}, text("B"), Invalid, 0, CodeWrongKind},
		{"omitted", mcq, penalty, nil, Exempt, 0, ""},
		{"omitted: no options", mrq, penalty, options(), Exempt, 0, ""},
		{"omitted: blank text", capital, penalty, text(" \n\u00a0"), Exempt, 0, ""},
		{"omitted essay", essay, Config{}, text(""), Exempt, 0, ""},
		{"negative marking: wrong", mcq, penalty, options("A"), Scored, -0.5, ""},
		{"negative marking: right", mcq, penalty, options("B"), Scored, 2, ""},
		{"negative marking: partial credit", partial, penalty, options("A"), Scored, 0.6666666667, ""},
		{"negative marking: partial credit of nothing", partial, penalty, options("A", "D"), Scored, -0.5, ""},
		{"negative marking: short text", capital, penalty, text("Rio"), Scored, -0.25, ""},
		{"negative marking: numeric", tenth, penalty, number(7), Scored, -0.25, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := Score(test.key, test.config, test.response)
			if got.Status != test.wantStatus || got.Score != test.wantScore || got.InvalidCode != test.wantCode {
				t.Errorf("got %s %v %q, want %s %v %q", got.Status, got.Score, got.InvalidCode,
					test.wantStatus, test.wantScore, test.wantCode)
			}
			if math.Signbit(got.Score) && got.Score == 0 {
				t.Error("the score is a negative zero")
			}
		})
	}
}

func TestScoreFillsTheItem(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		key      Key
		response *Response
		want     Item
	}{
		{"mcq", mcq, options("B"), Item{Status: Scored, Method: AllOrNothing, Score: 2, MaxScore: 2,
			IsCorrect: true, CorrectSelected: 1, TotalCorrect: 1}},
		{"partial credit", partial, options("A", "B", "D"), Item{Status: Scored, Method: Partial, Score: 0.6666666667,
			MaxScore: 2, PartialCredit: true, CorrectSelected: 2, IncorrectSelected: 1, TotalCorrect: 3}},
		{"invalid", bounded, options("D"), Item{Status: Invalid, Method: Partial, MaxScore: 1,
			InvalidCode: CodeTooFewSelections, IncorrectSelected: 1, TotalCorrect: 3}},
		{"omitted", mrq, nil, Item{Status: Exempt, Method: AllOrNothing, MaxScore: 2, Omitted: true,
			OmitReason: OmitNoResponse, TotalCorrect: 3}},
		{"essay", essay, text("..."), Item{Status: Pending, Method: Manual, MaxScore: 5}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, Score(test.key, Config{}, test.response)); diff != "" {
				t.Errorf("item (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPattern(t *testing.T) {
	t.Parallel()
	ids := []string{"C", "A", "B"}
	if got := Pattern(ids); got != "A+B+C" || ids[0] != "C" {
		t.Errorf("got %q of %v, want A+B+C of [C A B]", got, ids)
	}
	// printf 'A+B+C' | sha256sum
	const want = "fe153f639ec1439f"
	if got := PatternHash(ids); got != want {
		t.Errorf("hash: got %q, want %q", got, want)
	}
}

// A survey item without a key judges no answer, not even 0, which an absent value reads as.
func TestNoAnswerIsRightWithoutAKey(t *testing.T) {
	t.Parallel()
	zero := 0.0
	got := Score(Key{QType: Numeric, Unkeyed: true}, Config{}, &Response{Number: &zero})
	if got.Status != Scored || got.IsCorrect || got.Score != 0 {
		t.Errorf("got %+v", got)
	}
}
