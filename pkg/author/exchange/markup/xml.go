package markup

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/unicode"

	"assess/pkg/author/exchange/bank"
)

// MaxDepth limits how deep elements may be nested.
const MaxDepth = 64

// Visitor reads XML as a stream.
type Visitor struct {
	// Whole says which elements are read with all their content; within them it is not called.
	Whole func(n *html.Node) bool
	// Visit is called with each of them. The elements around it are its parents, without their other children. An
	// error ends the reading.
	Visit func(n *html.Node, line int) error
	// Root, if there is one, is called with the root element before anything else.
	Root func(n *html.Node) error
	// Name, if there is one, gives an element its name.
	Name func(name xml.Name) string
}

// Read reads a document. Its error is a *bank.Problem with the line, or the error of Visit.
func (v Visitor) Read(r io.Reader) error {
	d := xml.NewDecoder(utf8Reader(r))
	d.CharsetReader = charsetReader
	d.Entity = xml.HTMLEntity
	s := &stream{Visitor: v, d: d}
	for {
		line, _ := d.InputPos()
		token, err := d.Token()
		if errors.Is(err, io.EOF) && s.roots > 0 {
			return nil
		}
		if err != nil {
			return broken(err, line)
		}
		err = s.take(token, line)
		if err != nil {
			return err
		}
	}
}

// utf8Reader decodes UTF-16 by its byte order mark, and drops the byte order mark of UTF-8.
func utf8Reader(r io.Reader) io.Reader {
	b := bufio.NewReaderSize(r, 64<<10)
	begin, _ := b.Peek(3)
	switch {
	case bytes.HasPrefix(begin, []byte("\xef\xbb\xbf")):
		_, _ = b.Discard(3)
	case bytes.HasPrefix(begin, []byte("\xff\xfe")), bytes.HasPrefix(begin, []byte("\xfe\xff")):
		return unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Reader(b)
	}
	return b
}

// charsetReader gives the text that utf8Reader has decoded, no matter what the declaration says.
func charsetReader(label string, r io.Reader) (io.Reader, error) {
	if strings.HasPrefix(strings.ToLower(label), "utf-16") {
		return r, nil
	}
	decoded, err := charset.NewReaderLabel(label, r)
	if err != nil {
		return nil, errors.New("the encoding " + label + " is not known")
	}
	return decoded, nil
}

func broken(err error, line int) error {
	p := &bank.Problem{Code: bank.Malformed, Line: line}
	var syntax *xml.SyntaxError
	switch {
	case errors.As(err, &syntax):
		p.Line, p.Message = syntax.Line, "the XML is broken: "+syntax.Msg
	case errors.Is(err, io.EOF):
		p.Message = "there is no XML element"
	case errors.As(err, &p):
		return p
	default:
		p.Message = "the XML cannot be read: " + strings.TrimPrefix(err.Error(), "xml: ")
	}
	return p
}

// stream is the state of a reader: open is the element that it is in, depth how deep it is, whole how deep the
// element is that is read as a whole; 0 for none.
type stream struct {
	Visitor
	d                   *xml.Decoder
	open                *html.Node
	depth, whole, roots int
	begin               int
}

func (s *stream) take(token xml.Token, line int) error {
	switch t := token.(type) {
	case xml.StartElement:
		return s.start(t, line)
	case xml.EndElement:
		return s.end()
	case xml.CharData:
		if s.whole > 0 {
			addText(s.open, string(t))
		}
	case xml.Directive:
		if bytes.Contains(bytes.ToUpper(t), []byte("<!ENTITY")) {
			return &bank.Problem{Code: bank.Malformed, Line: line, Message: "the DOCTYPE declares entities, which are not read; leave it out"}
		}
	}
	return nil
}

func (s *stream) start(t xml.StartElement, line int) error {
	name := t.Name.Local
	if s.Name != nil {
		name = s.Name(t.Name)
	}
	n := &html.Node{Type: html.ElementNode, Data: name, Namespace: t.Name.Space}
	for _, a := range t.Attr {
		if a.Name.Space != "xmlns" && a.Name.Local != "xmlns" {
			n.Attr = append(n.Attr, html.Attribute{Namespace: a.Name.Space, Key: a.Name.Local, Val: a.Value})
		}
	}
	s.depth++
	if s.depth > MaxDepth {
		return &bank.Problem{Code: bank.Malformed, Line: line, Message: fmt.Sprintf("elements are nested more than %d deep", MaxDepth)}
	}
	switch {
	case s.whole > 0:
		s.open.AppendChild(n)
	case s.depth == 1:
		if s.roots++; s.Root != nil {
			if err := s.Root(n); err != nil {
				return err
			}
		}
	}
	if s.whole == 0 {
		n.Parent = s.open
		if s.Whole(n) {
			s.whole, s.begin = s.depth, line
		}
	}
	s.open = n
	return nil
}

func (s *stream) end() error {
	n := s.open
	done := s.whole == s.depth && s.whole > 0
	s.depth--
	s.open = n.Parent
	if !done {
		return nil
	}
	s.whole = 0
	return s.Visit(n, s.begin)
}

func addText(to *html.Node, text string) {
	if last := to.LastChild; last != nil && last.Type == html.TextNode {
		last.Data += text
		return
	}
	to.AppendChild(&html.Node{Type: html.TextNode, Data: text})
}
