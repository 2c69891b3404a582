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
	"strings"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
)

// Kind says in which transaction an operation runs.
type Kind int

const (
	// Reads changes nothing.
	Reads Kind = iota
	// Writes changes something, once for each Idempotency-Key.
	Writes
)

// Line is one operation.
type Line struct {
	Kind         Kind
	Method, Path string
	// ID names the operation in OpenAPI.
	ID string
	// Command is how it is called at a terminal: its words, then its arguments in capitals, those that may be left out
	// in brackets. An argument is the field of its name or noun.
	Command string
	// Needs are the capabilities of which the caller must have one.
	Needs   []capability.Capability
	Summary string
	Status  int
	// Rehearsed operations have a field dryRun.
	Rehearsed bool
	// Proven operations may need a step-up proof.
	Proven bool
	// Question is what the command asks first; %s is its first argument.
	Question string

	Input, Result reflect.Type
	run           func(ctx context.Context, tx *db.Tx, input any) (any, error)
}

// Run calls the operation with a pointer to an input. The result is of the type Result.
func (l Line) Run(ctx context.Context, tx *db.Tx, input any) (any, error) {
	return l.run(ctx, tx, input)
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

// operation is what a line calls.
type operation[I, O any] func(ctx context.Context, tx *db.Tx, input I) (O, error)

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
		run: func(ctx context.Context, tx *db.Tx, input any) (any, error) { return do(ctx, tx, *input.(*I)) }}
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

// rehearsed marks an operation whose dryRun does everything and changes nothing.
func (l Line) rehearsed() Line {
	l.Rehearsed = true
	return l
}

// proven marks an operation that may need a step-up proof.
func (l Line) proven() Line {
	l.Proven = true
	return l
}

// asks gives a command a question.
func (l Line) asks(question string) Line {
	l.Question = question
	return l
}

func needs(all ...capability.Capability) []capability.Capability { return all }
