package intake

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"assess/pkg/author/authoring"
	"assess/pkg/author/exchange"
	"assess/pkg/author/exchange/bank"
	"assess/pkg/author/media"
	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// ExportFormats are the names that BankExport.Format may have.
func ExportFormats() []string { return exchange.Writable() }

// BankExport says which questions to export, and in which format.
type BankExport struct {
	Export
	// Format is one of ExportFormats; empty is csv.
	Format string
	// AcceptScoringChanges takes questions too that another system would score otherwise.
	AcceptScoringChanges bool
	// Open gives the bytes of a picture; nil leaves them out, for a preview.
	Open func(ctx context.Context, v media.Version) (io.ReadCloser, error)
}

// ExportBank writes the questions of the home org unit in a format of question banks, each in its newest version, and
// says what the format loses. It leaves out questions that the format cannot hold, and also questions that would be scored
// differently, unless the caller accepts that. Importing the file again changes nothing. It needs questions.read.
func ExportBank(ctx context.Context, tx *db.Tx, in BankExport, to io.Writer) (exchange.Report, error) {
	i := slices.IndexFunc(exchange.Formats, func(f exchange.Format) bool { return f.Writes() && f.Name == in.Format })
	if i < 0 {
		return exchange.Report{}, errs.Invalid(errs.Field{Path: "format", Code: "invalid_choice", Message: "there is no such format"})
	}
	format := exchange.Formats[i]
	e := exporting{in: in, format: format, to: format.NewWriter(to), report: exchange.Report{From: ownFormat, To: format.Name, Notices: []exchange.ItemNotice{}, Counts: map[string]int{}}}
	for after := ids.None; ; {
		page, err := authoring.ExportQuestions(ctx, tx, in.ExportFilter, after, exportPage)
		if err == nil {
			err = e.page(ctx, tx, page)
		}
		if err != nil {
			return e.report, err
		}
		if in.Progress != nil {
			in.Progress(e.report.Items)
		}
		if len(page) < exportPage {
			break
		}
		after = page[len(page)-1].ID
	}
	err := e.to.Close()
	if err != nil {
		return e.report, fmt.Errorf("write export: %w", err)
	}
	return e.report, nil
}

// PreviewBankExport says what ExportBank would lose and leave out; of a table, nothing.
func PreviewBankExport(ctx context.Context, tx *db.Tx, in BankExport) (exchange.Report, error) {
	in.Open = nil
	if in.Format != "" && in.Format != csvFormat {
		return ExportBank(ctx, tx, in, io.Discard)
	}
	n, err := ExportQuestions(ctx, tx, in.Export, io.Discard)
	return exchange.Report{From: ownFormat, To: csvFormat, Items: n, Whole: n, Notices: []exchange.ItemNotice{}, Counts: map[string]int{}}, err
}

// ownFormat is the name of the service in a report.
const ownFormat = "assess"

// exporting is an export on its way.
type exporting struct {
	in     BankExport
	format exchange.Format
	to     exchange.Writer
	report exchange.Report
}

func (e *exporting) page(ctx context.Context, tx *db.Tx, page []authoring.ExportedQuestion) error {
	var terms []ids.ID
	var uses []media.Use
	items := make([]*bank.Item, 0, len(page))
	for _, q := range page {
		if e.in.QType != "" && e.in.QType != q.Input.QType {
			continue
		}
		it, shown, err := itemOf(q)
		if err != nil {
			return err
		}
		terms, uses, items = append(terms, q.Input.TaxonomyTermIDs...), append(uses, shown...), append(items, it)
	}
	paths, err := taxonomy.Paths(ctx, tx, terms)
	if err != nil {
		return err
	}
	files, err := media.Newest(ctx, tx, uses)
	if err != nil {
		return err
	}
	at := 0
	for _, q := range page {
		if e.in.QType != "" && e.in.QType != q.Input.QType {
			continue
		}
		it := items[at]
		at++
		tag(it, q.Input.TaxonomyTermIDs, paths)
		it.Check()
		err := e.add(ctx, it, files)
		if err != nil {
			return err
		}
	}
	return nil
}

func (e *exporting) add(ctx context.Context, it *bank.Item, files map[ids.ID]media.Named) error {
	if it.Usable() {
		err := e.pictures(ctx, it, files)
		if err != nil {
			return err
		}
		lost := e.format.Losses(it)
		it.Notices, it.Problems = lost.Notices, lost.Problems
	}
	if !e.report.Add(it, e.in.AcceptScoringChanges) {
		return nil
	}
	err := e.to.Add(it)
	if err != nil {
		return fmt.Errorf("write export: %w", err)
	}
	return nil
}

// pictures adds the files that an item shows, by names that none of the others has.
func (e *exporting) pictures(ctx context.Context, it *bank.Item, files map[ids.ID]media.Named) error {
	names := map[string]string{}
	documents := [][]content.Block{it.Stem, it.Explanation}
	for _, o := range slices.Concat(it.Options, it.Prompts, it.Pool) {
		documents = append(documents, o.Content)
	}
	for _, g := range it.Gaps {
		for _, o := range g.Options {
			documents = append(documents, o.Content)
		}
	}
	for _, blocks := range documents {
		for i, b := range blocks {
			if b.Type != content.Image {
				continue
			}
			if name, known := names[b.AssetID]; known {
				blocks[i].AssetID = name
				continue
			}
			id, err := ids.Parse("", b.AssetID)
			file, there := files[id]
			if err != nil || !there {
				it.Refuse(bank.NotThere, "a picture is not there any more")
				continue
			}
			name := fileName(file, len(it.Files)+1)
			names[b.AssetID] = name
			blocks[i].AssetID = name
			data, err := e.bytes(ctx, file)
			if err != nil {
				return err
			}
			it.Files = append(it.Files, bank.File{Name: name, Type: file.MediaType, Data: data})
		}
	}
	return nil
}

// fileName gives a name in letters that every system takes.
func fileName(file media.Named, n int) string {
	kind := strings.TrimPrefix(file.MediaType, "image/")
	base := taxonomy.Slug(strings.TrimSuffix(strings.TrimSuffix(file.Name, "."+kind), ".jpg"))
	if base == "" {
		base = "picture"
	}
	return fmt.Sprintf("%s-%d.%s", base[:min(len(base), 40)], n, kind)
}

func (e *exporting) bytes(ctx context.Context, file media.Named) ([]byte, error) {
	if e.in.Open == nil {
		return nil, nil
	}
	from, err := e.in.Open(ctx, file.Version)
	if err != nil {
		return nil, err
	}
	defer from.Close() //nolint:errcheck // only read from
	data, err := io.ReadAll(from)
	if err != nil {
		return nil, errs.Wrap(errs.StorageUnavailable, err, "A picture cannot be read.")
	}
	return data, nil
}

// itemOf gives a question as a bank holds it, in its default language, with the pictures that it shows.
func itemOf(q authoring.ExportedQuestion) (*bank.Item, []media.Use, error) {
	in := q.Input
	it := &bank.Item{ID: keyCell(in.ExternalID, q.ID), Kind: in.QType, Weight: in.Weight}
	if in.Weight != nil {
		it.Weigh(*in.Weight)
	}
	var uses []media.Use
	read := func(raw json.RawMessage) ([]content.Block, error) {
		if len(raw) == 0 || string(raw) == "null" {
			return nil, nil
		}
		var d content.Document
		err := json.Unmarshal(raw, &d)
		if err != nil {
			return nil, fmt.Errorf("read question: %w", err)
		}
		uses = append(uses, media.Uses("", d)...)
		if it.Locale == "" {
			it.Locale = d.DefaultLocale
		}
		for locale := range d.Locales {
			if locale != it.Locale {
				it.Lose(bank.LanguageDropped)
			}
		}
		return d.Locales[it.Locale].Blocks, nil
	}
	var err error
	it.Stem, err = read(in.Stem)
	if err == nil {
		it.Explanation, err = read(in.Explanation)
	}
	for _, o := range in.Options {
		if err != nil {
			break
		}
		option := bank.Option{ID: o.ID, Correct: o.IsCorrect}
		if o.Area != nil {
			option.Area = &bank.Area{Shape: o.Area.Shape, Coords: o.Area.Coords}
		}
		option.Content, err = read(o.Content)
		it.Options = append(it.Options, option)
		if o.Weight != nil {
			it.Lose(bank.OptionWeightDropped)
		}
	}
	for _, p := range in.Prompts {
		if err != nil {
			break
		}
		prompt := bank.Option{ID: p.ID}
		prompt.Content, err = read(p.Content)
		it.Prompts = append(it.Prompts, prompt)
	}
	if err != nil {
		return nil, nil, err
	}
	if s := in.Scoring; s != nil {
		it.Key = bank.Key{Method: s.Method, MinSelections: s.MinSelections, MaxSelections: s.MaxSelections, Accepted: s.AcceptedAnswers, Value: s.Value, Tolerance: s.Tolerance, Order: s.Order,
			Pairs: s.Pairs, MaxPerPrompt: s.MaxPerPrompt, MaxPerOption: s.MaxPerOption, Layout: in.Layout}
	}
	if err := addGaps(it, in, read); err != nil {
		return nil, nil, err
	}
	it.Unscored = in.ContributesToScore != nil && !*in.ContributesToScore
	for _, lack := range in.Problems("") {
		it.Refuse(bank.Incomplete, strings.TrimSpace(lack.Path+" "+lack.Message))
	}
	return it, uses, nil
}

// addGaps gives an item the gaps of its question, and their pool.
func addGaps(it *bank.Item, in authoring.QuestionInput, read func(json.RawMessage) ([]content.Block, error)) error {
	choices := func(inputs []authoring.PromptInput) ([]bank.Option, error) {
		var all []bank.Option
		for _, o := range inputs {
			blocks, err := read(o.Content)
			if err != nil {
				return nil, err
			}
			all = append(all, bank.Option{ID: o.ID, Content: blocks})
		}
		return all, nil
	}
	var err error
	it.Pool, err = choices(in.Pool)
	it.Reuse = in.Reuse
	for _, g := range in.Gaps {
		if err != nil {
			break
		}
		gap := bank.GapKey{ID: g.ID, Kind: g.Kind, Right: g.CorrectOptionIDs, Accepted: g.AcceptedAnswers, Value: g.Value, Tolerance: g.Tolerance}
		if g.Weight > 1 {
			weight := float64(g.Weight)
			gap.Weight = &weight
		}
		gap.Options, err = choices(g.Options)
		it.Gaps = append(it.Gaps, gap)
	}
	return err
}

// The facets that banks have words for.
const (
	categoryFacet = "category"
	tagsFacet     = "tags"
)

// tag gives an item the terms of its question: a term of the facet category is its category, terms of the facet tags are its
// tags, and other terms are tags with their facet, which an import reads as such.
func tag(it *bank.Item, terms []ids.ID, paths map[ids.ID]taxonomy.Path) {
	for _, id := range terms {
		p, known := paths[id]
		switch last := len(p.Labels) - 1; {
		case !known:
		case p.Facet == categoryFacet && it.Category == nil && taxonomy.Slug(strings.Join(p.Labels, pathSign)) == p.Term:
			it.Category = p.Labels
		case p.Facet == categoryFacet && it.Category == nil && taxonomy.Slug(p.Labels[last]) == p.Term:
			it.Category = p.Labels[last:]
		case p.Facet == tagsFacet && taxonomy.Slug(p.Labels[last]) == p.Term && !isTerm(p.Labels[last]):
			it.Tags = append(it.Tags, p.Labels[last])
		default:
			it.Tags = append(it.Tags, p.Facet+":"+p.Term)
		}
	}
}

// isTerm says that a tag names a term of another facet: "topic:photosynthesis", in the letters of both.
func isTerm(tag string) bool {
	facet, term, parted := strings.Cut(tag, ":")
	return parted && facet != "" && term != "" && taxonomy.Slug(facet) == facet && taxonomy.Slug(term) == term
}
