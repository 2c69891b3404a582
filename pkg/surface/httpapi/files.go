package httpapi

import (
	"context"
	"encoding/hex"
	"io"
	"mime"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/klauspost/compress/gzhttp"

	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
)

// keeper stores a received file outside of the transaction that records it; its results
// go into the input.
type keeper[I any] func(ctx context.Context, scope db.Scope, in *I, file *blob.File) error

// upload makes a route whose body is a file of any type. The guard receives it onto
// the disk, keep stores it, and only then the operation opens its transaction, once for each
// Idempotency-Key. A repeated call stores the same bytes under the same key again, which
// changes nothing.
func upload[I, O any](path, id string, caps []capability.Capability, summary string, keep keeper[I], op operation[I, O]) route {
	return route{Method: http.MethodPost, Path: path, ID: id, Summary: summary, Needs: caps, Status: http.StatusCreated, Once: true, Upload: true,
		register: func(s *Server, r route) {
			handle(s, r, func(ctx context.Context, in *I) (*reply, error) {
				c := callOf(ctx)
				err := keep(ctx, c.scope, in, c.file)
				if err != nil {
					return nil, err
				}
				answer, err := s.writingOnce(ctx, c, r.Status, func(tx *db.Tx) (any, error) { return op(ctx, tx, in) })
				if err != nil {
					return nil, err
				}
				return replyOf(answer), nil
			}, reflect.TypeFor[O]())
		}}
}

// upTo bounds the files of an upload by a limit of their own.
func upTo(limit func() int64, r route) route {
	r.FileLimit = limit
	return r
}

// prepare does the work that must be done outside of the transaction; its results go into the
// input.
type prepare[I any] func(ctx context.Context, scope db.Scope, in *I) error

// prepared makes a route that looks at something outside of the database before it opens its
// transaction, once for each Idempotency-Key.
func prepared[I, O any](path, id string, caps []capability.Capability, summary string, look prepare[I], op operation[I, O]) route {
	return route{Method: http.MethodPost, Path: path, ID: id, Summary: summary, Needs: caps, Status: http.StatusOK, Once: true,
		register: func(s *Server, r route) {
			handle(s, r, func(ctx context.Context, in *I) (*reply, error) {
				c := callOf(ctx)
				err := look(ctx, c.scope, in)
				if err != nil {
					return nil, err
				}
				answer, err := s.writingOnce(ctx, c, r.Status, func(tx *db.Tx) (any, error) { return op(ctx, tx, in) })
				if err != nil {
					return nil, err
				}
				return replyOf(answer), nil
			}, reflect.TypeFor[O]())
		}}
}

// receive takes the body of an upload; the idempotency key has the hash of the file in place of its bytes.
// A body whose stated length is too large is not read.
func (s *Server) receive(req *http.Request, r route, c call) (call, error) {
	var err error
	c.key, err = idempotencyKey(req, r)
	if err != nil {
		return c, err
	}
	limit := int64(s.config.UploadLimit)
	if r.FileLimit != nil {
		limit = r.FileLimit()
	}
	if req.ContentLength > limit {
		return c, tooLarge(limit)
	}
	c.file, err = blob.Receive(req.Body, limit)
	if err != nil {
		return c, err
	}
	_, err = hex.Decode(c.key.BodyHash[:], []byte(c.file.SHA256))
	c.key.BodyHash = r.hashWithQuery(c.key.BodyHash, req)
	return c, err
}

// release frees everything that the call holds outside the database and in memory.
func (c *call) release() {
	if c.file != nil {
		c.file.Close() //nolint:errcheck // only read from since it was complete
	}
	if c.freed != nil {
		c.freed()
	}
}

// download is a file on its way to the client.
type download struct {
	Name, MediaType, SHA256 string
	// Immutable content never changes at its address; other content is revalidated each time, by
	// its ETag.
	Immutable bool
	// Modified is when it was stored.
	Modified time.Time
	// Open gives the bytes; with verified, they are compared with their hash first.
	Open func(ctx context.Context, verified bool) (io.ReadSeekCloser, error)
}

// file makes a route that answers with a file. find says which one, in a transaction that is
// over before the first byte is sent.
func file[I any](path, id string, caps []capability.Capability, summary string, find operation[I, download]) route {
	return fileIn((*db.Store).Read, path, id, caps, summary, find)
}

// viewed makes a route that answers with a file, too, and whose find writes down who reads it.
func viewed[I any](path, id string, caps []capability.Capability, summary string, find operation[I, download]) route {
	return fileIn((*db.Store).Write, path, id, caps, summary, find)
}

type opener func(*db.Store, context.Context, db.Scope, func(*db.Tx) error) error

func fileIn[I any](open opener, path, id string, caps []capability.Capability, summary string, find operation[I, download]) route {
	return route{Method: http.MethodGet, Path: path, ID: id, Summary: summary, Needs: caps, Status: http.StatusOK, File: true,
		register: func(s *Server, r route) {
			huma.Register(s.api, s.operation(r), func(ctx context.Context, in *I) (*huma.StreamResponse, error) {
				var d download
				err := open(s.store, ctx, callOf(ctx).scope, func(tx *db.Tx) error {
					var err error
					d, err = find(ctx, tx, in)
					return err
				})
				if err != nil {
					return nil, s.present(ctx, err)
				}
				return &huma.StreamResponse{Body: func(hc huma.Context) { s.sendFile(hc, d) }}, nil
			})
		}}
}

// sendFile answers with a file, or a part of it (Range), or 304 when the client has it. A
// part is not verified: that would read all of it for each part. Browsers are told to treat
// the file only as its stated type, and to run nothing in it.
func (s *Server) sendFile(hc huma.Context, d download) {
	gc := humagin.Unwrap(hc)
	content, err := d.Open(gc.Request.Context(), gc.GetHeader("Range") == "")
	if err != nil {
		s.refuse(hc, err)
		return
	}
	defer content.Close() //nolint:errcheck // only read from
	h := gc.Writer.Header()
	h.Set("Content-Type", d.MediaType)
	h.Set("Content-Disposition", disposition(d))
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("ETag", `"`+d.SHA256+`"`)
	h.Set("Cache-Control", "private, no-cache")
	if d.Immutable {
		h.Set("Cache-Control", "private, max-age=31536000, immutable")
	}
	h.Set(gzhttp.HeaderNoCompression, "1")
	s.served(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", d.Modified, content)
	}))(gc)
}

// disposition names the file for people who save it. A browser never shows anything in its
// window that it could take for a document.
func disposition(d download) string {
	how := "attachment"
	kind, _, err := mime.ParseMediaType(d.MediaType)
	if err == nil && kind != "application/pdf" {
		how = "inline"
	}
	return mime.FormatMediaType(how, map[string]string{"filename": d.Name})
}

// binary describes a body of bytes.
func binary() map[string]*huma.MediaType {
	return map[string]*huma.MediaType{"application/octet-stream": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}
}
