package app_test

import (
	"regexp"
	"strconv"
	"testing"

	"assess/pkg/dev/browser"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
)

var privacyLink = regexp.MustCompile(`http://\S+/privacy/open\?token=[\w-]+`)

// TestSomebodyAsksForTheirDataInABrowser goes from the form for a link to a request that is taken back, on a desk and on a telephone.
func TestSomebodyAsksForTheirDataInABrowser(t *testing.T) {
	t.Parallel()
	looks := []browser.Look{{Width: 1280, Dark: true}, {Width: 390}}
	pages := make([]*browser.Page, len(looks))
	for i, look := range looks {
		pages[i] = browser.Open(t, look)
	}
	h := newHouse(t)
	h.start(t)
	for i, p := range pages {
		var email string
		sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
			email = sample.User(t, tx, capability.Candidate).Email
			return nil
		})
		look := func(view string) {
			p.Accessible()
			p.Fits()
			p.Picture("privacy-" + view + "-" + strconv.Itoa(looks[i].Width))
		}
		p.Visit("http://" + h.address + "/privacy?tenant=" + h.slug)
		look("start")
		p.Fill("input[name=email]", email)
		p.Click("button=Send a link")
		p.See("the mail is on its way")
		look("sent")
		p.Visit(privacyLink.FindString(h.nextMail(t)))
		look("link")
		p.Click("button=Go on")
		p.See("You have asked for nothing yet.")
		look("nothing")
		p.Click("button=Ask")
		p.See("we look at it")
		look("asked")
		p.Click("button=Take it back")
		p.See("taken back")
		p.Click("button=I am done")
		p.See("You need no account")
		h.nextMail(t) // the letter that the request was received
	}
}
