package httpapi

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/wire"
	"assess/pkg/people/access"
	reportpage "assess/pkg/report/page"
	"assess/pkg/surface/op"
)

// route is one line of the interface.
type route struct {
	Method, Path string
	ID           string
	Summary      string
	Status       int
	// Needs is the capability that the caller must have, or one of several. The operation
	// checks again: it is the authority, and the command line uses it too.
	Needs []capability.Capability
	// Public routes need no token.
	Public bool
	// Own routes need a token and no capability: they show the caller's own data.
	Own bool
	// Linked routes take a link and nobody else; all others refuse links.
	Linked bool
	// Limit bounds the calls of one user; the zero Limit does not.
	Limit access.Limit
	// Together says that all users of a tenant share the limit.
	Together bool
	// Secret routes have a secret in their path or answer, which is stored nowhere in clear.
	Secret bool
	// Once routes need an Idempotency-Key.
	Once bool
	// Rehearsed routes take a dryRun in the body; a dry run needs no key and is rolled back.
	Rehearsed bool
	// Tried routes take dryRun in the query, in the same way.
	Tried bool
	// LargeBody routes take imports.
	LargeBody bool
	// Bank routes take question banks of other systems too.
	Bank bool
	// Package routes take a CASE package as JSON, which is read as a file.
	Package bool
	// Upload routes take a file; FileLimit bounds it where it is not http.upload_limit.
	Upload    bool
	FileLimit func() int64
	// File routes answer with a file.
	File bool
	// StepUp routes may need a step-up proof; the operation consumes it.
	StepUp bool
	// Taken routes give the file of a page, which leads to it.
	Taken bool
	// Draws makes a page of the answer, for callers that accept HTML; so does Pictured, of input and answer.
	Draws    func(ctx context.Context, tx *db.Tx, in pageInput) (reportpage.Page, error)
	Pictured func(ctx context.Context, tx *db.Tx, in, out any) (reportpage.Page, error)
	register func(s *Server, r route)
}

// operation is the function behind a route: one call of the domain inside a scoped transaction.
type operation[I, O any] func(ctx context.Context, tx *db.Tx, in *I) (O, error)

// none is the answer without a body.
type none = db.None

// needs reads well in the list of routes.
func needs(cs ...capability.Capability) []capability.Capability { return cs }

// get makes a route that reads, answered with 200.
func get[I, O any](path, id string, caps []capability.Capability, summary string, op operation[I, O]) route {
	return route{Method: http.MethodGet, Path: path, ID: id, Summary: summary, Needs: caps, Status: http.StatusOK,
		register: func(s *Server, r route) { register(s, r, s.reading(s.store.Read), op) }}
}

// report makes a route that reads from the reports' pool, at one snapshot.
func report[I, O any](path, id string, caps []capability.Capability, summary string, op operation[I, O]) route {
	return route{Method: http.MethodGet, Path: path, ID: id, Summary: summary, Needs: caps, Status: http.StatusOK,
		register: func(s *Server, r route) { register(s, r, s.reading(s.store.Report), op) }}
}

// write makes a route that changes something, once for each Idempotency-Key.
func write[I, O any](method, path, id string, status int, caps []capability.Capability, summary string, op operation[I, O]) route {
	return route{Method: method, Path: path, ID: id, Summary: summary, Needs: caps, Status: status, Once: true,
		register: func(s *Server, r route) { register(s, r, s.writingOnce, op) }}
}

// save makes a route that changes something and is safe to repeat by its own nature.
func save[I, O any](path, id string, caps []capability.Capability, summary string, op operation[I, O]) route {
	return route{Method: http.MethodPost, Path: path, ID: id, Summary: summary, Needs: caps, Status: http.StatusOK,
		register: func(s *Server, r route) { register(s, r, s.writing, op) }}
}

// preview makes a route that looks at an import: a dry run, since there is no other way to find out
// what keeps a draft from being published.
func preview[I, O any](path, id string, caps []capability.Capability, summary string, op operation[I, O]) route {
	return large(route{Method: http.MethodPost, Path: path, ID: id, Summary: summary, Needs: caps, Status: http.StatusOK,
		register: func(s *Server, r route) { register(s, r, s.reading(s.store.DryRun), op) }})
}

// own marks a route that shows callers their own data.
func own(r route) route {
	r.Own = true
	return r
}

// linked marks a route for the holders of links.
func linked(r route) route {
	r.Own, r.Linked, r.Limit = true, true, perLink
	return r
}

// perLink bounds the calls of one link: each is an event of the ledger.
var perLink = access.Limit{N: 120, Per: time.Minute}

// limited bounds the calls of one user, in all processes together.
func limited(n int, per time.Duration, r route) route {
	r.Limit = access.Limit{N: n, Per: per}
	return r
}

// together makes the limit of a route one of the whole tenant.
func together(r route) route {
	r.Together = true
	return r
}

// secret marks a route with a secret in its path or answer.
func secret(r route) route {
	r.Secret = true
	return r
}

// large marks a route that takes imports.
func large(r route) route {
	r.LargeBody = true
	return r
}

// banked marks a route that takes question banks of other systems too.
func banked(r route) route {
	r.Bank = true
	return r
}

// rehearsed marks a write that can be a dry run.
func rehearsed(r route) route {
	r.Rehearsed = true
	return r
}

// tried marks a write without a body that can be a dry run.
func tried(r route) route {
	r.Tried = true
	return r
}

// proven marks a route that may need a step-up proof.
func proven(r route) route {
	r.StepUp = true
	return r
}

// open makes a route without a token; its handler opens the transactions that it needs.
func open[I, O any](method, path, id string, status int, summary string, handler func(ctx context.Context, in *I) (O, error)) route {
	return route{Method: method, Path: path, ID: id, Summary: summary, Status: status, Public: true,
		register: func(s *Server, r route) {
			handle(s, r, func(ctx context.Context, in *I) (*reply, error) {
				out, err := handler(ctx, in)
				if err != nil {
					return nil, err
				}
				return encode(r.Status, out)
			}, reflect.TypeFor[O]())
		}}
}

// transaction runs a call in the fitting kind of transaction.
type transaction func(ctx context.Context, c call, status int, run func(*db.Tx) (any, error)) (*db.Answer, error)

// register gives an operation to huma.
func register[I, O any](s *Server, r route, in transaction, op operation[I, O]) {
	handle(s, r, func(ctx context.Context, input *I) (*reply, error) {
		var page *reply
		answer, err := in(ctx, callOf(ctx), r.Status, func(tx *db.Tx) (any, error) {
			out, err := op(ctx, tx, input)
			if err != nil {
				return nil, err
			}
			var result any
			result, page, err = r.picture(ctx, tx, input, out)
			return result, err
		})
		if err != nil || page != nil {
			return page, err
		}
		tag := callOf(ctx).tagged(answer)
		said := replyOf(answer)
		said.ETag = tag
		return said, nil
	}, reflect.TypeFor[O]())
}

// handle gives the operation to huma: with the server's time limit, and with every error
// presented in one shape.
func handle[I any](s *Server, r route, run func(ctx context.Context, in *I) (*reply, error), answer reflect.Type) {
	limit := s.config.RequestTimeout
	if r.LargeBody {
		limit = s.config.ImportTimeout
	}
	huma.Register(s.api, s.operation(r), func(ctx context.Context, in *I) (*reply, error) {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		err := errs.Invalid(op.Spell(in)...)
		if err != nil {
			return nil, s.present(ctx, err)
		}
		out, err := run(ctx, in)
		if err != nil {
			p := s.present(ctx, err)
			if page, ok := problemReply(ctx, p); ok {
				return page, nil
			}
			return nil, p
		}
		return out, nil
	})
	switch {
	case r.Package:
		s.describePackage(r)
	case r.LargeBody:
		s.describeImport(r)
	}
	s.describeReply(r, answer)
	if r.Draws != nil || r.Pictured != nil {
		s.describePage(r)
	}
}

func (s *Server) reading(open func(context.Context, db.Scope, func(*db.Tx) error) error) transaction {
	return func(ctx context.Context, c call, status int, run func(*db.Tx) (any, error)) (*db.Answer, error) {
		var out any
		err := open(ctx, c.scope, func(tx *db.Tx) error {
			var err error
			out, err = run(tx)
			return err
		})
		if err != nil {
			return nil, err
		}
		return answerOf(status, out)
	}
}

// writing is for operations that end with LastRow or LastPair.
func (s *Server) writing(ctx context.Context, c call, status int, run func(*db.Tx) (any, error)) (*db.Answer, error) {
	return s.reading(s.store.WriteShort)(ctx, c, status, run)
}

// writingOnce encodes inside the transaction, since the stored answer commits with its
// effect.
func (s *Server) writingOnce(ctx context.Context, c call, status int, run func(*db.Tx) (any, error)) (*db.Answer, error) {
	if c.dryRun {
		return s.reading(s.store.DryRun)(ctx, c, status, run)
	}
	return s.once(ctx, c, status, run, func(any) ([]byte, error) { return nil, nil })
}

func (s *Server) once(ctx context.Context, c call, status int, run func(*db.Tx) (any, error), keep func(out any) ([]byte, error)) (*db.Answer, error) {
	return s.store.WriteOnce(ctx, c.scope, c.key, func(tx *db.Tx) (*db.Answer, error) {
		out, err := run(tx)
		if err != nil {
			return nil, err
		}
		answer, err := answerOf(status, out)
		if err != nil {
			return nil, err
		}
		answer.Kept, err = keep(out)
		return answer, err
	})
}

// inLanguage is an answer that says what language its content is in.
type inLanguage interface{ ContentLanguage() string }

func answerOf(status int, out any) (*db.Answer, error) {
	if _, empty := out.(none); empty {
		return &db.Answer{Status: status, Body: []byte{}}, nil
	}
	body, err := wire.Marshal(out)
	if err != nil {
		return nil, errs.Wrap(errs.Internal, err, "The answer cannot be encoded.")
	}
	answer := &db.Answer{Status: status, Body: body}
	made, placed := out.(interface{ Location() string })
	if placed && (status == http.StatusCreated || status == http.StatusAccepted) {
		answer.Location = made.Location()
	}
	if spoken, ok := out.(inLanguage); ok {
		answer.Language = spoken.ContentLanguage()
	}
	return answer, nil
}
