package qti

import (
	"encoding/xml"
	"fmt"
	"math"
	"strings"

	"assess/pkg/author/exchange/bank"
)

// placed is where the writer put an item, and the score of its full credit.
type placed struct {
	name   string
	weight float64
}

// AddTest writes a test of items that were written before. A test that names another item is left out.
func (w *Writer) AddTest(t *bank.Test) error {
	var b, dependencies strings.Builder
	w.head(&b, t)
	n := 0
	for i, s := range t.Sections {
		fmt.Fprintf(&b, `<qti-assessment-section identifier="s%d" title="%s" visible="true">`, i+1, escape(s.Title))
		limit(&b, s.TimeLimit)
		if t.Shuffled {
			b.WriteString(`<qti-ordering shuffle="true"/>`)
		}
		b.WriteString("\n")
		for _, item := range s.Items {
			at, known := w.items[item.ID]
			if !known {
				t.Refuse(bank.NotThere, "the question "+item.ID+" is left out")
				continue
			}
			n++
			fmt.Fprintf(&b, `<qti-assessment-item-ref identifier="i%d" href="../%s">%s</qti-assessment-item-ref>`+"\n", n, at.name, factor(item, at))
			fmt.Fprintf(&dependencies, `<dependency identifierref="r%s"/>`, strings.TrimSuffix(strings.TrimPrefix(at.name, "items/"), ".xml"))
		}
		b.WriteString("</qti-assessment-section>\n")
	}
	b.WriteString("</qti-test-part>\n" + sumOfAll + "</qti-assessment-test>\n")
	if !t.Usable() {
		return nil
	}
	w.tests++
	name := fmt.Sprintf("tests/%d.xml", w.tests)
	fmt.Fprintf(&w.resources, `<resource identifier="t%d" type="imsqti_test_xmlv3p0" href="%s"><file href="%s"/>%s</resource>`+"\n", w.tests, name, name, dependencies.String())
	return w.file(name, []byte(b.String()))
}

const sumOfAll = `<qti-outcome-processing><qti-set-outcome-value identifier="SCORE"><qti-sum><qti-test-variables variable-identifier="SCORE" weight-identifier="WEIGHT"/></qti-sum></qti-set-outcome-value></qti-outcome-processing>
`

func (w *Writer) head(b *strings.Builder, t *bank.Test) {
	b.WriteString(xml.Header + `<qti-assessment-test xmlns="` + space3 + `" identifier="` + spell(t.ID) + `" title="` + escape(t.Name) + `">` + "\n")
	b.WriteString(`<qti-outcome-declaration identifier="SCORE" cardinality="single" base-type="float"><qti-default-value><qti-value>0</qti-value></qti-default-value></qti-outcome-declaration>` + "\n")
	limit(b, t.TimeLimit)
	way := "nonlinear"
	if t.Linear {
		way = "linear"
	}
	b.WriteString(`<qti-test-part identifier="part" navigation-mode="` + way + `" submission-mode="simultaneous">` + "\n")
}

func limit(b *strings.Builder, seconds *int) {
	if seconds != nil {
		fmt.Fprintf(b, `<qti-time-limits max-time="%d"/>`, *seconds)
	}
}

// factor writes a weight of the test: what the points of the item are multiplied by.
func factor(item bank.TestItem, at placed) string {
	if item.Weight == nil || *item.Weight == at.weight || at.weight == 0 {
		return ""
	}
	return `<qti-weight identifier="WEIGHT" value="` + decimal(math.Round(*item.Weight/at.weight*1e12)/1e12) + `"/>`
}
