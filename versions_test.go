package assess_test

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/kernel/db"
)

// The versions that doctor calls tested are the ones that `make check-all` runs the tests on: Debian's version, the oldest,
// and the versions that scripts/postgres knows.
func TestTestedVersionsAreThoseOfCheck(t *testing.T) {
	t.Parallel()
	for _, place := range []struct{ file, pattern string }{
		{"scripts/postgres", `(?m)^(\d+)\) version=`},
		{"Makefile", `\b(1[5-9])\b`},
	} {
		text, err := os.ReadFile(place.file)
		if err != nil {
			t.Fatal(err)
		}
		var named []int
		for _, found := range regexp.MustCompile(place.pattern).FindAllStringSubmatch(string(text), -1) {
			major, err := strconv.Atoi(found[1])
			if err != nil {
				t.Fatal(err)
			}
			named = append(named, major)
		}
		slices.Sort(named)
		if diff := cmp.Diff(db.TestedMajors[1:], slices.Compact(named)); diff != "" {
			t.Errorf("versions in %s (-tested +named):\n%s", place.file, diff)
		}
	}
	setup, err := os.ReadFile("scripts/setup")
	if err != nil {
		t.Fatal(err)
	}
	if want := "oldest=" + strconv.Itoa(db.TestedMajors[0]); !regexp.MustCompile("(?m)^" + want + "$").Match(setup) {
		t.Errorf("scripts/setup does not say %s", want)
	}
}
