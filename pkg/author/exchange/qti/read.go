package qti

import (
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"assess/pkg/author/exchange/bank"
	"assess/pkg/author/exchange/markup"
)

// Read reads the items of an archive or of one XML file. An error of take ends it.
func Read(input io.ReaderAt, size int64, take func(*bank.Item) error) error {
	begin := make([]byte, 4)
	_, _ = input.ReadAt(begin, 0) // a shorter file is no archive
	if !isArchive(begin) {
		f := file{take: take}
		return f.read(io.NewSectionReader(input, 0, size))
	}
	a, err := openArchive(input, size)
	if err != nil {
		return err
	}
	return a.items(take)
}

func isArchive(begin []byte) bool {
	return strings.HasPrefix(string(begin), "PK\x03\x04") || strings.HasPrefix(string(begin), "PK\x05\x06")
}

// file is one XML file with items.
type file struct {
	path     string
	pictures func(address string) ([]byte, bool)
	take     func(*bank.Item) error
	// given says that it gave items; test that it is a test, which has none.
	given, test bool
	// tags and category are from the manifest.
	tags, category []string
}

// versions are the namespaces that are read; a file may also have none.
var versions = []string{"imsqti_v2p0", "imsqti_v2p1", "imsqti_v2p2", "imsqtiasi_v3p0", "ims_qtiasiv1p2", "imsqti_v2p2p1", "imsqti_v2p2p2"}

var errOwn = errors.New("not ours")

func (f *file) read(r io.Reader) error {
	one := false
	v := markup.Visitor{Name: plainName,
		Root: func(n *html.Node) error {
			one = n.Data == "assessmentItem"
			f.test = n.Data == "assessmentTest"
			return root(n)
		},
		Whole: func(n *html.Node) bool { return n.Data == "item" && !one || n.Data == "assessmentItem" },
		Visit: func(n *html.Node, line int) error {
			f.given = true
			for _, it := range f.itemsOf(n, line) {
				if err := f.take(it); err != nil {
					return &taken{err}
				}
			}
			return nil
		},
	}
	return ours(v.Read(r))
}

// root refuses the root of a file that is not QTI, or of a version that is not read.
func root(n *html.Node) error {
	if n.Data != "assessmentItem" && n.Data != "assessmentTest" && n.Data != "questestinterop" {
		return errOwn
	}
	if n.Namespace != "" && !slices.ContainsFunc(versions, func(v string) bool { return strings.HasSuffix(strings.TrimRight(n.Namespace, "/"), v) }) {
		return &bank.Problem{Code: bank.UnknownFormat, Line: 1, Message: "this version of QTI is not read: " + n.Namespace}
	}
	return nil
}

func ours(err error) error {
	if errors.Is(err, errOwn) {
		return &bank.Problem{Code: bank.UnknownFormat, Line: 1, Message: "this is no file of QTI"}
	}
	return err
}

// itemsOf gives the items of an item or assessmentItem, with their places and ids.
func (f *file) itemsOf(n *html.Node, line int) []*bank.Item {
	var items []*bank.Item
	if n.Data == "item" {
		items = f.item1(n)
	} else {
		items = f.item2(n)
	}
	for _, it := range items {
		it.Path, it.Line, it.Tags, it.Category = f.path, line, f.tags, f.category
		for i := range it.Problems {
			it.Problems[i].Path, it.Problems[i].Line = f.path, line
		}
		it.Identify()
	}
	return items
}

// taken is an error of the caller that takes the items.
type taken struct{ error }

func (t *taken) Unwrap() error { return t.error }

// plainName turns names of QTI 3 into names of 2.x.
func plainName(name xml.Name) string {
	rest, is := strings.CutPrefix(name.Local, "qti-")
	if !is {
		return name.Local
	}
	return camel(rest)
}

func camel(name string) string {
	words := strings.Split(name, "-")
	for i := 1; i < len(words); i++ {
		if words[i] != "" {
			words[i] = strings.ToUpper(words[i][:1]) + words[i][1:]
		}
	}
	return strings.Join(words, "")
}

// attr gives an attribute by its name in 2.x, or by the name that 3.0 has for it.
func attr(n *html.Node, name string) string {
	if n == nil {
		return ""
	}
	for _, a := range n.Attr {
		if a.Key == name || strings.Contains(a.Key, "-") && camel(a.Key) == name {
			return a.Val
		}
	}
	return ""
}

// items reads the items that the manifest lists; without one, all files of XML.
func (a *archive) items(take func(*bank.Item) error) error {
	listed, cartridge, err := a.manifest()
	if err != nil {
		return err
	}
	if name, is := a.nested(); is && !cartridge {
		return refused("the entry %q is an archive; unpack it, and import it by itself", name)
	}
	found := false
	for _, name := range listed {
		given, err := a.file(name, take)
		if err != nil {
			return err
		}
		found = found || given
	}
	if !found {
		return &bank.Problem{Code: bank.UnknownFormat, Message: "the archive has no questions in QTI"}
	}
	return nil
}

// file reads one file of the archive. A broken file is an item that cannot be used, and the other files are still read.
func (a *archive) file(name string, take func(*bank.Item) error) (bool, error) {
	f := file{path: name, pictures: a.around(name), take: take, tags: a.said[name].tags, category: a.said[name].category}
	var err error = &bank.Problem{Code: bank.NotThere, Message: "the manifest lists this file, and it is not in the archive"}
	if r, ok := a.open(name); ok {
		err = f.read(r)
		_ = r.Close() // items read so far count
	}
	var out *taken
	var problem *bank.Problem
	switch {
	case err == nil:
		return f.given || f.test, nil
	case errors.As(err, &out):
		return true, out.error
	case errors.As(err, &problem):
		if problem.Code == bank.UnknownFormat && strings.HasSuffix(problem.Message, "no file of QTI") {
			return false, nil
		}
		problem.Path = name
		it := &bank.Item{Path: name, Line: problem.Line, Name: name, Problems: []bank.Problem{*problem}}
		it.ID = name
		return true, take(it)
	}
	return false, err
}

// manifest gives the files with items in the order of imsmanifest.xml, and whether it is the manifest of a Common Cartridge.
func (a *archive) manifest() (listed []string, cartridge bool, err error) {
	r, ok := a.open("imsmanifest.xml")
	if !ok {
		for _, name := range a.names {
			if isXML(name) {
				listed = append(listed, name)
			}
		}
		return listed, false, nil
	}
	defer func() { _ = r.Close() }() // it was read
	known := map[string]bool{}
	v := markup.Visitor{Whole: func(n *html.Node) bool { return n.Data == "resource" || n.Data == "schema" },
		Visit: func(n *html.Node, _ int) error {
			if n.Data == "schema" {
				cartridge = cartridge || strings.Contains(strings.ToLower(markup.Text(n)), "cartridge")
				return nil
			}
			if !strings.Contains(markup.Attr(n, "type"), "qti") {
				return nil
			}
			a.say(path.Clean(markup.Attr(n, "href")), n)
			hrefs := []string{markup.Attr(n, "href")}
			for f := range markup.Children(n, "file") {
				if href := markup.Attr(f, "href"); isXML(href) {
					hrefs = append(hrefs, href)
				}
			}
			for _, href := range hrefs {
				if plain, err := url.PathUnescape(href); err == nil && a.files[path.Clean(href)] == nil {
					href = plain
				}
				href = path.Clean(href)
				if href != "." && !known[href] {
					known[href], listed = true, append(listed, href)
				}
			}
			return nil
		}}
	err = v.Read(r)
	var problem *bank.Problem
	if errors.As(err, &problem) {
		problem.Path = "imsmanifest.xml"
	}
	return listed, cartridge, err
}

// described is the manifest's description of a file in the terms of LOM.
type described struct{ tags, category []string }

func (a *archive) say(name string, resource *html.Node) {
	var m described
	for n := range markup.All(resource, "keyword") {
		if tag := strings.Join(strings.Fields(markup.RawText(n)), " "); tag != "" {
			m.tags = append(m.tags, tag)
		}
	}
	for n := range markup.Children(markup.First(resource, "taxonPath", "taxonpath"), "taxon") {
		if name := strings.Join(strings.Fields(markup.RawText(markup.First(n, "string", "langstring"))), " "); name != "" {
			m.category = append(m.category, name)
		}
	}
	a.said[name] = m
}

func isXML(name string) bool {
	ending := strings.ToLower(path.Ext(name))
	return ending == ".xml" || ending == ".qti"
}
