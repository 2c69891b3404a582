package translog

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// notary knows the keys whose signatures count.
type notary struct{ keys note.Verifiers }

// newNotary takes keys in the form of signed notes (name+hash+key).
func newNotary(texts []string) (notary, error) {
	var all []note.Verifier
	known := map[string]bool{}
	for _, text := range texts {
		text = strings.TrimSpace(text)
		if text == "" || known[text] {
			continue
		}
		v, err := note.NewVerifier(text)
		if err != nil {
			return notary{}, fmt.Errorf("the key %q: %w", text, err)
		}
		known[text] = true
		all = append(all, v)
	}
	return notary{note.VerifierList(all...)}, nil
}

func verifierKeys(keys []Key) []string {
	var texts []string
	for _, k := range keys {
		if k.VerifierKey != "" {
			texts = append(texts, k.VerifierKey)
		}
	}
	return texts
}

// open checks the signature of a checkpoint. Faults are added to the report; false says that the
// checkpoint does not count.
func (n notary) open(r *Report, from, text string) (Checkpoint, bool) {
	opened, err := note.Open([]byte(text), n.keys)
	var unknown *note.UnverifiedNoteError
	var wrong *note.InvalidSignatureError
	switch {
	case errors.As(err, &unknown):
		r.add(Finding{Code: UnknownKey, Message: from + " is signed by no known key" + signers(unknown.Note)})
	case errors.As(err, &wrong):
		r.add(Finding{Code: WrongSignature, Message: from + " has a signature of " + wrong.Name + " that does not hold"})
	case err != nil:
		r.add(Finding{Code: BadCheckpoint, Message: from + " is no signed note: " + err.Error()})
	}
	if err != nil {
		return Checkpoint{}, false
	}
	c, err := parseCheckpoint(opened.Text)
	if err != nil {
		r.add(Finding{Code: BadCheckpoint, Message: from + ": " + err.Error()})
		return c, false
	}
	if c.Origin != opened.Sigs[0].Name {
		r.add(Finding{Code: UnknownKey, Message: from + " is a checkpoint of " + c.Origin + ", signed with a key of " + opened.Sigs[0].Name})
		return c, false
	}
	return c, true
}

func signers(n *note.Note) string {
	if n == nil || len(n.UnverifiedSigs) == 0 {
		return ""
	}
	return fmt.Sprintf(": %s+%08x", n.UnverifiedSigs[0].Name, n.UnverifiedSigs[0].Hash)
}

// Older is a checkpoint that was kept outside.
type Older struct{ From, Text string }

// ReadOlder reads older checkpoints: from a signed note, from the first line of an export, from a
// proof, or all files of a folder and the folders below it.
func ReadOlder(path string) ([]Older, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		text, err := checkpointIn(path)
		return []Older{{path, text}}, err
	}
	var all []Older
	err = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := checkpointIn(file)
		all = append(all, Older{file, text})
		return err
	})
	return all, err
}

func checkpointIn(path string) (string, error) {
	first, err := firstLine(path)
	if err != nil {
		return "", err
	}
	if !strings.HasPrefix(first, "{") {
		text, err := os.ReadFile(path)
		return string(text), err
	}
	var holder struct {
		Checkpoint string `json:"checkpoint"`
		Proof      struct {
			Checkpoint string `json:"checkpoint"`
		} `json:"proof"`
	}
	err = json.Unmarshal([]byte(first), &holder)
	if err != nil { // a proof that was written over several lines
		text, readErr := os.ReadFile(path)
		if readErr != nil {
			return "", readErr
		}
		err = json.Unmarshal(text, &holder)
	}
	holder.Checkpoint = cmp.Or(holder.Checkpoint, holder.Proof.Checkpoint)
	if err == nil && holder.Checkpoint == "" {
		err = errors.New("no checkpoint in it")
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return holder.Checkpoint, nil
}

// ReadKeys reads keys that somebody trusts: a key itself, a file with one a line, or the answer of
// GET /ledger/keys in a file.
func ReadKeys(given string) ([]string, error) {
	if strings.Count(given, "+") >= 2 && !strings.ContainsAny(given, "\n{") {
		_, err := os.Stat(given)
		if err != nil {
			return []string{given}, nil
		}
	}
	text, err := os.ReadFile(given)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(strings.TrimSpace(string(text)), "{") {
		return strings.Split(string(text), "\n"), nil
	}
	var keys Keys
	err = json.Unmarshal(text, &keys)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", given, err)
	}
	trusted, _, _ := chained(keys.Keys, nil)
	return trusted, nil
}
