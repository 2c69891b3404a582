package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// Patience is how long anything may take that a test waits for.
const Patience = 20 * time.Second

// telephone is the width up to which a window counts as a telephone's.
const telephone = 500

// Look says how a page is looked at.
type Look struct {
	// Width is the width of the window, in CSS pixels; up to 500 it is a telephone's. 0 is 1280.
	Width int
	// Dark chooses dark colours.
	Dark bool
	// Trust is the SHA-256 of the public key, in base64, of a server whose certificate nobody else signed.
	Trust string
}

// Page is one tab of a browser. A failure ends its test at once.
type Page struct {
	t   testing.TB
	ctx context.Context

	started bool
	look    Look

	mu       sync.Mutex
	console  []string
	expected []string
	requests []Request
}

// Request is one that the page sent.
type Request struct{ URL, Referrer, Body string }

// Open starts a browser with an empty page; both end with the test.
func Open(t testing.TB, look Look) *Page {
	t.Helper()
	profile := t.TempDir()
	flags := append([]chromedp.ExecAllocatorOption{chromedp.ExecPath(program(t)), chromedp.UserDataDir(profile), chromedp.Headless,
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.WSURLReadTimeout(3 * Patience)},
		silent()...)
	if look.Trust != "" {
		flags = append(flags, chromedp.Flag("ignore-certificate-errors-spki-list", look.Trust))
	}
	allocator, release := chromedp.NewExecAllocator(context.Background(), flags...)
	p := &Page{t: t}
	var closePage context.CancelFunc
	p.ctx, closePage = chromedp.NewContext(allocator, chromedp.WithErrorf(t.Logf), chromedp.WithListener(p.hear))
	t.Cleanup(func() {
		p.checkConsole()
		_ = chromedp.Cancel(p.ctx) // waits for the browser to end
		closePage()
		release()
		removeProfile(t, profile)
	})
	p.do("start the browser", enable)
	p.LookAt(look)
	return p
}

// silent are the flags of a browser that calls nobody by itself.
func silent() []chromedp.ExecAllocatorOption {
	var flags []chromedp.ExecAllocatorOption
	for _, name := range []string{"disable-quic", "disable-background-networking", "disable-component-update", "disable-sync",
		"disable-default-apps", "disable-extensions", "disable-dev-shm-usage", "metrics-recording-only", "no-service-autorun"} {
		flags = append(flags, chromedp.Flag(name, true))
	}
	return append(flags, chromedp.Flag("disable-features", "Translate,OptimizationHints,MediaRouter"), chromedp.Flag("password-store", "basic"))
}

// program is the path of the browser.
func program(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		path, err := exec.LookPath(name)
		if err == nil {
			return path
		}
	}
	missing(t, "there is no chromium here")
	return ""
}

func missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") == "" {
		t.Skipf("%s: scripts/browser installs it", what)
	}
	t.Fatalf("%s: scripts/browser installs it", what)
}

// removeProfile takes away what the browser's last processes may still be writing.
func removeProfile(t testing.TB, profile string) {
	var err error
	for end := time.Now().Add(Patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		err = os.RemoveAll(profile)
		if err == nil {
			return
		}
	}
	t.Error(err)
}

// Tab opens another tab of the same browser; it ends with the page.
func (p *Page) Tab() *Page {
	p.t.Helper()
	tab := &Page{t: p.t}
	var closeTab context.CancelFunc
	tab.ctx, closeTab = chromedp.NewContext(p.ctx, chromedp.WithListener(tab.hear))
	p.t.Cleanup(func() {
		tab.checkConsole()
		closeTab()
	})
	tab.do("open a tab", enable)
	tab.LookAt(p.look)
	return tab
}

// Offline takes the network from the page, or gives it back.
func (p *Page) Offline(away bool) {
	p.t.Helper()
	p.do("change the network", func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
			MatchedNetworkConditions: []*network.Conditions{{Offline: away, DownloadThroughput: -1, UploadThroughput: -1}}})
		if err == nil {
			_, err = chromedp.Call(ctx, network.OverrideNetworkState, network.OverrideNetworkStateParams{Offline: away, DownloadThroughput: -1, UploadThroughput: -1})
		}
		return chromedp.Void{}, err
	})
}

// tabs is how often somebody presses the tabulator before they give up.
const tabs = 60

// Press goes with the tabulator to the first element that the selector names, and presses a key there.
func (p *Page) Press(selector, key string) {
	p.t.Helper()
	p.Has(selector)
	for range tabs {
		if Read[bool](p, "document.activeElement === "+found(selector)) {
			p.do("press a key on "+selector, chromedp.KeyEvent(key))
			return
		}
		p.do("go on", chromedp.KeyEvent("\t"))
	}
	p.fail("the tabulator does not come to %s", selector)
}

// LookAt changes how the page is looked at.
func (p *Page) LookAt(look Look) {
	p.t.Helper()
	if look.Width == 0 {
		look.Width = 1280
	}
	width, height := int64(look.Width), int64(900)
	if width <= telephone {
		height = 844
	}
	p.look = look
	scheme := "light"
	if look.Dark {
		scheme = "dark"
	}
	p.do("change the look", func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, emulation.SetDeviceMetricsOverride,
			emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width <= telephone})
		if err == nil {
			_, err = chromedp.Call(ctx, emulation.SetEmulatedMedia,
				emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		}
		return chromedp.Void{}, err
	})
}

// enable makes the browser report requests and errors.
func enable(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	if err == nil {
		_, err = chromedp.Call(ctx, log.Enable, cdp.Empty{})
	}
	return chromedp.Void{}, err
}

// do runs an action; what says what it is for. The first one starts the browser, which lives on as
// long as the context that it was started with.
func (p *Page) do(what string, action chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := p.ctx, context.CancelFunc(func() {})
	if p.started {
		ctx, cancel = context.WithTimeout(p.ctx, Patience)
	}
	defer cancel()
	p.started = true
	err := chromedp.Do(ctx, action)
	if err != nil {
		p.fail("%s: %v", what, err)
	}
}

// Visit goes to an address and waits until it is loaded.
func (p *Page) Visit(address string) {
	p.t.Helper()
	p.do("visit "+address, chromedp.Navigate(address))
}

// Reload loads the page again.
func (p *Page) Reload() {
	p.t.Helper()
	p.do("reload", chromedp.Reload())
}

// Await waits until an expression of JavaScript is true, also across a change of the page; why says what
// for.
func (p *Page) Await(expression, why string) {
	p.t.Helper()
	var err error
	for end := time.Now().Add(Patience); time.Now().Before(end); time.Sleep(30 * time.Millisecond) {
		var holds bool
		holds, err = evaluate[bool](p, "!!("+expression+")")
		if err == nil && holds {
			return
		}
	}
	p.fail("waited in vain for %s (%v)", why, err)
}

// See waits until the page shows a text.
func (p *Page) See(text string) {
	p.t.Helper()
	p.Await("document.body?.innerText.includes("+quote(text)+")", fmt.Sprintf("the text %q", text))
}

// Has waits until an element that the selector names can be seen and used. A selector such as
// "button=Next" names the button that says so.
func (p *Page) Has(selector string) {
	p.t.Helper()
	p.Await("(e => e && e.checkVisibility() && !e.disabled)("+found(selector)+")", selector)
}

// Click clicks on the first element that the selector names, when it can be used.
func (p *Page) Click(selector string) {
	p.t.Helper()
	p.Has(selector)
	p.do("click on "+selector, chromedp.Click(chromedp.JSPath(found(selector))))
}

// DoubleClick clicks twice at the same place, as impatient people do, whatever is there by then.
func (p *Page) DoubleClick(selector string) {
	p.t.Helper()
	at := p.middle(selector)
	p.do("click twice on "+selector, chromedp.Steps(chromedp.MouseClickXY(at[0], at[1]), chromedp.MouseClickXY(at[0], at[1], chromedp.ClickCount(2))))
}

// ClickAgain is the second click of a double click, after the first one has led to the present page.
func (p *Page) ClickAgain(selector string) {
	p.t.Helper()
	at := p.middle(selector)
	p.do("click again on "+selector, chromedp.MouseClickXY(at[0], at[1], chromedp.ClickCount(2)))
}

func (p *Page) middle(selector string) []float64 {
	p.t.Helper()
	p.Has(selector)
	return Read[[]float64](p, "(e => { e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })("+found(selector)+")")
}

// found is the expression that finds an element.
func found(selector string) string {
	words, isButton := strings.CutPrefix(selector, "button=")
	if isButton {
		return "[...document.querySelectorAll('button')].find(b => b.innerText.trim() === " + quote(words) + ")"
	}
	return "document.querySelector(" + quote(selector) + ")"
}

// Fill types a text into a field.
func (p *Page) Fill(selector, text string) {
	p.t.Helper()
	p.Has(selector)
	Read[bool](p, "("+found(selector)+".select(), true)") // what is typed takes the place of what is there
	p.do("fill "+selector, chromedp.SendKeys(chromedp.JSPath(found(selector)), text))
}

// Read gives the value of an expression, or what a promise of it comes to.
func Read[T any](p *Page, expression string) T {
	p.t.Helper()
	value, err := evaluate[T](p, expression)
	if err != nil {
		p.fail("%.200s: %v", expression, err)
	}
	return value
}

func evaluate[T any](p *Page, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(p.ctx, Patience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

func (p *Page) fail(format string, args ...any) {
	p.t.Helper()
	where, _ := evaluate[string](p, "location.href")
	text, _ := evaluate[string](p, "document.body?.innerText ?? ''")
	p.mu.Lock()
	said := strings.Join(p.console, "\n")
	p.mu.Unlock()
	p.t.Fatalf("%s\nat %s\n%s\nconsole:\n%s", fmt.Sprintf(format, args...), where, text, said)
}

func quote(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // no string fails
	}
	return string(quoted)
}
