package exchange_test

import (
	"bytes"
	"runtime"
	"testing"
	"time"

	"assess/pkg/author/exchange"
	"assess/pkg/author/exchange/bank"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/scoring"
)

// many writes a bank of n questions with pictures of a size.
func many(tb testing.TB, f exchange.Format, n, picture int) []byte {
	tb.Helper()
	var out bytes.Buffer
	w := f.NewWriter(&out)
	data := append([]byte("\x89PNG\r\n\x1a\n"), bytes.Repeat([]byte{1, 2, 3, 5, 7, 11, 13, 17}, picture/8)...)
	for i := range n {
		it := &bank.Item{ID: bank.Numbered("q", i), Kind: scoring.MCQ, Stem: para("Which of these is right, and why is it so, in the light of what was said before?"), Explanation: para("Because."),
			Options: options("B", "the first of them", "the second of them", "the third of them", "the last of them")}
		if picture > 0 {
			it.Files = []bank.File{{Name: "a.png", Type: "image/png", Data: data}}
			it.Stem = append(it.Stem, content.Block{Type: content.Image, AssetID: "a.png", Alt: "A picture"})
		}
		if err := w.Add(it); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// counted reads a bank, and gives the heap beyond the file in the midst of it.
func counted(tb testing.TB, f exchange.Format, data []byte) (n int, heap uint64) {
	tb.Helper()
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	err := f.Read(bytes.NewReader(data), func(it *bank.Item) error {
		if n++; n%5_000 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&now)
			heap = max(heap, now.HeapAlloc-min(before.HeapAlloc, now.HeapAlloc))
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return n, heap
}

// The heap does not grow with the bank, except for the ids that are kept to recognise duplicates.
func TestMemoryStaysFlat(t *testing.T) {
	for _, name := range []string{"moodle_xml", "gift"} {
		f, err := exchange.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		n, heap := counted(t, f, many(t, f, 20_000, 0))
		if n != 20_000 || heap > 60<<20 {
			t.Errorf("%s: %d items, %d MiB", name, n, heap>>20)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	for _, c := range []struct {
		format  string
		items   int
		picture int
	}{{"moodle_xml", 10_000, 0}, {"moodle_xml", 1_000, 50_000}, {"gift", 10_000, 0}, {"qti", 1_000, 50_000}} {
		f, err := exchange.Named(c.format)
		if err != nil {
			b.Fatal(err)
		}
		data := many(b, f, c.items, c.picture)
		b.Run(c.format, func(b *testing.B) {
			for b.Loop() {
				begin := time.Now()
				counted(b, f, data)
				b.ReportMetric(float64(c.items)/time.Since(begin).Seconds(), "items/s")
			}
		})
	}
}
