package seb

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"maps"
	"slices"
	"strings"

	"assess/pkg/kernel/ids"
)

// MediaType tells a browser that a file has settings.
const MediaType = "application/seb"

// Settings are the content of a .seb file; the values are booleans, integers and strings.
type Settings map[string]any

// originator names the program that wrote a file. It sets nothing, so the Config Key leaves it out.
const originator = "originatorVersion"

// Exam gives the settings that open an assignment on the page of candidates. The same assignment and page give the same
// settings each time: a session's Config Key is made of them.
func Exam(page string, assignment ids.ID) Settings {
	return Settings{
		"startURL":             page + "#assignment=" + assignment.String(),
		"quitURL":              quitURL(page),
		"sebConfigPurpose":     0,    // begins an exam; 1 would set up the machine
		"browserWindowWebView": 3,    // on macOS and iOS: the engine that tells a page the keys
		"sendBrowserExamKey":   true, // versions in which no page can ask send them as headers
		originator:             "assess",
	}
}

// quitURL ends the browser when a page leads there. It is the page's own address, so that it also leads somewhere elsewhere.
func quitURL(page string) string {
	if strings.Contains(page, "?") {
		return page + "&quit=seb"
	}
	return page + "?quit=seb"
}

// keys gives the names in the order that the Config Key is made in, which knows no case.
func (s Settings) keys() []string {
	return slices.SortedFunc(maps.Keys(s), func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
}

// File writes the settings as an unencrypted .seb file, which is a property list.
func (s Settings) File() []byte {
	var b bytes.Buffer
	text := func(s string) string {
		var escaped strings.Builder
		_ = xml.EscapeText(&escaped, []byte(s)) // a strings.Builder takes everything
		return escaped.String()
	}
	b.WriteString(xml.Header + `<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">` + "\n" +
		`<plist version="1.0">` + "\n<dict>\n")
	for _, key := range s.keys() {
		fmt.Fprintf(&b, "\t<key>%s</key>\n", text(key))
		switch value := s[key].(type) {
		case bool:
			fmt.Fprintf(&b, "\t<%t/>\n", value)
		case int:
			fmt.Fprintf(&b, "\t<integer>%d</integer>\n", value)
		default:
			fmt.Fprintf(&b, "\t<string>%s</string>\n", text(fmt.Sprint(value)))
		}
	}
	b.WriteString("</dict>\n</plist>\n")
	return b.Bytes()
}

// ConfigKey is the hash of the settings as the browser works it out: of JSON without spaces, in which nothing is escaped and the
// names are in order.
func (s Settings) ConfigKey() string {
	var parts []string
	for _, key := range s.keys() {
		if key == originator {
			continue
		}
		value := fmt.Sprint(s[key])
		if text, is := s[key].(string); is {
			value = `"` + text + `"`
		}
		parts = append(parts, `"`+key+`":`+value)
	}
	return sum("{" + strings.Join(parts, ",") + "}")
}

func sum(text string) string {
	hash := sha256.Sum256([]byte(text))
	return hex.EncodeToString(hash[:])
}
