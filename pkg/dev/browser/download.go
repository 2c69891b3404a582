package browser

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
)

// Download clicks on something that gives a file, and returns the file's name and content.
func (p *Page) Download(selector string) (name, content string) {
	p.t.Helper()
	folder := p.t.TempDir()
	p.do("take files", func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: folder})
		return chromedp.Void{}, err
	})
	p.Click(selector)
	for end := time.Now().Add(Patience); time.Now().Before(end); time.Sleep(30 * time.Millisecond) {
		files, err := os.ReadDir(folder)
		if err != nil {
			p.fail("read the files of %s: %v", selector, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file.Name(), ".crdownload") || strings.HasPrefix(file.Name(), ".") {
				continue
			}
			text, err := os.ReadFile(filepath.Join(folder, file.Name()))
			if err != nil {
				p.fail("read %s: %v", file.Name(), err)
			}
			return file.Name(), string(text)
		}
	}
	p.fail("%s gave no file", selector)
	return "", ""
}
