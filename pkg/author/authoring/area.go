package authoring

import (
	"slices"
	"strings"

	"assess/pkg/kernel/content"
)

// Area is the part of the picture that an option of mcq or mrq is about: the first image of the stem. The numbers are
// thousandths of its width and height, from the upper left corner.
type Area struct {
	Shape  string `json:"shape" enum:"rect,circle,poly"`
	Coords []int  `json:"coords" nullable:"false" minItems:"3" maxItems:"200" doc:"Of rect two opposite corners (left, top, right, bottom), of circle its centre and its radius in thousandths of the width, of poly its corners, 3 to 100. From 0 to 1000" example:"[100,200,400,500]"`
}

// shapes are the shapes of areas, with how many numbers each has at least and at most.
var shapes = []struct {
	name        string
	least, most int
}{{"rect", 4, 4}, {"circle", 3, 3}, {"poly", 6, 200}}

// area checks the area of an option, if it has one.
func (p *problems) area(path string, a *Area) {
	if a == nil {
		return
	}
	var names []string
	for _, s := range shapes {
		names = append(names, s.name)
		if s.name != a.Shape {
			continue
		}
		at := path + ".coords"
		if n := len(a.Coords); n < s.least || n > s.most || s.name == "poly" && n%2 > 0 {
			p.add(at, "out_of_range", "a rect has 4 numbers, a circle 3, a poly 3 to 100 pairs")
			return
		}
		p.addIf(slices.ContainsFunc(a.Coords, func(c int) bool { return c < 0 || c > 1000 }), at, "out_of_range", "thousandths are from 0 to 1000")
		p.addIf(s.name == "rect" && (a.Coords[0] >= a.Coords[2] || a.Coords[1] >= a.Coords[3]), at, "out_of_range", "the first corner of a rect is left of the second and above it")
		p.addIf(s.name == "circle" && a.Coords[2] < 1, at, "out_of_range", "the radius is 1 or more")
		return
	}
	p.add(path+".shape", "out_of_range", "expected "+strings.Join(names, " or "))
}

// lacksPicture: areas need a picture in every language of the stem.
func lacksPicture(p *problems, path string, body QuestionBody) {
	i := slices.IndexFunc(body.Options, func(o Option) bool { return o.Area != nil })
	if i < 0 {
		return
	}
	for _, payload := range body.Stem.Locales {
		if !slices.ContainsFunc(payload.Blocks, func(b content.Block) bool { return b.Type == content.Image }) {
			p.add(element(path, "options", i)+".area", "no_picture", "an area is part of the first image of the stem, which has none in one of its languages")
			return
		}
	}
}
