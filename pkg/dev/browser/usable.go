package browser

import "fmt"

// Looks are the looks in which each page has to be usable: on a telephone and on a desk, in the light and in the dark.
var Looks = []Look{{Width: 390}, {Width: 390, Dark: true}, {Width: 1280}, {Width: 1280, Dark: true}}

// String names a look: "390 pixels, dark".
func (l Look) String() string {
	if l.Dark {
		return fmt.Sprintf("%d pixels, dark", l.Width)
	}
	return fmt.Sprintf("%d pixels, light", l.Width)
}

// Usable fails the test where the page, in one of Looks, is not accessible, is wider than its window, has a part that the keyboard cannot
// scroll, or cuts off what a telephone has no room for. Then it looks as before.
func (p *Page) Usable() {
	p.t.Helper()
	before := p.look
	for _, look := range Looks {
		p.LookAt(look)
		p.Accessible()
		p.Fits()
		p.reached()
		if look.Width <= telephone {
			p.uncut()
		}
	}
	p.LookAt(before)
}

// scrolling finds elements whose content is wider than their place. The value of a field may be; and elements for screen
// readers only have no place at all.
const scrolling = `[...document.body.querySelectorAll("*")].filter(e => e.clientWidth > 1 && e.scrollWidth > e.clientWidth + 1 && !e.matches("input, select, textarea, svg, svg *"))`

func (p *Page) reached() {
	p.t.Helper()
	deaf := Read[[]string](p, `(focused => { const found = `+scrolling+`.filter(e => ["auto", "scroll"].includes(getComputedStyle(e).overflowX)
		&& (e.focus(), document.activeElement !== e)).map(e => e.outerHTML.slice(0, 200)); focused?.focus(); return found })(document.activeElement)`)
	for _, part := range deaf {
		p.t.Errorf("at %s the keyboard does not reach what scrolls: %s", p.look, part)
	}
}

func (p *Page) uncut() {
	p.t.Helper()
	for _, part := range Read[[]string](p, scrolling+`.filter(e => getComputedStyle(e).overflowX !== "visible").map(e => e.outerHTML.slice(0, 200))`) {
		p.t.Errorf("at %s this is cut off: %s", p.look, part)
	}
}
