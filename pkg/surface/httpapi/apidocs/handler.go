package apidocs

import (
	"bytes"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/yuin/goldmark"
)

// policy allows only this origin. Scalar writes its style sheet into the page, hence
// inline style; its icons are data URLs.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Handler serves the documentation page at /docs and its scripts below /docs/assets/.
// specURL is where the page finds the OpenAPI description, usually "/openapi.json";
// title is the page's title; both are escaped. introduction is the first chapter, in Markdown:
// the page shows it at once, and the reference when it has been drawn. Methods other than GET
// and HEAD answer 405, other paths 404. An error means that the embedded files are damaged.
func Handler(specURL, title, introduction string) (http.Handler, error) {
	assets, err := loadAssets()
	if err != nil {
		return nil, err
	}
	page, err := renderPage(specURL, title, introduction, assets)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /docs", func(w http.ResponseWriter, r *http.Request) { servePage(w, r, page) })
	mux.HandleFunc("GET /docs/assets/{name}", func(w http.ResponseWriter, r *http.Request) {
		found, ok := assets[r.PathValue("name")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		serveAsset(w, r, found)
	})
	return mux, nil
}

func renderPage(specURL, title, introduction string, assets map[string]asset) ([]byte, error) {
	layout, err := template.ParseFS(files, "assets/page.html")
	if err != nil {
		return nil, fmt.Errorf("apidocs: %w", err)
	}
	versions := make(map[string]string, len(assets))
	for name, a := range assets {
		versions[name] = a.version
	}
	var chapter, out bytes.Buffer
	err = goldmark.Convert([]byte(introduction), &chapter) // drops raw HTML
	if err != nil {
		return nil, fmt.Errorf("apidocs: %w", err)
	}
	err = layout.Execute(&out, map[string]any{"Title": title, "Introduction": template.HTML(chapter.String()), "Description": specURL, "Versions": versions}) //nolint:gosec // made of our own text
	if err != nil {
		return nil, fmt.Errorf("apidocs: %w", err)
	}
	return out.Bytes(), nil
}

func servePage(w http.ResponseWriter, r *http.Request, page []byte) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", `"`+version(page)+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(page))
}

func serveAsset(w http.ResponseWriter, r *http.Request, a asset) {
	content, encoding := a.gzipped, "gzip"
	if content == nil || !acceptsGzip(r.Header.Values("Accept-Encoding")) {
		plain, err := a.plain()
		if err != nil {
			http.Error(w, "the embedded file is damaged", http.StatusInternalServerError)
			return
		}
		content, encoding = plain, ""
	}
	h := w.Header()
	h.Set("Content-Type", "text/javascript; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Vary", "Accept-Encoding")
	h.Set("Cache-Control", cacheControl(r, a))
	// The two encodings are two representations: each needs its own strong ETag
	// (RFC 9110, section 8.8.3).
	h.Set("ETag", `"`+a.version+encoding+`"`)
	if encoding != "" {
		h.Set("Content-Encoding", encoding)
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

func cacheControl(r *http.Request, a asset) string {
	if r.URL.Query().Get("v") == a.version {
		return "public, max-age=31536000, immutable"
	}
	return "no-cache"
}

// acceptsGzip reads Accept-Encoding (RFC 9110, section 12.5.3): gzip by name decides,
// "*" only where gzip is not named, and a quality of 0 refuses.
func acceptsGzip(headers []string) bool {
	accepted := false
	for _, element := range strings.Split(strings.Join(headers, ","), ",") {
		coding, parameters, _ := strings.Cut(element, ";")
		switch strings.ToLower(strings.TrimSpace(coding)) {
		case "gzip", "x-gzip":
			return quality(parameters) > 0
		case "*":
			accepted = quality(parameters) > 0
		}
	}
	return accepted
}

// quality is the weight of an element, 0 to 1; 1 where none is given, 0 where it is
// not a number.
func quality(parameters string) float64 {
	name, value, found := strings.Cut(parameters, "=")
	if !found || !strings.EqualFold(strings.TrimSpace(name), "q") {
		return 1
	}
	q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil {
		return 0
	}
	return q
}
