package markup

import (
	"os"
	"strings"
	"testing"
)

func TestTeXIsDrawnAsMathML(t *testing.T) {
	t.Parallel()
	for tex, want := range map[string]string{
		`\frac{a}{b} \le x^{2}`:        "<mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow></mfrac><mo>≤</mo><msup><mi>x</mi><mrow><mn>2</mn></mrow></msup>",
		`x_1^2`:                        "<msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup>",
		`\sqrt[3]{x} - 1.5`:            "<mroot><mrow><mi>x</mi></mrow><mrow><mn>3</mn></mrow></mroot><mo>−</mo><mn>1.5</mn>",
		`\text{if } a<b`:               "<mtext>if </mtext><mi>a</mi><mo>&lt;</mo><mi>b</mi>",
		`\vec{v}\,\left(\sin x\right.`: `<mover><mrow><mi>v</mi></mrow><mo>→</mo></mover><mspace width=".17em"/><mo>(</mo><mi>sin</mi><mi>x</mi><mrow></mrow>`,
	} {
		got, known := presentation(tex)
		if got != "<mrow>"+want+"</mrow>" || !known {
			t.Errorf("%s: %v\n got %s\nwant %s", tex, known, got, want)
		}
	}
	for _, tex := range []string{`\unheardof`, "x^", "{x", `\frac{a}`, "x^2^3", "}", `\text{a{b}}`, `\text`, "^", `\`, strings.Repeat("{", 100_000), strings.Repeat(`\hat`, 100_000) + "x"} {
		if got, known := presentation(tex); known {
			t.Errorf("%.20s is known as %s", tex, got)
		}
	}
}

// The candidate's page and the export draw the same commands.
func TestTheExportKnowsTheTeXOfTheCandidatesPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../../examples/candidate/math.js")
	if err != nil {
		t.Fatal(err)
	}
	for table, known := range map[string]map[string]string{"greek": greek, "signs": signs, "above": above} {
		_, drawn, _ := strings.Cut(string(page), "const "+table+" = {")
		drawn, _, _ = strings.Cut(drawn, "}\n")
		for name, sign := range known {
			if !strings.Contains(drawn, " "+name+`: "`+sign+`"`) {
				t.Errorf("the page does not draw \\%s as %s", name, sign)
			}
		}
		if n := strings.Count(drawn, `: "`); n != len(known) {
			t.Errorf("of %s the page draws %d, the export %d", table, n, len(known))
		}
	}
}
