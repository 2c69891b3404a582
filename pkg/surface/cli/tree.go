package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"assess/pkg/kernel/wire"
)

// tree is a JSON value that keeps the order of its fields, which maps would lose.
type tree struct {
	kind   kind
	text   string   // of a scalar, as it is shown
	fields []string // of an object
	items  []*tree  // of an object or a list
}

type kind int

const (
	null kind = iota
	boolean
	number
	text
	object
	list
)

// treeOf encodes a value as JSON and reads it back.
func treeOf(value any) (*tree, error) {
	body, err := wire.Marshal(value)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	return readTree(d)
}

func readTree(d *json.Decoder) (*tree, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case nil:
		return &tree{kind: null}, nil
	case bool:
		return &tree{kind: boolean, text: strconv.FormatBool(token)}, nil
	case json.Number:
		return &tree{kind: number, text: token.String()}, nil
	case string:
		return &tree{kind: text, text: token}, nil
	case json.Delim:
		return readItems(d, token)
	}
	return nil, fmt.Errorf("unexpected JSON token %v", token)
}

func readItems(d *json.Decoder, open json.Delim) (*tree, error) {
	t := &tree{kind: list}
	if open == '{' {
		t.kind = object
	}
	for d.More() {
		if t.kind == object {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			t.fields = append(t.fields, name.(string))
		}
		item, err := readTree(d)
		if err != nil {
			return nil, err
		}
		t.items = append(t.items, item)
	}
	_, err := d.Token()
	return t, err
}

// yaml gives the value as YAML in block style.
func (t *tree) yaml() *yaml.Node {
	switch t.kind {
	case object:
		node := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for i, item := range t.items {
			node.Content = append(node.Content, yamlString(t.fields[i]), item.yaml())
		}
		return node
	case list:
		node := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, item := range t.items {
			node.Content = append(node.Content, item.yaml())
		}
		return node
	case null:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	case boolean:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: t.text}
	case text:
		return yamlString(t.text)
	}
	if strings.ContainsAny(t.text, ".eE") {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!float", Value: t.text}
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: t.text}
}

// yamlString quotes texts that older readers take for something else, such as yes and N, and
// texts that the block style of several lines would change.
func yamlString(s string) *yaml.Node {
	node := &yaml.Node{}
	err := node.Encode(s)
	if err != nil || strings.TrimSpace(s) != s {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: s}
	}
	return node
}

// cells flattens the value: objects become dotted paths, lists of scalars one cell with
// semicolons, as imports read them, and other lists JSON.
func (t *tree) cells(path string, into map[string]string) {
	switch t.kind {
	case object:
		for i, item := range t.items {
			item.cells(join(path, t.fields[i]), into)
		}
	case list:
		into[path] = t.listCell()
	default:
		into[path] = t.text
	}
}

func (t *tree) listCell() string {
	var parts []string
	for _, item := range t.items {
		if item.kind == object || item.kind == list {
			return t.json()
		}
		parts = append(parts, item.text)
	}
	return strings.Join(parts, ";")
}

func (t *tree) json() string {
	parts := make([]string, len(t.items))
	for i, item := range t.items {
		parts[i] = item.json()
		if t.kind == object {
			parts[i] = quoted(t.fields[i]) + ":" + parts[i]
		}
	}
	switch t.kind {
	case object:
		return "{" + strings.Join(parts, ",") + "}"
	case list:
		return "[" + strings.Join(parts, ",") + "]"
	case null:
		return "null"
	case text:
		return quoted(t.text)
	}
	return t.text
}

func quoted(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	// A string always encodes, and a Builder always takes it.
	_ = e.Encode(s)
	return strings.TrimSuffix(b.String(), "\n")
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
