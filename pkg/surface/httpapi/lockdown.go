package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"

	"assess/pkg/exam/assignment"
	"assess/pkg/exam/seb"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
)

// Safe Exam Browser proves its keys in these headers, and names the page where it did.
const (
	configKeyHeader  = "X-SafeExamBrowser-ConfigKeyHash"
	browserKeyHeader = "X-SafeExamBrowser-RequestHash"
	pageHeader       = "X-Lockdown-Page"
)

// LockdownHeaders are the client's own statements about itself, and the proofs of Safe Exam Browser.
type LockdownHeaders struct {
	Lockdown       string `header:"X-Lockdown" maxLength:"200" doc:"What this client prevents, joined by commas: fullscreen_exit, focus_loss, copy, paste"`
	ConfigKeyHash  string `header:"X-SafeExamBrowser-ConfigKeyHash" maxLength:"64" doc:"SHA-256 of the address of the call and the Config Key, as Safe Exam Browser sends it; or of the page and the key, as the browser tells it to the page (SafeExamBrowser.security.configKey)"`
	BrowserKeyHash string `header:"X-SafeExamBrowser-RequestHash" maxLength:"64" doc:"The same of the Browser Exam Key (SafeExamBrowser.security.browserExamKey)"`
	Page           string `header:"X-Lockdown-Page" maxLength:"2000" doc:"The address of the page that was told the hashes. Its origin is that of auth.app_url, of http.base_url, or one of http.cors_origins" example:"https://app.example.org/"`
	target         string
}

// Resolve notes the address as it was called, before anything is spelt anew.
func (h *LockdownHeaders) Resolve(hc huma.Context) []error {
	h.target = humagin.Unwrap(hc).Request.RequestURI
	return nil
}

// client says where a call comes from. Behind a proxy the browser knows the service by http.base_url, so statements of
// the proxy do not count.
func (s *Server) client(h LockdownHeaders) session.Client {
	c := session.Client{Lockdown: h.Lockdown, ConfigKeyHash: h.ConfigKeyHash, BrowserKeyHash: h.BrowserKeyHash, App: s.authority.AppURL(),
		Addresses: []string{asCalled(s.config.BaseURL) + h.target}}
	page, err := url.Parse(h.Page)
	if err == nil && page.Host != "" && s.isOurs(page) {
		c.Addresses = append(c.Addresses, h.Page)
	}
	return c
}

// asCalled spells an origin as browsers do: in small letters, without the port that goes without saying.
func asCalled(origin string) string {
	u, err := url.Parse(origin)
	if err != nil {
		return origin
	}
	host := strings.ToLower(u.Host)
	switch u.Scheme {
	case "https":
		host = strings.TrimSuffix(host, ":443")
	case "http":
		host = strings.TrimSuffix(host, ":80")
	}
	return u.Scheme + "://" + host
}

// isOurs says whether a page can be one of candidates: no other site's page counts, although its visitors may use the browser.
func (s *Server) isOurs(page *url.URL) bool {
	allowed := append([]string{s.authority.AppURL(), s.config.BaseURL}, s.config.CORSOrigins...)
	return slices.Contains(allowed, "*") || slices.ContainsFunc(allowed, func(one string) bool {
		return one != "" && asCalled(one) == asCalled(page.Scheme+"://"+page.Host)
	})
}

// assignmentSEB gives the file the id of its assignment for a name.
func (s *Server) assignmentSEB(ctx context.Context, tx *db.Tx, input *ByID) (download, error) {
	settings, err := assignment.SEBSettings(ctx, tx, input.ID, s.authority.AppURL())
	if err != nil {
		return download{}, err
	}
	data := settings.File()
	sum := sha256.Sum256(data)
	return download{Name: input.ID.String() + ".seb", MediaType: seb.MediaType, SHA256: hex.EncodeToString(sum[:]), Modified: time.Time{},
		Open: func(context.Context, bool) (io.ReadSeekCloser, error) { return whole{bytes.NewReader(data)}, nil }}, nil
}

// whole is a file that was made in memory.
type whole struct{ *bytes.Reader }

func (whole) Close() error { return nil }
