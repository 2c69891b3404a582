package dsar

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"
)

// heaviest is the most bytes of a page.
const heaviest = 60 << 10

// What of it is for content, in bytes: a page of its own has a head and a way on besides, and the first page the person and the table of
// files. ofLinks is what the links to the pages of one part take at most.
const (
	ofALeaf    = 46 << 10
	ofTheFirst = 36 << 10
	ofLinks    = 4 << 10
)

// linked is how many pages of a part the first page links; each of them leads to the next.
const linked = 50

// part is a part of the page that may be long. A short one is in the first page. A longer one goes into pages of its own, one after the
// other, so that none is heavy, and memory stays flat.
type part struct {
	// name is the beginning of the names of its pages: attempts-1.html.
	name, title string
	create      func(name string) (io.Writer, error)
	text        bytes.Buffer
	pages       int
	// What is open: its beginning as long as nothing follows it, how it begins on another page, and its end.
	head, again, tail string
}

// begin opens something that is never cut within a block. again begins it on another page.
func (p *part) begin(head, again, tail string) { p.head, p.again, p.tail = head, again, tail }

// block adds a block to what is open. first is the block as it is where a page begins with it.
func (p *part) block(text, first string) error {
	if p.text.Len() > 0 && p.text.Len()+len(p.head)+len(text)+len(p.tail) > ofALeaf {
		if p.head == "" {
			p.text.WriteString(p.tail)
			p.head = p.again
		}
		err := p.turn(true)
		if err != nil {
			return err
		}
		text = first
	}
	p.text.WriteString(p.head)
	p.text.WriteString(text)
	p.head = ""
	return nil
}

// end closes what is open.
func (p *part) end() {
	p.text.WriteString(p.head + p.tail)
	p.begin("", "", "")
}

// turn writes a page of what there is. more says that another one follows.
func (p *part) turn(more bool) error {
	p.pages++
	to, err := p.create(p.page(p.pages))
	if err != nil {
		return err
	}
	shown := map[string]any{"Policy": pagePolicy, "Style": style, "Title": p.title, "Page": p.pages, "Before": "", "After": ""}
	if p.pages > 1 {
		shown["Before"] = p.page(p.pages - 1)
	}
	if more {
		shown["After"] = p.page(p.pages + 1)
	}
	err = pageParts.ExecuteTemplate(to, "leaf", shown)
	if err == nil {
		_, err = p.text.WriteTo(to)
	}
	if err == nil {
		err = pageParts.ExecuteTemplate(to, "leafEnd", shown)
	}
	if err != nil {
		return fmt.Errorf("draw a page of the export: %w", err)
	}
	return nil
}

func (p *part) page(n int) string { return fmt.Sprintf("%s-%d.html", p.name, n) }

// finish gives what the first page shows of the part: all of it, if it has at most some bytes, or links to its pages.
func (p *part) finish(most int) (string, error) {
	if p.pages == 0 && p.text.Len() <= most {
		return p.text.String(), nil
	}
	err := p.turn(false)
	if err != nil {
		return "", err
	}
	var links []map[string]any
	for n := range min(p.pages, linked) {
		links = append(links, map[string]any{"Href": p.page(n + 1), "Text": fmt.Sprintf("%s, page %d", p.title, n+1)})
	}
	return rendered("elsewhere", map[string]any{"Links": links, "Pages": p.pages, "Linked": linked})
}

// rendered gives a piece of the page as text.
func rendered(name string, data any) (string, error) {
	var out bytes.Buffer
	err := pageParts.ExecuteTemplate(&out, name, data)
	if err != nil {
		return "", fmt.Errorf("draw the page of the export: %w", err)
	}
	return out.String(), nil
}

// cut shortens a text to some bytes, with a cue: the files have all of it.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + " … (the rest is in the files)"
}
