package markup

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"assess/pkg/author/exchange/bank"
	"assess/pkg/kernel/content"
)

// within reads the children of an element as lines of text; its pictures are held.
func (w *walk) within(nodes []*html.Node) []content.Text {
	in := &walk{Reader: w.Reader, inline: true, depth: w.depth}
	for _, n := range nodes {
		in.node(n, nil)
	}
	in.flush()
	w.held = append(w.held, in.held...)
	var texts []content.Text
	for i, b := range in.blocks {
		children := b.Children
		if b.Type != content.Paragraph {
			w.Item.Lose(bank.StyleDropped)
		}
		if len(children) == 0 {
			children = []content.Text{{Text: bank.Plain([]content.Block{b})}}
		}
		if i > 0 {
			texts = joined(texts, content.Text{Text: "\n"})
		}
		for _, t := range children {
			texts = joined(texts, t)
		}
	}
	return texts
}

func joined(texts []content.Text, t content.Text) []content.Text {
	if last := len(texts) - 1; last >= 0 && slices.Equal(texts[last].Marks, t.Marks) && !standsAlone(t.Marks) {
		texts[last].Text += t.Text
		return texts
	}
	return append(texts, t)
}

func (w *walk) list(n *html.Node, marks []content.Mark) {
	if w.inline {
		w.flush()
		w.children(n, marks)
		w.flush()
		return
	}
	w.flush()
	if items := w.items(n); len(items) > 0 {
		w.blocks = append(w.blocks, content.Block{Type: content.List, Ordered: n.Data == "ol", Items: items})
	}
	w.flush()
}

func (w *walk) items(list *html.Node) []content.ListItem {
	var items []content.ListItem
	for li := range Children(list, "") {
		if li.Data == "ul" || li.Data == "ol" { // a list right in a list, as old editors write it
			if last := len(items) - 1; last >= 0 {
				items[last].Ordered = li.Data == "ol"
				items[last].Items = append(items[last].Items, w.items(li)...)
				continue
			}
			items = append(items, w.items(li)...)
			continue
		}
		w.styles(li)
		var item content.ListItem
		var own []*html.Node
		for c := li.FirstChild; c != nil; c = c.NextSibling {
			if c.Data == "ul" || c.Data == "ol" {
				item.Ordered = c.Data == "ol"
				item.Items = append(item.Items, w.items(c)...)
				continue
			}
			own = append(own, c)
		}
		item.Children = w.within(own)
		if len(item.Children)+len(item.Items) > 0 {
			items = append(items, item)
		}
	}
	return items
}

// table keeps a grid: a cell over several columns is followed by empty ones.
func (w *walk) table(n *html.Node) {
	w.flush()
	t := content.Block{Type: content.Table, Caption: strings.TrimSpace(RawText(Child(n, "caption")))}
	columns := 0
	for tr := range All(n, "tr") {
		var row content.Row
		heads := 0
		for cell := range Children(tr, "") {
			w.styles(cell)
			row.Cells = append(row.Cells, content.Cell{Children: w.within(slices.Collect(cell.ChildNodes()))})
			if cell.Data == "th" {
				heads++
			}
			span, _ := strconv.Atoi(Attr(cell, "colspan"))
			for range min(span, 50) - 1 {
				row.Cells = append(row.Cells, content.Cell{})
				heads++
			}
		}
		if len(row.Cells) == 0 {
			continue
		}
		if heads == len(row.Cells) && t.HeaderRows == len(t.Rows) {
			t.HeaderRows++
		}
		columns = max(columns, len(row.Cells))
		t.Rows = append(t.Rows, row)
	}
	for i := range t.Rows {
		for len(t.Rows[i].Cells) < columns {
			t.Rows[i].Cells = append(t.Rows[i].Cells, content.Cell{})
		}
	}
	if len(t.Rows) > 0 {
		if t.Caption == "" {
			w.Item.Lose(bank.TableCaptionMade)
			t.Caption = content.DefaultCaption
		}
		if w.inline {
			w.texts = append(w.texts, content.Text{Text: bank.Plain([]content.Block{t})})
			w.Item.Lose(bank.StyleDropped)
		} else {
			w.blocks = append(w.blocks, t)
		}
	}
	w.flush()
}
