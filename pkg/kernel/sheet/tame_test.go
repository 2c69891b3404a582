package sheet

import (
	"testing"

	"pgregory.net/rapid"
)

func TestTame(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		"=1+1": "'=1+1", "+a": "'+a", "-b": "'-b", "@c": "'@c", "＝1": "'＝1", "＋1x": "'＋1x", "－x": "'－x", "＠x": "'＠x",
		"a;=b": "a;'=b", "a\t=b": "a\t'=b", "a\n=b": "a\n'=b", "a\r@b": "a\r'@b", ";;-x": ";;'-x", "'=x": "''=x", "''=x": "'''=x",
		"-5": "-5", "+3.25": "+3.25", "-1,5": "-1,5", "-1e-7": "-1e-7", "-12%": "-12%", "a;-5;b": "a;-5;b", "'-5": "'-5", "-5a": "'-5a", "--5": "'--5",
		"a=b": "a=b", "'-ing": "''-ing", "": "", "=": "'=", "+49 30 1": "'+49 30 1", "a,=b": "a,=b",
	} {
		if got := Tame(cell); got != want {
			t.Errorf("%q: got %q, want %q", cell, got, want)
		}
	}
}

func TestUntameGivesBackWhatWasTamed(t *testing.T) {
	t.Parallel()
	part := rapid.SampledFrom([]string{"=", "+", "-", "@", "＝", "'", ";", "\t", "\n", "\r", "5", ".", ",", "x", " ", "é", "%"})
	rapid.Check(t, func(t *rapid.T) {
		cell := ""
		for _, p := range rapid.SliceOf(part).Draw(t, "parts") {
			cell += p
		}
		if back := Untame(Tame(cell)); back != cell {
			t.Errorf("%q is tamed to %q and back to %q", cell, Tame(cell), back)
		}
	})
}
