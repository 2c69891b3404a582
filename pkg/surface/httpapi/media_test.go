package httpapi_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"assess/config"
	"assess/pkg/author/media"
	"assess/pkg/dev/apptest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/surface/httpapi"
)

func init() {
	asset := func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Asset} }
	noun["getAsset"], noun["getAssetContent"], noun["uploadAssetVersion"] = asset, asset, asset
	noun["deleteAsset"] = func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.SpareAsset} }
	picture := func(place) any { return sample.PNG(8, 8) }
	body["uploadAsset"], body["uploadAssetVersion"] = picture, picture
	body["setLocales"] = func(place) any { return map[string]any{"locales": []any{}} }
}

// gallery is a service with an author and a candidate.
type gallery struct {
	*town
	author, candidate string
	folder            string
}

func newGallery(t *testing.T) *gallery {
	t.Helper()
	folder := t.TempDir()
	app := apptest.Start(t, func(c *config.Config) { c.Blob.URL, c.HTTP.UploadLimit = "file://"+folder, 64*config.KiB })
	return &gallery{town: &town{app: app}, author: app.Token(t, capability.Author), candidate: app.Token(t, capability.Candidate), folder: folder}
}

func (g *gallery) upload(t *testing.T, name, contentType string, content []byte, key string) response {
	t.Helper()
	return g.send(t, request{method: http.MethodPost, path: "/media?name=" + url.QueryEscape(name), token: g.author, key: key,
		contentType: contentType, body: content})
}

func (g *gallery) asset(t *testing.T, name, contentType string, content []byte) media.Asset {
	t.Helper()
	got := g.upload(t, name, contentType, content, ids.New().String())
	if got.status != http.StatusCreated {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	var asset media.Asset
	err := json.Unmarshal(got.body, &asset)
	if err != nil {
		t.Fatal(err)
	}
	return asset
}

// fetch reads the content of an asset as an author, with further headers.
func (g *gallery) fetch(t *testing.T, path string, header ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, g.app.URL+"/api/v1/media/"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+g.author)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(body)
}

func TestContentIsWhatWasUploaded(t *testing.T) {
	t.Parallel()
	g := newGallery(t)
	picture := sample.PNG(30, 20)
	asset := g.asset(t, "Blatt „grün“\u202e.png", "image/png", picture)
	sum := sha256.Sum256(picture)
	tag := `"` + hex.EncodeToString(sum[:]) + `"`
	res, body := g.fetch(t, asset.ID.String()+"/content")
	if res.StatusCode != 200 || body != string(picture) {
		t.Fatalf("got %d and %d bytes", res.StatusCode, len(body))
	}
	for name, want := range map[string]string{"Content-Type": "image/png", "ETag": tag, "Cache-Control": "private, no-cache",
		"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox; default-src 'none'", "Accept-Ranges": "bytes"} {
		if got := res.Header.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if got := res.Header.Get("Content-Disposition"); !strings.HasPrefix(got, "inline; filename*=utf-8''Blatt%20") {
		t.Errorf("Content-Disposition: got %q", got)
	}
	pinned := asset.ID.String() + "/content?version=" + asset.Current.ID.String()
	res, body = g.fetch(t, pinned)
	if got := res.Header.Get("Cache-Control"); got != "private, max-age=31536000, immutable" || body != string(picture) {
		t.Errorf("a named version: got %q and %d bytes", got, len(body))
	}
	res, body = g.fetch(t, pinned, "If-None-Match", tag)
	if res.StatusCode != http.StatusNotModified || body != "" {
		t.Errorf("unchanged: got %d and %d bytes", res.StatusCode, len(body))
	}
	res, body = g.fetch(t, pinned, "Range", "bytes=1-3")
	if res.StatusCode != http.StatusPartialContent || body != "PNG" {
		t.Errorf("a part: got %d %q", res.StatusCode, body)
	}
	for header, tt := range map[string]struct {
		value  string
		status int
		code   errs.Code
	}{
		"Range":    {"bytes=999999-", http.StatusRequestedRangeNotSatisfiable, errs.RangeNotSatisfiable},
		"If-Match": {`"another"`, http.StatusPreconditionFailed, errs.PreconditionFailed},
	} {
		res, body = g.fetch(t, pinned, header, tt.value)
		if res.StatusCode != tt.status || res.Header.Get("Content-Type") != "application/json" || !strings.Contains(body, `"code":"`+string(tt.code)+`"`) {
			t.Errorf("%s: got %d %s %q", header, res.StatusCode, res.Header.Get("Content-Type"), body)
		}
		if got := res.Header.Get("Content-Disposition") + res.Header.Get("ETag"); got != "" {
			t.Errorf("%s: the refusal speaks of the file: %q", header, got)
		}
	}
	res, _ = g.fetch(t, asset.ID.String()+"/content?version="+ids.New().String())
	if res.StatusCode != http.StatusNotFound {
		t.Errorf("no such version: got %d", res.StatusCode)
	}
}

func TestDocumentsAreNeverShownInTheWindow(t *testing.T) {
	t.Parallel()
	g := newGallery(t)
	asset := g.asset(t, "a\"; x=.pdf", "application/pdf", []byte("%PDF-1.7\n<script>"))
	res, _ := g.fetch(t, asset.ID.String()+"/content")
	if got := res.Header.Get("Content-Disposition"); got != `attachment; filename="a\"; x=.pdf"` {
		t.Errorf("got %q", got)
	}
}

func TestUploadsThatAreRefused(t *testing.T) {
	t.Parallel()
	g := newGallery(t)
	svg := []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`)
	for _, tt := range []struct {
		name, file, contentType string
		content                 []byte
		status                  int
		code                    errs.Code
	}{
		{"svg", "a.svg", "image/svg+xml", svg, 415, errs.UnsupportedMediaType},
		{"svg that claims to be a png", "a.png", "image/png", svg, 415, errs.UnsupportedMediaType},
		{"html", "a.html", "text/html", []byte("<!doctype html>"), 415, errs.UnsupportedMediaType},
		{"a png that claims to be json", "a.png", "application/json", sample.PNG(1, 1), 415, errs.UnsupportedMediaType},
		{"nothing", "a.png", "image/png", []byte{}, 422, errs.ValidationFailed},
		{"no name", "", "image/png", sample.PNG(1, 1), 422, errs.ValidationFailed},
		{"a name with a line break", "a\nb", "image/png", sample.PNG(1, 1), 422, errs.ValidationFailed},
		{"too large", "a.png", "image/png", append(sample.PNG(1, 1), make([]byte, 64<<10)...), 413, errs.RequestTooLarge},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want(t, g.upload(t, tt.file, tt.contentType, tt.content, ids.New().String()), tt.status, tt.code)
		})
	}
	got := g.send(t, request{method: http.MethodGet, path: "/media", token: g.author})
	if !strings.Contains(string(got.body), `"total":0`) {
		t.Errorf("something was recorded: %s", got.body)
	}
}

// A body without a length is counted as it comes.
func TestUploadOfUnknownLengthIsCounted(t *testing.T) {
	t.Parallel()
	g := newGallery(t)
	large := append(sample.PNG(1, 1), make([]byte, 64<<10)...)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.app.URL+"/api/v1/media?name=a.png", struct{ *strings.Reader }{strings.NewReader(string(large))})
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Authorization": "Bearer " + g.author, "Idempotency-Key": "k", "Content-Type": "image/png"} {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusRequestEntityTooLarge || req.ContentLength > 0 {
		t.Errorf("got %d for a body of stated length %d", res.StatusCode, req.ContentLength)
	}
}

func TestSameKeySameBytesIsOneAsset(t *testing.T) {
	t.Parallel()
	g := newGallery(t)
	picture := sample.PNG(5, 5)
	first, second := g.upload(t, "a.png", "image/png", picture, "once"), g.upload(t, "a.png", "image/png", picture, "once")
	if first.status != 201 || string(first.body) != string(second.body) || second.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("first %d %s, second %d %s", first.status, first.body, second.status, second.body)
	}
	want(t, g.upload(t, "a.png", "image/png", sample.PNG(5, 5), "once"), 422, errs.IdempotencyKeyReused)
	again := g.upload(t, "b.png", "image/png", picture, "twice")
	if again.status != 201 {
		t.Errorf("the same bytes as another asset: got %d %s", again.status, again.body)
	}
}

// Damaged or lost content is never passed off as the file.
func TestDamagedContentIsNotSent(t *testing.T) {
	t.Parallel()
	g := newGallery(t)
	asset := g.asset(t, "a.png", "image/png", sample.PNG(5, 5))
	file := g.folder + "/" + blob.Key{Tenant: g.app.Tenant, Kind: blob.Media, SHA256: asset.Current.SHA256}.String()
	for name, damage := range map[string]func() error{
		"changed": func() error { return os.WriteFile(file, sample.PNG(5, 5), 0o600) },
		"missing": func() error { return os.Remove(file) },
	} {
		err := damage()
		if err != nil {
			t.Fatal(err)
		}
		got := g.send(t, request{method: http.MethodGet, path: "/media/" + asset.ID.String() + "/content", token: g.author})
		if got.status != 500 || got.problem.Code != errs.FileDamaged || got.header.Get("ETag") != "" {
			t.Errorf("%s: got %d %s, ETag %q", name, got.status, got.problem.Code, got.header.Get("ETag"))
		}
	}
}

func TestAssetInUseIsNotDeleted(t *testing.T) {
	t.Parallel()
	g := newGallery(t)
	asset := g.asset(t, "a.png", "image/png", sample.PNG(5, 5))
	stem := `{"defaultLocale":"en","locales":{"en":{"schemaVersion":"passage-rich-content/v1","type":"doc","blocks":[
		{"type":"image","assetId":"` + asset.ID.String() + `","alt":"A leaf"}]}}}`
	question := `{"qtype":"essay","stem":` + stem + `,"options":[]}`
	if got := g.send(t, request{method: http.MethodPost, path: "/questions", token: g.author, key: "q", body: question}); got.status != 201 {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	gone := request{method: http.MethodDelete, path: "/media/" + asset.ID.String(), token: g.author, key: "d"}
	got := g.send(t, gone)
	want(t, got, 409, errs.AssetInUse)
	if got.problem.Details["draftQuestions"] != 1.0 || got.problem.Details["publishedQuestions"] != 0.0 {
		t.Errorf("got details %v", got.problem.Details)
	}
}

func TestLocalesOverHTTP(t *testing.T) {
	t.Parallel()
	g := newGallery(t)
	set := func(key, body string) response {
		return g.send(t, request{method: http.MethodPut, path: "/locales", token: g.author, key: key, body: body})
	}
	if got := set("1", `{"defaultLocale":"EN","locales":[{"tag":"en","required":true},{"tag":"ar"}]}`); got.status != 200 {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	got := g.send(t, request{method: http.MethodGet, path: "/locales", token: g.candidate})
	if !strings.HasPrefix(string(got.body), `{"defaultLocale":"en","locales":[{"tag":"en","required":true},{"tag":"ar"}],"updatedAt":`) {
		t.Errorf("got %s", got.body)
	}
	got = set("2", `{"defaultLocale":"fr","locales":[{"tag":"english"},{"tag":"de"},{"tag":"DE"}]}`)
	want(t, got, 422, errs.ValidationFailed)
	for _, part := range []string{`locales[0].tag`, `locales[2].tag`, `defaultLocale`} {
		if !strings.Contains(string(got.body), part) {
			t.Errorf("%s is not named in %s", part, got.body)
		}
	}
	want(t, set("3", `{"locales":[],"updatedAt":"2020-01-01T00:00:00Z"}`), 409, errs.StaleUpdate)
}

// Candidates have access only to the assets that their session shows.
func TestCandidatesReachNoAssetByTheRoutesOfMedia(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	token := w.app.Token(t, capability.Candidate)
	guarded(t, w, func(l httpapi.Line) bool { return strings.HasPrefix(l.Path, "/media") }, func(t *testing.T, _ httpapi.Line, r request) {
		r.token = token
		want(t, w.send(t, r), http.StatusForbidden, errs.Forbidden)
	})
}

func TestSessionsShowTheirOwnAssets(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	path := "/evaluations/" + w.home.Pictured.String() + "/sessions/" + w.home.Seen.String() + "/assets/"
	got := w.send(t, request{method: http.MethodGet, path: path + w.home.Asset.String(), token: w.home.Token})
	if got.status != 200 || !strings.HasPrefix(string(got.body), "\x89PNG") || got.header.Get("Cache-Control") != "private, no-cache" ||
		got.header.Get("Content-Disposition") != "inline; filename="+w.home.Asset.String() {
		t.Errorf("got %d, %d bytes, %v", got.status, len(got.body), got.header)
	}
	want(t, w.send(t, request{method: http.MethodGet, path: path + w.home.SpareAsset.String(), token: w.home.Token}), 404, errs.NotFound)
	want(t, w.send(t, request{method: http.MethodGet, path: path + w.home.Asset.String(), token: w.app.Token(t, capability.Candidate)}), 404, errs.NotFound)
}
