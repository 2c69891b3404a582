package aiken_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/exchange/aiken"
	"assess/pkg/author/exchange/bank"
)

func TestReadsQuestions(t *testing.T) {
	t.Parallel()
	for source, want := range map[string][]string{
		"What is 1 + 1?\nA) one\nB) two\nANSWER: B\n\nNext?\nA. yes\nB. no\nANSWER: A": {"1 What is 1 + 1? A:one* B:two!", "6 Next? A:yes! B:no*"},
		"\ufeffTwo\r\nlines\r\nA) a\r\nB) b\r\nANSWER: A":                              {"1 Two\nlines A:a! B:b*"},
		"Q\nA) a\nB) b\nC) c\nANSWER: A, C":                                            {"1 Q A:a! B:b* C:c!"},
		"Q\nA) a\nANSWER: D":                                                           {"1 Q A:a* incomplete"},
		"Q\nA) a\nB) b\nNo answer\nA) a\nB) b\nANSWER: B":                              {"1 Q A:a* B:b* malformed", "4 No answer A:a* B:b!"},
		"Q\nA) a\nANSWER: first":                                                       {"1 Q A:a* malformed"},
		"Only text":                                                                    {"1 Only text malformed"},
		"caf\xe9?\nA) yes\nB) no\nANSWER: A":                                           {"1 café? A:yes! B:no*"},
	} {
		var got []string
		err := aiken.Read(strings.NewReader(source), func(it *bank.Item) error {
			s := fmt.Sprintf("%d %s", it.Line, bank.Plain(it.Stem))
			for _, o := range it.Options {
				s += " " + o.ID + ":" + bank.Plain(o.Content) + map[bool]string{true: "!", false: "*"}[o.Correct]
			}
			for _, p := range it.Problems {
				s += " " + p.Code
			}
			got = append(got, s)
			return nil
		})
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q: %v %s", source, err, diff)
		}
	}
}
