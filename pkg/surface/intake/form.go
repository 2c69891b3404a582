package intake

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
)

const saveAsCSV = `; save the table as "CSV UTF-8"`

// asText gives a file as UTF-8 with line feeds. If it is not text, it says what kind of file it is.
func asText(data []byte) (text []byte, is string) {
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe\x00\x00")), bytes.HasPrefix(data, []byte("\x00\x00\xfe\xff")):
		return nil, "text in UTF-32"
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		decoded, err := unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Bytes(data)
		if err != nil {
			return nil, "damaged text in UTF-16"
		}
		data = decoded
	default:
		data = bytes.TrimPrefix(data, []byte("\ufeff"))
		if is = form(data); is != "" {
			return nil, is
		}
	}
	if bytes.IndexByte(data, '\n') < 0 {
		data = bytes.ReplaceAll(data, []byte("\r"), []byte("\n")) // lines as old Macs and some programs end them
	}
	return data, ""
}

// form names a file that people take for a table; empty for a file that may be one.
func form(data []byte) string {
	begin := bytes.TrimLeft(data[:min(len(data), 512)], " \t\r\n")
	kind := http.DetectContentType(begin)
	switch {
	case bytes.HasPrefix(begin, []byte("PK\x03\x04")):
		return archive(data)
	case bytes.HasPrefix(begin, []byte("PK\x05\x06")):
		return "an empty ZIP archive"
	case bytes.HasPrefix(begin, []byte("\xd0\xcf\x11\xe0")):
		return "an old Excel workbook (XLS)"
	case strings.HasPrefix(kind, "text/html"):
		return "a web page (HTML)"
	case strings.HasPrefix(kind, "text/xml"):
		return "XML"
	case kind == "application/pdf":
		return "a PDF"
	case strings.Contains(kind, "gzip"), strings.HasPrefix(kind, "application/x-"):
		return "a compressed file (" + strings.TrimPrefix(strings.TrimPrefix(kind, "application/"), "x-") + ")"
	case strings.HasPrefix(kind, "image/"):
		return "a picture (" + strings.TrimPrefix(kind, "image/") + ")"
	case len(begin) > 0 && (begin[0] == '{' || begin[0] == '[') && json.Valid(data):
		return "JSON"
	case len(begin) > 3 && (begin[0] == 0) != (begin[1] == 0) && begin[0] == 0 == (begin[2] == 0) && begin[1] == 0 == (begin[3] == 0):
		return "text in UTF-16 without a byte order mark"
	}
	return ""
}

func archive(data []byte) string {
	switch {
	case bytes.Contains(data, []byte("xl/workbook")):
		return "an Excel workbook (XLSX)"
	case bytes.Contains(data, []byte("opendocument.spreadsheet")):
		return "an OpenDocument spreadsheet (ODS)"
	}
	return "a ZIP archive"
}

// separator is the line by which a file tells Excel its delimiter.
var separator = regexp.MustCompile(`(?i)^"?sep=([^"\r\n])"?[ ]*\r?\n`)

// toldDelimiter gives the delimiter that a file states in its first line; 0 for none.
func toldDelimiter(data []byte) rune {
	found := separator.FindSubmatch(data)
	if found == nil {
		return 0
	}
	r, _ := utf8.DecodeRune(found[1])
	return r
}
