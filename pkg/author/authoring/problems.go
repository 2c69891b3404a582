package authoring

import (
	"fmt"

	"assess/pkg/kernel/errs"
)

// The bounds of short texts, in characters.
const (
	maxExternalID = 200
	maxTitle      = 300
)

// problems collects everything that is wrong with an input.
type problems []errs.Field

func (p *problems) add(path, code, message string) {
	*p = append(*p, errs.Field{Path: path, Code: code, Message: message})
}

func (p *problems) addIf(bad bool, path, code, message string) {
	if bad {
		p.add(path, code, message)
	}
}

// text checks a one-line text that the author wrote.
func (p *problems) text(path, s string, most int) {
	*p = append(*p, errs.Prose(path, s, most, false)...)
}

// blocked turns problems into publish_blocked, or nil of none.
func (p problems) blocked() error {
	if len(p) == 0 {
		return nil
	}
	e := errs.New(errs.PublishBlocked, "The draft cannot be published yet.")
	e.Fields = p
	return e
}

func member(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func element(path, name string, i int) string { return fmt.Sprintf("%s[%d]", member(path, name), i) }
