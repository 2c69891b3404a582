package qti

import (
	"errors"
	"io"
	"math"
	"net/url"
	"path"
	"strings"

	"golang.org/x/net/html"

	"assess/pkg/author/exchange/bank"
	"assess/pkg/author/exchange/markup"
)

// ReadTests reads the tests of an archive or of one XML file. A test names its questions by the ids that Read gives them. An
// error of take ends it.
func ReadTests(input io.ReaderAt, size int64, take func(*bank.Test) error) error {
	begin := make([]byte, 4)
	_, _ = input.ReadAt(begin, 0) // a shorter file is no archive
	if !isArchive(begin) {
		f := testFile{take: take}
		return f.read(io.NewSectionReader(input, 0, size))
	}
	a, err := openArchive(input, size)
	if err != nil {
		return err
	}
	listed, _, err := a.manifest()
	if err != nil {
		return err
	}
	questions, err := a.questions()
	for _, name := range listed {
		if err != nil {
			return err
		}
		err = a.tests(name, questions, take)
	}
	return err
}

// question is what a test has to know about an item of its archive.
type question struct {
	id     string
	weight float64
}

// questions gives the questions of each file of the archive. A file that cannot be read has none here: the import of questions
// reports it.
func (a *archive) questions() (map[string][]question, error) {
	all := map[string][]question{}
	err := a.items(func(it *bank.Item) error {
		if it.Usable() && it.Kind != bank.Passage {
			all[it.Path] = append(all[it.Path], questionOf(it))
		}
		return nil
	})
	var problem *bank.Problem
	if errors.As(err, &problem) && problem.Code == bank.UnknownFormat {
		err = nil // the tests may name questions that came before
	}
	return all, err
}

func questionOf(it *bank.Item) question {
	q := question{it.ID, 1}
	if it.Weight != nil {
		q.weight = *it.Weight
	}
	return q
}

// tests reads the tests of one file of the archive. A broken file is a test that cannot be used.
func (a *archive) tests(name string, questions map[string][]question, take func(*bank.Test) error) error {
	r, ok := a.open(name)
	if !ok {
		return nil
	}
	defer func() { _ = r.Close() }() // tests read so far count
	f := testFile{file: file{path: name, pictures: a.around(name), tags: a.said[name].tags, category: a.said[name].category}, questions: questions, take: take}
	err := f.read(r)
	var out *taken
	var problem *bank.Problem
	switch {
	case errors.As(err, &out):
		return out.error
	case errors.As(err, &problem) && problem.Code == bank.UnknownFormat:
		return nil
	case errors.As(err, &problem) && !f.isTest:
		return nil // it is a file of items, which the import of questions reports
	case errors.As(err, &problem):
		problem.Path = name
		return take(&bank.Test{Item: bank.Item{ID: name, Name: name, Path: name, Line: problem.Line, Problems: []bank.Problem{*problem}}})
	}
	return err
}

// testFile is one XML file with tests.
type testFile struct {
	file
	// isTest says that the root of the file is a test.
	isTest    bool
	questions map[string][]question
	take      func(*bank.Test) error
}

func (f *testFile) read(r io.Reader) error {
	v := markup.Visitor{Name: plainName,
		Root: func(n *html.Node) error {
			f.isTest = n.Data == "assessmentTest"
			if n.Data == "assessmentItem" && f.path != "" {
				return errOwn // an item has no tests, so its file need not be read
			}
			return root(n)
		},
		Whole: func(n *html.Node) bool { return n.Data == "assessment" || n.Data == "assessmentTest" },
		Visit: func(n *html.Node, line int) error {
			var t *bank.Test
			if n.Data == "assessment" {
				t = f.test1(n)
			} else {
				t = f.test2(n)
			}
			t.Path, t.Line = f.path, line
			t.Identify()
			if len(t.Sections) == 0 {
				t.Refuse(bank.Incomplete, "the test has no questions")
			}
			if err := f.take(t); err != nil {
				return &taken{err}
			}
			return nil
		},
	}
	return ours(v.Read(r))
}

// testReader2 reads an assessmentTest.
type testReader2 struct {
	f *testFile
	t *bank.Test
	// weighed says that the weights of the questions count.
	weighed bool
	// shuffled and fixed count the sections whose questions come in random order, and in the order of the file.
	shuffled, fixed int
}

func (f *testFile) test2(n *html.Node) *bank.Test {
	t := &bank.Test{Item: bank.Item{ID: unspell(attr(n, "identifier")), Name: strings.Join(strings.Fields(attr(n, "title")), " "), Locale: language(n)}}
	r := &testReader2{f: f, t: t, weighed: true}
	r.processing(n)
	r.left(n)
	t.TimeLimit = r.timeLimit(n)
	parts, linear := 0, 0
	for part := range markup.Children(n, "testPart") {
		parts++
		if attr(part, "navigationMode") == "linear" {
			linear++
		}
	}
	for part := range markup.Children(n, "testPart") {
		limit := r.timeLimit(part)
		switch {
		case limit != nil && parts == 1 && t.TimeLimit == nil:
			t.TimeLimit = limit
		case limit != nil:
			t.Lose(bank.TimeLimitDropped, "of a part")
		}
		for section := range markup.Children(part, "assessmentSection") {
			r.section(section, "", false)
		}
	}
	t.Linear = linear == parts && parts > 0
	if linear > 0 && !t.Linear {
		t.Lose(bank.TestOrderDropped, "only some parts do not let people go back")
	}
	t.Shuffled = r.shuffled > 0 && r.fixed == 0
	if r.shuffled > 0 && !t.Shuffled {
		t.Lose(bank.TestOrderDropped, "only some sections have a random order")
	}
	return t
}

// left notes what is left out wherever it is in the test.
func (r *testReader2) left(n *html.Node) {
	for _, l := range []struct {
		code  bank.Code
		what  string
		names []string
	}{
		{bank.BranchRules, "", []string{"preCondition", "branchRule"}},
		{bank.SelectionDropped, "", []string{"selection"}},
		{bank.TestSettingDropped, "attempts, feedback and solutions of single questions", []string{"itemSessionControl"}},
		{bank.InstructionsDropped, "", []string{"rubricBlock"}},
		{bank.TestFeedbackDropped, "", []string{"testFeedback"}},
	} {
		if markup.First(n, l.names...) != nil {
			r.t.Lose(l.code, l.what)
		}
	}
	if markup.First(n, "assessmentSectionRef") != nil {
		r.t.Lose(bank.UnsupportedTestPart, "a section in a file of its own")
	}
}

// processing accepts a sum of the points of all questions, with or without their weights.
func (r *testReader2) processing(n *html.Node) {
	root := markup.Child(n, "outcomeProcessing")
	if root == nil {
		return
	}
	for name := range elements(root) {
		if name != "setOutcomeValue" && name != "sum" && name != "testVariables" {
			r.t.Lose(bank.TestProcessing)
			return
		}
	}
	r.weighed = false
	for v := range markup.All(root, "testVariables") {
		r.weighed = r.weighed || attr(v, "weightIdentifier") != ""
		if attr(v, "includeCategory")+attr(v, "excludeCategory") != "" {
			r.t.Lose(bank.TestProcessing)
		}
	}
}

// timeLimit gives the limit of an element in seconds.
func (r *testReader2) timeLimit(n *html.Node) *int {
	limits := markup.Child(n, "timeLimits")
	if limits == nil {
		return nil
	}
	if decimalOf(attr(limits, "minTime")) > 0 {
		r.t.Lose(bank.TimeLimitDropped, "the least time")
	}
	return seconds(decimalOf(attr(limits, "maxTime")))
}

func seconds(x float64) *int {
	if !(x > 0 && x < math.MaxInt32) {
		return nil
	}
	whole := int(math.Ceil(x))
	return &whole
}

// section adds a section, and its sections as sections of their own.
func (r *testReader2) section(n *html.Node, around string, shuffled bool) {
	s := bank.TestSection{Title: strings.Join(strings.Fields(attr(n, "title")), " "), TimeLimit: r.timeLimit(n)}
	if around != "" && s.Title != "" {
		s.Title = around + " / " + s.Title
	}
	if order := markup.Child(n, "ordering"); order != nil {
		shuffled = attr(order, "shuffle") == "true"
	}
	if s.TimeLimit != nil && (r.t.TimeLimit != nil && *s.TimeLimit > *r.t.TimeLimit || markup.Child(n, "assessmentSection") != nil) {
		s.TimeLimit = nil
		r.t.Lose(bank.TimeLimitDropped, "of the section "+s.Title)
	}
	add := func() {
		if len(s.Items) == 0 {
			return
		}
		if shuffled {
			r.shuffled++
		} else {
			r.fixed++
		}
		r.t.Section(s)
		s.Items = nil
	}
	for part := range markup.Children(n, "") {
		switch part.Data {
		case "assessmentItemRef":
			s.Items = append(s.Items, r.items(part, shuffled)...)
		case "assessmentSection":
			add()
			r.section(part, s.Title, shuffled)
		}
	}
	add()
}

// items gives the questions of a reference: several for an item with several interactions.
func (r *testReader2) items(n *html.Node, shuffled bool) []bank.TestItem {
	if markup.Child(n, "timeLimits") != nil {
		r.t.Lose(bank.TimeLimitDropped, "of single questions")
	}
	if shuffled && attr(n, "fixed") == "true" {
		r.t.Lose(bank.TestOrderDropped, "a question keeps its place among questions in random order")
	}
	weights, factor := 0, 1.0
	for w := range markup.Children(n, "weight") {
		weights++
		factor = decimalOf(attr(w, "value"))
	}
	if weights > 1 {
		r.t.Lose(bank.TestProcessing)
	}
	questions, known := r.f.questions[r.f.target(attr(n, "href"))]
	if !known {
		questions = []question{{unspell(attr(n, "identifier")), 1}}
	}
	var items []bank.TestItem
	for _, q := range questions {
		item := bank.TestItem{ID: q.id}
		if r.weighed && weights == 1 && factor != 1 {
			weight := math.Round(factor*q.weight*1e9) / 1e9
			item.Weight = &weight
		}
		items = append(items, item)
	}
	return items
}

// target gives the path in the archive of an address in the file.
func (f *testFile) target(href string) string {
	if plain, err := url.PathUnescape(href); err == nil {
		href = plain
	}
	return path.Join(path.Dir(f.path), href)
}
