package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
	"assess/pkg/kernel/spelling"
	"assess/pkg/surface/op"
)

// operations makes the commands of a group from the table of operations (package op): arguments and flags are the fields of
// the input, nouns.go finds named records, and views.go defines how people see a result.
func (s *Shell) operations(group string, byHand ...*cobra.Command) []*cobra.Command {
	commands := byHand
	for _, l := range op.All() {
		if words := l.Words(); len(words) > 1 && strings.Join(words[:len(words)-1], " ") == group {
			commands = append(commands, s.operation(l))
		}
	}
	return commands
}

// invocation is one call of an operation: its input, and the words that name records, which are looked up in the transaction.
type invocation struct {
	line  op.Line
	input reflect.Value
	// named are the words for the ids of fields, by the names of these.
	named map[string][]string
	page  *db.Page
	all   bool
}

func (s *Shell) operation(l op.Line) *cobra.Command {
	c := &invocation{line: l, input: reflect.New(l.Input), named: map[string][]string{}}
	words := l.Words()
	cmd := &cobra.Command{Use: strings.Join(append(words[len(words)-1:], l.Arguments()...), " "), Short: l.Summary}
	if l.Long != "" {
		cmd.Long = l.Summary + ".\n\n" + l.Long
	}
	taken := map[string]bool{}
	for _, argument := range l.Arguments() {
		taken[c.argument(argument).Name] = true
	}
	for _, f := range l.Fields() {
		switch {
		case taken[f.Name]:
		case (l.Rehearsed || l.Tried) && f.Name == "dryRun": // every command that changes something has --dry-run
		case f.Type == reflect.TypeFor[int]() && (f.Name == "page" || f.Name == "limit"):
			c.page = c.input.Elem().FieldByIndex(f.Index[:len(f.Index)-1]).Addr().Interface().(*db.Page)
		default:
			c.flags(cmd, f)
		}
	}
	c.clearing(cmd)
	if c.page != nil {
		allFlag(pages(cmd, c.page), &c.all)
	}
	if l.Kind == op.Writes {
		s.changes(cmd)
	}
	if l.Secret {
		secret(cmd)
	}
	if l.Question != "" {
		asking(cmd, l.Question)
	}
	marked(cmd, overServer, "yes")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return s.operate(cmd, c, args) }
	return cmd
}

// argument finds the field of an argument by its name or its noun.
func (c *invocation) argument(argument string) op.Field {
	word := strings.ToLower(strings.Trim(argument, "[]."))
	for _, f := range c.line.Fields() {
		if name := kebab(f.Name); name == word || name == word+"-id" || name == word+"-ids" {
			return f
		}
	}
	for _, f := range c.line.Fields() {
		if f.Noun == word {
			return f
		}
	}
	panic(fmt.Sprintf("%s: no field is called %s", c.line.Command, word))
}

// flags gives a command the flag of a field, and of a field with fields of its own the flags of these.
func (c *invocation) flags(cmd *cobra.Command, f op.Field) {
	_, own := reflect.New(f.Type).Interface().(json.Unmarshaler)
	parts := []op.Field{f}
	if f.Type.Kind() == reflect.Struct && f.From == op.InBody && !own {
		parts = op.Fields(f.Type)
		for i := range parts {
			parts[i].Index = append(slices.Clone(f.Index), parts[i].Index...)
		}
	}
	for _, part := range parts {
		c.flag(cmd, part)
	}
}

// flag gives a command the flag of a field.
func (c *invocation) flag(cmd *cobra.Command, f op.Field) {
	to := c.input.Elem().FieldByIndex(f.Index)
	attributes := []reflect.Type{reflect.TypeFor[map[string]any](), reflect.TypeFor[*map[string]any]()}
	value := &parsed{kind: flagKind(f), unordered: slices.Contains(attributes, f.Type), set: func(word string) error {
		words := enumOf(f)
		switch {
		case f.Noun != "":
			c.named[f.Name] = append(c.named[f.Name], spelling.Name(word))
			return nil
		case words != nil && !slices.Contains(words, word):
			return fmt.Errorf("expected one of %s", strings.Join(words, ", "))
		}
		return op.Set(to, word)
	}}
	flag := cmd.Flags().VarPF(value, flagName(f), "", helpOf(f))
	if value.kind == "bool" {
		flag.NoOptDefVal = "true"
	}
	if words := enumOf(f); words != nil {
		// A flag is registered once.
		_ = cmd.RegisterFlagCompletionFunc(flag.Name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	}
}

// clearing gives a command the flag that empties fields, where it has such.
func (c *invocation) clearing(cmd *cobra.Command) {
	fields := map[string]op.Field{}
	var help []string
	for _, f := range c.line.Fields() {
		if does := f.Tag.Get("null"); does != "" {
			fields[kebab(f.Name)] = f
			help = append(help, kebab(f.Name)+": "+does)
		}
	}
	if len(fields) == 0 {
		return
	}
	names := slices.Sorted(maps.Keys(fields))
	cmd.Flags().Var(&parsed{kind: "field", set: func(word string) error {
		f, known := fields[word]
		if !known {
			return fmt.Errorf("expected one of %s", strings.Join(names, ", "))
		}
		return op.Set(c.input.Elem().FieldByIndex(f.Index), "null")
	}}, "clear", strings.Join(help, "; "))
	_ = cmd.RegisterFlagCompletionFunc("clear", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
}

// enumOf are the words that a field takes; nil where it takes others too.
func enumOf(f op.Field) []string {
	words := f.Tag.Get("enum")
	if f.Type == reflect.TypeFor[scoring.QType]() {
		return scoring.QTypes()
	}
	if words == "" {
		return nil
	}
	return strings.Split(words, ",")
}

// helpOf says which values a flag takes, and its default.
func helpOf(f op.Field) string {
	help := lowerFirst(f.Tag.Get("doc"))
	if words := enumOf(f); words != nil {
		help = strings.Join(words, ", ") + "; " + help
	}
	kind := f.Type
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	if kind.Kind() == reflect.Slice && kind != reflect.TypeFor[json.RawMessage]() {
		if kind.Elem().Kind() == reflect.Struct {
			var names []string
			for _, part := range op.Fields(kind.Elem()) {
				names = append(names, part.Name)
			}
			help += "; JSON with " + strings.Join(names, " and ")
		}
		help += "; repeatable"
	}
	if f.Noun == "org-unit" && f.Needed() {
		help += " (default: that of --org)"
	}
	return strings.TrimPrefix(strings.TrimSuffix(help, "; "), " ")
}

// flagKind is the word in the help for the value of a flag.
func flagKind(f op.Field) string {
	kind := f.Type
	for kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Slice && kind != reflect.TypeFor[json.RawMessage]() {
		kind = kind.Elem()
	}
	switch {
	case f.Noun != "":
		return f.Noun
	case kind == reflect.TypeFor[ids.ID]():
		return "id"
	case kind.Kind() == reflect.Bool:
		return "bool"
	case kind.Kind() == reflect.Int, kind.Kind() == reflect.Float64:
		return "number"
	case kind.Kind() == reflect.String:
		return "text"
	case kind.PkgPath() == "time":
		return "time"
	}
	return "json"
}

// flagName is the name of a field as people write flags; HTTP's q is called search.
func flagName(f op.Field) string {
	if f.Name == "q" {
		return "search"
	}
	return kebab(f.Name)
}

// kebab writes a JSON name as a flag: "createTerms" is "create-terms".
func kebab(name string) string {
	return strings.ReplaceAll(strings.ToLower(strings.Join(splitCamel(name), "-")), "_", "-")
}

func splitCamel(name string) []string { return strings.Fields(asWords(name)) }

func lowerFirst(text string) string {
	if text == "" || len(text) > 1 && text[1] >= 'A' && text[1] <= 'Z' {
		return text
	}
	return strings.ToLower(text[:1]) + text[1:]
}

func (s *Shell) operate(cmd *cobra.Command, c *invocation, args []string) error {
	err := c.take(args)
	if err == nil {
		err = s.showFirst(cmd, c)
	}
	if err == nil {
		err = s.askFirst(cmd, args)
	}
	if err != nil {
		return err
	}
	c.rehearsing(s.dryRun)
	done, err := s.called(cmd, c, args)
	if err != nil {
		return err
	}
	return views[c.line.Result].print(s, done)
}

// take reads the arguments. Records that only an id can name are checked before there is a database.
func (c *invocation) take(args []string) error {
	for i, argument := range c.line.Arguments() {
		f := c.argument(argument)
		switch {
		case i >= len(args):
		case f.Noun != "" && strings.Contains(argument, "..."):
			c.named[f.Name] = args[i:]
		case f.Noun != "":
			c.named[f.Name] = args[i : i+1]
		default:
			err := op.Set(c.input.Elem().FieldByIndex(f.Index), args[i])
			if err != nil {
				return Usage("%s: %w", strings.Trim(argument, "[]"), err)
			}
		}
	}
	for _, f := range c.line.Fields() {
		for _, word := range c.named[f.Name] {
			if op.Named(f.Noun) {
				continue
			}
			_, err := recordID(strings.ReplaceAll(f.Noun, "-", " "), word)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// showFirst shows what an operation would do before the question whether to do it, where the operation can say so.
func (s *Shell) showFirst(cmd *cobra.Command, c *invocation) error {
	if !c.line.Rehearsed && !c.line.Tried || c.line.Question == "" || s.Yes || s.dryRun {
		return nil
	}
	c.rehearsing(true)
	would, err := s.rehearsed(cmd, c)
	if err != nil {
		return err
	}
	aside := *s
	aside.Screen, aside.Format = s.Notes, FormatTable
	return views[c.line.Result].print(&aside, would)
}

// rehearsed runs a write and rolls it back.
func (s *Shell) rehearsed(cmd *cobra.Command, c *invocation) (any, error) {
	if s.Server != "" {
		return s.overHTTP(cmd, c)
	}
	return rehearse(cmd.Context(), s, func(tx *db.Tx) (any, error) { return c.run(cmd.Context(), tx) })
}

// rehearsing says whether the operation is to change nothing.
func (c *invocation) rehearsing(is bool) {
	if dry := c.line.DryRun(c.input.Interface()); dry != nil {
		*dry = is
	}
}

// run looks up the names in the call and runs the operation.
func (c *invocation) run(ctx context.Context, tx *db.Tx) (any, error) {
	err := c.find(func(noun, word string, within ids.ID) (ids.ID, error) { return op.Find(ctx, tx, noun, word, within) })
	if err != nil {
		return nil, err
	}
	return c.line.Run(ctx, tx, c.input.Interface())
}

// called runs the operation in the transaction of its kind.
func (s *Shell) called(cmd *cobra.Command, c *invocation, args []string) (any, error) {
	if s.Server != "" {
		return s.overHTTP(cmd, c)
	}
	run := func(tx *db.Tx) (any, error) { return c.run(cmd.Context(), tx) }
	if c.line.Kind == op.Writes {
		store, scope, err := s.scoped(cmd.Context())
		if err != nil {
			return nil, err
		}
		return writeAs(s, cmd, store, scope, said(cmd, args), run, func(body []byte) (any, error) {
			stored := reflect.New(c.line.Result)
			err := json.Unmarshal(body, stored.Interface())
			return stored.Elem().Interface(), err
		})
	}
	by := map[op.Kind]reader{op.Reads: (*db.Store).Read, op.Reports: (*db.Store).Report}[c.line.Kind]
	return readBy(cmd.Context(), s, by, func(tx *db.Tx) (any, error) {
		if !c.all {
			return run(tx)
		}
		return views[c.line.Result].whole(c.page, func() (any, error) { return run(tx) })
	})
}

// lookUp finds the record that a word names, by its noun (op.Find).
type lookUp func(noun, word string, within ids.ID) (ids.ID, error)

// within is the record that contains the one that a field names: for a revision the library.
func (c *invocation) within(f op.Field) ids.ID {
	if f.Noun != "revision" {
		return ids.None
	}
	return c.input.Elem().FieldByName("LibraryID").Interface().(ids.ID)
}

// find looks up the names in the call, in the order of the fields: a revision belongs to the library before it. A field
// that needs a name and has none gets the default of its noun. A list that a body always has is empty without its flag.
func (c *invocation) find(look lookUp) error {
	for _, f := range c.line.Fields() {
		if list := c.input.Elem().FieldByIndex(f.Index); f.Needed() && list.Kind() == reflect.Slice && list.IsNil() {
			list.Set(reflect.MakeSlice(list.Type(), 0, 0))
		}
	}
	for _, f := range c.line.Fields() {
		words := c.named[f.Name]
		if f.Noun == "" || len(words) == 0 && !f.Needed() {
			continue
		}
		if len(words) == 0 {
			words = []string{""}
		}
		to := c.input.Elem().FieldByIndex(f.Index)
		to.SetZero() // a transaction may run again
		for _, word := range words {
			id, err := look(f.Noun, word, c.within(f))
			if err == nil {
				err = op.Set(to, id.String())
			}
			if err != nil {
				return unknown(f.Noun, word, err)
			}
		}
	}
	return errs.Invalid(op.Spell(c.input.Interface())...)
}
