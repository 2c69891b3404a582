package markup

import (
	"iter"
	"strings"

	"golang.org/x/net/html"
)

// Attr gives an attribute of an element; empty without it.
func Attr(n *html.Node, key string) string {
	if n == nil {
		return ""
	}
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// Child gives the first child with a name; for several names, the child of the child.
func Child(n *html.Node, names ...string) *html.Node {
	for _, name := range names {
		if n == nil {
			return nil
		}
		var found *html.Node
		for c := range Children(n, name) {
			found = c
			break
		}
		n = found
	}
	return n
}

// Children gives the children with a name; without one, all child elements.
func Children(n *html.Node, name string) iter.Seq[*html.Node] {
	return func(yield func(*html.Node) bool) {
		if n == nil {
			return
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.Type == html.ElementNode && (name == "" || c.Data == name) && !yield(c) {
				return
			}
		}
	}
}

// All gives the elements with one of the names below an element, in the order of the document.
func All(n *html.Node, names ...string) iter.Seq[*html.Node] {
	return func(yield func(*html.Node) bool) {
		if n == nil {
			return
		}
		for c := range n.Descendants() {
			if c.Type != html.ElementNode {
				continue
			}
			for _, name := range names {
				if c.Data == name && !yield(c) {
					return
				}
			}
		}
	}
}

// First gives the first element of All.
func First(n *html.Node, names ...string) *html.Node {
	for c := range All(n, names...) {
		return c
	}
	return nil
}

// Text gives the text of an element, or of the element at the path names, without white space around it.
func Text(n *html.Node, names ...string) string { return strings.TrimSpace(RawText(n, names...)) }

// RawText is Text with its white space.
func RawText(n *html.Node, names ...string) string {
	n = Child(n, names...)
	if n == nil {
		return ""
	}
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}
