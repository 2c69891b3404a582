package browser

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// hear notes what the browser says of the page.
func (p *Page) hear(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError {
			p.console = append(p.console, consoleText(e))
		}
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text += " " + e.ExceptionDetails.Exception.Description
		}
		p.console = append(p.console, text)
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError {
			p.console = append(p.console, e.Entry.Text+" "+e.Entry.URL)
		}
	case *network.EventRequestWillBeSent:
		referrer, _ := e.Request.Headers["Referer"].(string)
		r := Request{URL: e.Request.URL, Referrer: referrer}
		for _, part := range e.Request.PostDataEntries {
			r.Body += string(part.Bytes)
		}
		p.requests = append(p.requests, r)
	}
}

func consoleText(e *runtime.EventConsoleAPICalled) string {
	var words []string
	for _, a := range e.Args {
		words = append(words, string(a.Value)+a.Description)
	}
	return strings.Join(words, " ")
}

// Expect names a part of what the console may report without failing the test, for example the status of
// a request that is meant to be refused.
func (p *Page) Expect(part string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expected = append(p.expected, part)
}

func (p *Page) checkConsole() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, said := range p.console {
		if !slices.ContainsFunc(p.expected, func(part string) bool { return strings.Contains(said, part) }) {
			p.t.Errorf("the console says: %s", said)
		}
	}
}

// Requests gives the requests of the page so far.
func (p *Page) Requests() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

// History gives the addresses that the browser keeps for its buttons back and forward, the oldest first.
func (p *Page) History() []string {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, Patience)
	defer cancel()
	history, err := chromedp.Run(ctx, chromedp.NavigationEntries())
	if err != nil {
		p.fail("read the history: %v", err)
	}
	var kept []string
	for _, e := range history.Entries {
		kept = append(kept, e.URL)
	}
	return kept
}

// Fits fails the test when the page is wider than its window: people would have to move it sideways to
// read a line, or read it as small as a telephone makes what says nothing of its width.
func (p *Page) Fits() {
	p.t.Helper()
	wide := Read[int](p, "document.documentElement.scrollWidth")
	if wide > p.look.Width {
		p.t.Errorf("the page is %d pixels wide, its window %d", wide, p.look.Width)
	}
}

// Picture writes the whole page as NAME.png into the folder that ASSESS_PICTURES names; without it there
// is no picture.
func (p *Page) Picture(name string) {
	p.t.Helper()
	folder := os.Getenv("ASSESS_PICTURES")
	if folder == "" {
		return
	}
	ctx, cancel := context.WithTimeout(p.ctx, Patience)
	defer cancel()
	picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o644)
	}
	if err != nil {
		p.fail("draw a picture: %v", err)
	}
}
