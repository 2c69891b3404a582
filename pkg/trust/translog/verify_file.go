package translog

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// FileInput says what to verify offline: an export or a proof, with older checkpoints, and the
// keys that count. Without Keys the keys in the file count, which shows that the file is whole,
// and not who made it.
type FileInput struct {
	Path  string
	Older []Older
	Keys  []string
}

// longestLine bounds a line of an export; the longest are batches of states.
const longestLine = 16 << 20

// VerifyFile verifies an export, a proof or a glass box without any database. If the content of the file is
// wrong, that is a finding; an error says that the file cannot be read.
func VerifyFile(in FileInput) (Report, error) {
	first, err := firstLine(in.Path)
	if err != nil {
		return Report{}, err
	}
	if strings.Contains(first, `"`+ExportFormat+`"`) {
		return verifyExport(in)
	}
	text, err := os.ReadFile(in.Path)
	if err != nil {
		return Report{}, err
	}
	var b Bundle
	err = json.Unmarshal(text, &b)
	if err == nil && b.Format == ShownFormat {
		var s Shown
		err = json.Unmarshal(text, &s)
		if err != nil {
			return Report{}, fmt.Errorf("%s: %w", in.Path, err)
		}
		return VerifyShown(s, in.Older, in.Keys)
	}
	if err != nil || b.Format != BundleFormat {
		return Report{}, fmt.Errorf("%s is neither an export of a log, a proof nor a glass box", in.Path)
	}
	return VerifyBundle(b, in.Older, in.Keys)
}

func firstLine(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // only read from
	line, err := bufio.NewReader(io.LimitReader(f, longestLine)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return line, nil
}

func verifyExport(in FileInput) (Report, error) {
	f, err := os.Open(in.Path)
	if err != nil {
		return Report{}, err
	}
	defer f.Close() //nolint:errcheck // only read from
	lines := bufio.NewScanner(f)
	lines.Buffer(make([]byte, 1<<16), longestLine)
	var h exportHeader
	if lines.Scan() {
		err = json.Unmarshal(lines.Bytes(), &h)
	}
	if err != nil || h.Format != ExportFormat {
		return Report{}, fmt.Errorf("%s is no export of a log", in.Path)
	}
	r := Report{Findings: []Finding{}, Source: "export", Origin: h.Origin, TrustedKeys: "given"}
	if len(in.Keys) == 0 {
		r.TrustedKeys = "export"
	}
	keys := trusting(&r, h.Keys, in.Keys)
	checkpoints, err := opened(&r, keys, append([]Older{{"the export", h.Checkpoint}}, in.Older...))
	if err != nil {
		return r, err
	}
	a, err := newAudit(&r, checkpoints)
	if err != nil {
		return r, err
	}
	e := &exportAudit{audit: a}
	for number := 2; lines.Scan(); number++ {
		err := e.line(lines.Bytes())
		if err != nil {
			return r, fmt.Errorf("%s, line %d: %w", in.Path, number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return r, fmt.Errorf("read %s: %w", in.Path, err)
	}
	err = e.withoutHashes()
	e.closeBatch()
	if err == nil {
		err = e.finish(h.Size)
	}
	return r, err
}

// opened gives the checkpoints that count.
func opened(r *Report, keys []string, all []Older) ([]against, error) {
	n, err := newNotary(keys)
	if err != nil {
		return nil, err
	}
	var good []against
	for _, o := range all {
		c, holds := n.open(r, o.From, o.Text)
		if holds {
			good = append(good, against{Checkpoint: c, from: o.From})
		}
	}
	return good, nil
}

// exportAudit feeds an audit with the lines of an export.
type exportAudit struct {
	*audit
	first  int64
	events []line
	// batch is what the newest event says about the batch that must follow.
	batch *batchPayload
	seq   int64
}

// withoutHashes takes events at the end whose hashes were cut off for what they are.
func (e *exportAudit) withoutHashes() error {
	var hashes [][]byte
	for _, l := range e.events {
		hashes = append(hashes, l.hash)
	}
	return e.tile(e.first, e.events, hashes)
}

var batchMark = []byte(`,"eventType":"` + BatchEvent + `","id":`)

func (e *exportAudit) line(text []byte) error {
	switch {
	case bytes.HasPrefix(text, []byte(`{"hashes":`)):
		var l hashesLine
		err := json.Unmarshal(text, &l)
		if err != nil {
			return err
		}
		joined, err := base64.StdEncoding.DecodeString(l.Hashes)
		if err != nil || len(joined)%hashSize != 0 {
			return errors.New("these are no hashes")
		}
		hashes := split(joined)
		err = e.tile(e.first, e.events, hashes)
		e.first, e.events = e.first+int64(len(hashes)), nil
		return err
	case bytes.HasPrefix(text, []byte(`{"batch":`)):
		var l batchLine
		err := json.Unmarshal(text, &l)
		if err != nil {
			return err
		}
		return e.states(l.Batch)
	}
	e.closeBatch()
	leaf := bytes.Clone(text)
	seq := numberOf(leaf)
	e.events = append(e.events, line{seq, leaf, hashLeaf(leaf)})
	if len(e.events) > longestLine/tileWidth {
		return errors.New("too many events without their hashes")
	}
	if bytes.Contains(leaf, batchMark) {
		var b struct {
			Payload batchPayload `json:"payload"`
		}
		err := json.Unmarshal(leaf, &b)
		if err != nil {
			return err
		}
		e.batch, e.seq = &b.Payload, seq
	}
	return nil
}

// numberOf gives the number of an event; 0 where it has none.
func numberOf(leaf []byte) int64 {
	from, to := numbered(leaf)
	seq, err := strconv.ParseInt(string(leaf[from:to]), 10, 64)
	if err == nil {
		return seq
	}
	var e struct {
		Seq int64 `json:"seq"`
	}
	if json.Unmarshal(leaf, &e) != nil {
		return 0
	}
	return e.Seq
}

func (e *exportAudit) states(b batchStates) error {
	if e.batch == nil {
		e.report.event(BatchChanged, 0, "batch %d follows no event that names it", b.Number)
		return nil
	}
	holds, err := e.batch.rootMatches(b.States)
	if !holds {
		e.report.event(BatchChanged, e.seq, "the states of batch %d are not those that event %d names", b.Number, e.seq)
	}
	e.report.Submissions += int64(len(b.States))
	e.batch = nil
	return err
}

// closeBatch misses the states of a batch.
func (e *exportAudit) closeBatch() {
	if e.batch != nil {
		e.report.event(BatchChanged, e.seq, "the states of batch %d, which event %d names, are missing", e.batch.Batch, e.seq)
		e.batch = nil
	}
}
