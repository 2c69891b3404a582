package exchange_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"assess/pkg/author/exchange"
	"assess/pkg/author/exchange/bank"
)

// For any file, a reader answers with items or with a problem, and a writer takes each item that can be used.
func FuzzRead(f *testing.F) {
	for _, format := range exchange.Formats {
		if !format.Writes() || !format.Reads() {
			continue
		}
		for _, it := range samples() {
			var out bytes.Buffer
			w := format.NewWriter(&out)
			_ = w.Add(&it) // a buffer takes everything
			_ = w.Close()
			f.Add(out.Bytes())
		}
	}
	f.Add([]byte("Q\nA) a\nB) b\nANSWER: A"))
	for _, pattern := range []string{"bank/raw/gift/*.gift", "exchange/*/items_*/*.xml", "exchange/moodle_xml_dima/*.xml"} {
		files, _ := filepath.Glob(filepath.Join(collections, pattern))
		for _, file := range files {
			if data, err := os.ReadFile(file); err == nil && len(data) < 20_000 {
				f.Add(data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		format, err := exchange.Find(bytes.NewReader(data))
		if err != nil {
			return
		}
		err = format.Read(bytes.NewReader(data), func(it *bank.Item) error {
			for _, to := range exchange.Formats {
				if to.Writes() && it.Usable() {
					copied := *it
					if err := to.NewWriter(io.Discard).Add(&copied); err != nil {
						t.Error(err)
					}
				}
			}
			return nil
		})
		var problem *bank.Problem
		if err != nil && !errors.As(err, &problem) {
			t.Errorf("%T %v", err, err)
		}
	})
}
