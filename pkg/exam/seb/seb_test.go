package seb_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"assess/pkg/exam/seb"
	"assess/pkg/kernel/ids"
)

var assignment = func() ids.ID {
	id, _ := ids.Parse("", "0199b1f0-0000-7000-8000-000000000001")
	return id
}()

// Another program made the sums, from the text that the browser's documentation prescribes:
// {"browserWindowWebView":3,"quitURL":"https://exams.example.org/?quit=seb","sebConfigPurpose":0,"sendBrowserExamKey":true,"startURL":"https://exams.example.org/#assignment=…"}
func TestTheConfigKeyIsTheOneThatTheBrowserWorksOut(t *testing.T) {
	t.Parallel()
	if got, want := seb.Exam("https://exams.example.org/", assignment).ConfigKey(), "b5c08a502c68084dec075162a4bcca0dee8ff192dfa043d69db4578f096704e6"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	// Names in an order that knows no case, nothing escaped: {"allowedDisplays":1,"allowWlan":false,"URLFilterRegex":"^\d+/","zoomMode":0}
	odd := seb.Settings{"zoomMode": 0, "URLFilterRegex": `^\d+/`, "allowWlan": false, "allowedDisplays": 1, "originatorVersion": "SEB_3.10"}
	if got, want := odd.ConfigKey(), "b0ba9525839ce763f167bde7c1db7b0d2aff6a19374dcfc60c75b7b7ab43ca54"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// read gives the settings of a file as the browser reads them.
func read(t *testing.T, file []byte) seb.Settings {
	t.Helper()
	found, d := seb.Settings{}, xml.NewDecoder(bytes.NewReader(file))
	var key, text string
	for {
		token, err := d.Token()
		if err == io.EOF {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			text = ""
		case xml.CharData:
			text += string(token)
		case xml.EndElement:
			switch token.Name.Local {
			case "key":
				key = text
			case "true", "false":
				found[key] = token.Name.Local == "true"
			case "integer":
				found[key] = int(text[0] - '0')
			case "string":
				found[key] = text
			}
		}
	}
}

func TestTheFileHasTheSettingsThatTheKeyIsMadeOf(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"https://exams.example.org/", "https://exams.example.org/start?a=1&b=<2>"} {
		made := seb.Exam(page, assignment)
		got := read(t, made.File())
		if got.ConfigKey() != made.ConfigKey() || len(got) != len(made) {
			t.Errorf("%s: got %v, want %v", page, got, made)
		}
		if got["startURL"] != page+"#assignment="+assignment.String() || !strings.HasSuffix(got["quitURL"].(string), "quit=seb") {
			t.Errorf("%s leads to %v and ends at %v", page, got["startURL"], got["quitURL"])
		}
	}
	if !bytes.HasPrefix(seb.Exam("https://x.example", assignment).File(), []byte("<?xml")) {
		t.Error("the browser knows a file that is not packed by its first characters")
	}
	if seb.Exam("https://x.example", assignment).ConfigKey() == seb.Exam("https://x.example", ids.New()).ConfigKey() {
		t.Error("two assignments have the same key")
	}
}

func TestAHashProvesOneOfTheKeysAtOneOfTheAddresses(t *testing.T) {
	t.Parallel()
	key, other := strings.Repeat("ab", 32), strings.Repeat("cd", 32)
	const address, page = "https://exams.example.org/api/v1/x?lang=en", "https://app.example.org/"
	hash := seb.Hash(address, key)
	for name, test := range map[string]struct {
		hash            string
		keys, addresses []string
		want            bool
	}{
		"the key at the address":       {hash, []string{key}, []string{address}, true},
		"one of two keys":              {hash, []string{other, key}, []string{address}, true},
		"one of two addresses":         {hash, []string{key}, []string{page, address}, true},
		"without what is behind the #": {seb.Hash(page+"#top", key), []string{key}, []string{page}, true},
		"in capitals":                  {strings.ToUpper(hash), []string{strings.ToUpper(key)}, []string{address}, true},
		"another key":                  {hash, []string{other}, []string{address}, false},
		"another address":              {hash, []string{key}, []string{page}, false},
		"another query":                {hash, []string{key}, []string{"https://exams.example.org/api/v1/x"}, false},
		"the key itself":               {key, []string{key}, []string{address}, false},
		"no hash":                      {"", []string{key}, []string{address}, false},
		"no keys":                      {hash, nil, []string{address}, false},
	} {
		if got := seb.Proves(test.hash, test.keys, test.addresses); got != test.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
	// Made with another program.
	const want = "ae923d15015716e627e6283037af46e1919aa2855bcd69cbc591433e2b9b7a88"
	if got := seb.Hash(address, "b5c08a502c68084dec075162a4bcca0dee8ff192dfa043d69db4578f096704e6"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
