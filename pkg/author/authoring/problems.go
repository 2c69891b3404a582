package authoring

import (
	"fmt"
	"slices"
	"strings"

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

// below says whether there is a problem at a path or below it.
func (p problems) below(path string) bool {
	return slices.ContainsFunc(p, func(f errs.Field) bool { return f.Path == path || strings.HasPrefix(f.Path, path+".") })
}

// firstOfEach keeps the first problem of each code.
func (p problems) firstOfEach() problems {
	told := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(p), func(f errs.Field) bool {
		again := told[f.Code]
		told[f.Code] = true
		return again
	})
}

// within moves the paths of problems below the path that holds the input.
func (p problems) within(path string) problems {
	if path == "" {
		return p
	}
	return each(p, func(f errs.Field) errs.Field {
		f.Path = member(path, f.Path)
		return f
	})
}

// listed gives the problems in the form of an answer: a list, even if it is empty.
func (p problems) listed() []errs.Field { return append([]errs.Field{}, p...) }

// text checks a one-line text that the author wrote.
func (p *problems) text(path, s string, most int) {
	*p = append(*p, errs.Prose(path, s, most, false)...)
}

// blocked turns problems into publish_blocked, or nil if there are none.
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
