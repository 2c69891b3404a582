// Package op is the table of operations. A line says how an operation is called over HTTP and at a terminal, who may
// call it, and what it does; both surfaces are made of it.
//
// An operation is Verb(ctx, tx, input) (Result, error) of the domain. The tags of its input say where a field comes
// from: path and query name a part of the address, json a field of the body. At a terminal a field is an argument of
// the command or a flag (its name in kebab-case); noun names what an id belongs to, which people may call by its name.
//
// The operation checks the capability itself: it is the authority. The line repeats it, so that a call that lacks it
// is refused before its body is read.
package op

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
)

// Kind says in which transaction an operation runs.
type Kind int

const (
	// Reads changes nothing.
	Reads Kind = iota
	// Reports reads at one snapshot, from the connections of reports.
	Reports
	// Writes changes something, once for each Idempotency-Key.
	Writes
)

// Line is one operation.
type Line struct {
	Kind         Kind
	Method, Path string
	// ID names the operation in OpenAPI.
	ID string
	// Command is how it is called at a terminal: its words, then its arguments in capitals, optional ones
	// in brackets. An argument is the field of its name or noun. A line without a command is for HTTP only.
	Command string
	// Needs are capabilities; the caller must have one of them.
	Needs   []capability.Capability
	Summary string
	Status  int
	// Rehearsed operations have a field dryRun.
	Rehearsed bool
	// Tried operations take dryRun in the query, in the same way.
	Tried bool
	// Proven operations may need a step-up proof.
	Proven bool
	// Secret operations have a secret in their address or answer, which is stored nowhere in clear.
	Secret bool
	// Limit bounds the calls of one user; the zero Limit does not.
	Limit access.Limit
	// Question is asked first by the command; %[1]s is its first argument.
	Question string
	// Long is the text that the help of the command adds to its summary.
	Long string

	Input, Result reflect.Type
	run           func(ctx context.Context, tx *db.Tx, input any) (any, error)
	body          func(input any) any
}

// All are the operations of every noun, in the order of the rooms.
func All() []Line {
	return slices.Concat(Roles(), OrgUnits(), Users(), Grants(), Accounts(), Groups(), Providers(), Policies(), Taxonomy(), Questions(), Passages(), Evaluations(), Packs(), Assets(), Locales(),
		Subjects(), Engagements(), Requirements(), Schedules(), Assignments(), Reviews(), Evidence(), Remediations(), Forecasts(), Requests(), Letters(), Recipients(), Holds(), Residue(), Processing(), Exceptions(), LTI(), Webhooks())
}

// Run calls the operation with a pointer to an input. The result is of the type Result.
func (l Line) Run(ctx context.Context, tx *db.Tx, input any) (any, error) {
	return l.run(ctx, tx, input)
}

// Body is the part of an input, given as a pointer, that the body of a request fills.
func (l Line) Body(input any) any { return l.body(input) }

// DryRun is the field of an input, given as a pointer, that says whether the call changes nothing; nil where there is none.
func (l Line) DryRun(input any) *bool {
	for _, f := range l.Fields() {
		if f.Name == "dryRun" && (l.Rehearsed || l.Tried) {
			return reflect.ValueOf(input).Elem().FieldByIndex(f.Index).Addr().Interface().(*bool)
		}
	}
	return nil
}

// Words are the words of the command, without its arguments.
func (l Line) Words() []string {
	var words []string
	for _, word := range strings.Fields(l.Command) {
		if word != strings.ToLower(word) {
			break
		}
		words = append(words, word)
	}
	return words
}

// Arguments are the arguments of the command, in capitals or brackets.
func (l Line) Arguments() []string { return strings.Fields(l.Command)[len(l.Words()):] }

// Fields are the fields of the input. The noun of the id of ByID is the first argument of the command.
func (l Line) Fields() []Field {
	all := Fields(l.Input)
	for i, f := range all {
		if len(l.Arguments()) > 0 && f.Type == reflect.TypeFor[ids.ID]() && f.From == InPath && f.Name == "id" && f.Noun == "" {
			all[i].Noun = strings.ToLower(l.Arguments()[0])
		}
	}
	return all
}

// operation is the function that a line calls.
type operation[I, O any] func(ctx context.Context, tx *db.Tx, input I) (O, error)

// none is the input of an operation that takes nothing.
type none struct{}

// ByID names one record by the address.
type ByID struct {
	ID ids.ID `path:"id"`
}

// withID is the input of an operation that takes the id of a record and something more.
type withID[I any] struct {
	ByID
	Input I
}

// alone makes an operation of one that takes nothing.
func alone[O any](do func(ctx context.Context, tx *db.Tx) (O, error)) operation[none, O] {
	return func(ctx context.Context, tx *db.Tx, _ none) (O, error) { return do(ctx, tx) }
}

// one makes an operation of one that takes the id of a record.
func one[O any](do func(ctx context.Context, tx *db.Tx, id ids.ID) (O, error)) operation[ByID, O] {
	return func(ctx context.Context, tx *db.Tx, input ByID) (O, error) { return do(ctx, tx, input.ID) }
}

// gone makes an operation of one that deletes a record.
func gone(do func(ctx context.Context, tx *db.Tx, id ids.ID) error) operation[ByID, db.None] {
	return one(func(ctx context.Context, tx *db.Tx, id ids.ID) (db.None, error) { return db.None{}, do(ctx, tx, id) })
}

// ofOne makes an operation of one that takes the id of a record and something more.
func ofOne[I, O any](do func(ctx context.Context, tx *db.Tx, id ids.ID, input I) (O, error)) operation[withID[I], O] {
	return func(ctx context.Context, tx *db.Tx, input withID[I]) (O, error) {
		return do(ctx, tx, input.ID, input.Input)
	}
}

// body gives the part of an input that a body fills.
func (i *withID[I]) body() any { return &i.Input }

// read makes a line that changes nothing: "GET /libraries/{id}".
func read[I, O any](address, id, command string, needs []capability.Capability, summary string, do operation[I, O]) Line {
	return line(Reads, address, id, command, needs, summary, do)
}

// write makes a line that changes something.
func write[I, O any](address, id, command string, needs []capability.Capability, summary string, do operation[I, O]) Line {
	return line(Writes, address, id, command, needs, summary, do)
}

func line[I, O any](kind Kind, address, id, command string, needs []capability.Capability, summary string, do operation[I, O]) Line {
	method, path, _ := strings.Cut(address, " ")
	l := Line{Kind: kind, Method: method, Path: path, ID: id, Command: command, Needs: needs, Summary: summary, Status: http.StatusOK,
		Input: reflect.TypeFor[I](), Result: reflect.TypeFor[O](),
		run: func(ctx context.Context, tx *db.Tx, input any) (any, error) { return do(ctx, tx, *input.(*I)) },
		body: func(input any) any {
			if within, ok := input.(interface{ body() any }); ok {
				return within.body()
			}
			return input
		}}
	if l.Result == reflect.TypeFor[db.None]() {
		l.Status = http.StatusNoContent
	}
	return l
}

// creates marks an operation that answers with a new record.
func (l Line) creates() Line {
	l.Status = http.StatusCreated
	return l
}

// accepted marks an operation that answers before its work is done.
func (l Line) accepted() Line {
	l.Status = http.StatusAccepted
	return l
}

// rehearsed marks an operation whose dryRun does everything and changes nothing.
func (l Line) rehearsed() Line {
	l.Rehearsed = true
	return l
}

// tried marks an operation without a body that can be a dry run.
func (l Line) tried() Line {
	l.Tried = true
	return l
}

// proven marks an operation that may need a step-up proof.
func (l Line) proven() Line {
	l.Proven = true
	return l
}

// secret marks an operation with a secret in its address or answer.
func (l Line) secret() Line {
	l.Secret = true
	return l
}

// limited bounds the calls of one user, in all processes together.
func (l Line) limited(n int, per time.Duration) Line {
	l.Limit = access.Limit{N: n, Per: per}
	return l
}

// asks gives a command a question.
func (l Line) asks(question string) Line {
	l.Question = question
	return l
}

// says gives the help of a command more words.
func (l Line) says(long string) Line {
	l.Long = long
	return l
}

func needs(all ...capability.Capability) []capability.Capability { return all }
