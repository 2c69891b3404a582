package intake

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"slices"
	"strings"

	"assess/pkg/author/exchange"
	"assess/pkg/author/exchange/bank"
	"assess/pkg/author/exchange/table"
	"assess/pkg/author/media"
	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
	"assess/pkg/kernel/spelling"
)

// csvFormat is the format of tables; package exchange has the others.
const csvFormat = "csv"

// Formats are the names that Input.Format may have for questions.
func Formats() []string { return append([]string{csvFormat}, exchange.Readable()...) }

// bankFormat says in which format a file of questions is; false for a table.
func (in Input) bankFormat() (exchange.Format, bool) {
	switch in.Format {
	case "":
		if in.isTable() {
			return exchange.Format{}, false
		}
		f, err := exchange.Find(bytes.NewReader(in.Data))
		return f, err == nil
	case csvFormat:
		return exchange.Format{}, false
	}
	f, err := exchange.Named(in.Format)
	return f, err == nil
}

// isTable says that the file has a header of questions, or is a workbook, which the reader of tables calls by its name.
func (in Input) isTable() bool {
	data, is := asText(in.Data)
	if is != "" {
		return strings.Contains(is, "XLS") || strings.Contains(is, "ODS")
	}
	if toldDelimiter(data) != 0 {
		return true
	}
	cells, err := firstRecord(newReader(data, detect(data, questions.columns)))
	return err == nil && len(cells) <= maxColumns && len(readHeader(cells, questions.columns).at) > 1
}

// place says which item of a bank a line is about: lines count items while a bank is read.
type itemPlace struct {
	item string
	line int
}

// picture is a file of an item: an image that becomes an asset.
type picture struct {
	media.Content
	name  string
	asset ids.ID
}

// errEnough ends the reading of a bank.
var errEnough = errors.New("enough")

// testFormat says in which format a file of tests is; false for a table.
func (in Input) testFormat() (exchange.Format, bool) {
	_, is := asText(in.Data)
	if in.Format == csvFormat || strings.Contains(is, "XLS") || strings.Contains(is, "ODS") {
		return exchange.Format{}, false
	}
	f, err := exchange.Find(bytes.NewReader(in.Data))
	if err != nil || !f.HasTests() {
		return exchange.Format{}, false
	}
	return f, true
}

// bankItems yields the items of a bank as rows, or its tests.
func (f *file) bankItems() iter.Seq[row] {
	return func(yield func(row) bool) {
		take := func(it *bank.Item, r row) error {
			f.rest()
			f.rowCount++
			f.places = append(f.places, itemPlace{exchange.Place(it), it.Line})
			r.file, r.line = f, f.rowCount
			if f.rowCount > maxRows {
				f.fail(r.line, "", "too_many_rows", "at most 200,000 questions; split the file")
				return errEnough
			}
			if !yield(r) {
				return errEnough
			}
			return nil
		}
		var err error
		if f.tests {
			err = f.bank.ReadTests(bytes.NewReader(f.data), func(t *bank.Test) error { return take(&t.Item, row{test: t}) })
			if err == nil && f.rowCount == 0 {
				err = &bank.Problem{Code: bank.UnknownFormat, Message: "the file has no tests"}
			}
		} else {
			err = f.bank.Read(bytes.NewReader(f.data), func(it *bank.Item) error { return take(it, row{item: it}) })
		}
		if err == nil || errors.Is(err, errEnough) {
			return
		}
		said := &bank.Problem{Code: bank.Malformed, Message: "the file cannot be read"}
		errors.As(err, &said)
		f.places = append(f.places, itemPlace{said.Path, said.Line})
		f.fail(len(f.places), "", said.Code, said.Message)
	}
}

// take drops the bytes of the item's pictures, so that a chunk of items has none in memory.
func (r *row) take(limit int64) {
	if !r.item.Usable() {
		r.item.Files = nil
		return
	}
	for i, one := range r.item.Files {
		c, err := inspect(one, limit, nil)
		if err != nil {
			e := errs.Of(err)
			code, message := string(e.Code), e.Message
			if len(e.Fields) > 0 {
				code, message = e.Fields[0].Code, e.Fields[0].Message
			}
			r.item.Refuse(code, one.Name+": "+message)
		}
		r.item.Files[i].Data = nil
		r.pictures = append(r.pictures, picture{Content: c, name: one.Name})
	}
}

// defaultPicture bounds a picture where no surface says it.
const defaultPicture = 32 << 20

func inspect(one bank.File, limit int64, keep func(*blob.File) error) (media.Content, error) {
	if limit == 0 {
		limit = defaultPicture
	}
	received, err := blob.Receive(bytes.NewReader(one.Data), limit)
	if err != nil {
		return media.Content{}, err
	}
	defer received.Close() //nolint:errcheck // only read from since it was complete
	c, err := media.Inspect(received, one.Type)
	if err == nil && keep != nil {
		err = keep(received)
	}
	return c, err
}

// KeepPictures stores the pictures of a question bank before the transaction that records them as assets. The import reports
// mistakes in the bank, or in a picture. Errors: the errors of keep.
func KeepPictures(in Input, keep func(*blob.File) error) error {
	format, is := in.bankFormat()
	if !is {
		return nil
	}
	seen := map[string]bool{}
	var failed error
	err := format.Read(bytes.NewReader(in.Data), func(it *bank.Item) error {
		if !it.Usable() || !in.AcceptScoringChanges && it.Has(bank.Scoring) {
			return nil
		}
		for _, one := range it.Files {
			_, _ = inspect(one, in.FileLimit, func(received *blob.File) error { // the import reports its mistakes
				if !seen[received.SHA256] {
					seen[received.SHA256] = true
					failed = keep(received)
				}
				return nil
			})
			if failed != nil {
				return failed
			}
		}
		return nil
	})
	if failed != nil {
		return err
	}
	return nil
}

// questionOf reads an item of a bank. assets are the pictures that the rows before brought.
func questionOf(r row, in Input, assets pictures) question {
	it := r.item
	q := question{externalID: it.ID, qtype: it.Kind}
	asset := map[string]string{}
	for i, p := range r.pictures {
		id, stored := assets.stored[p.SHA256]
		if !stored {
			id = assets.idOf(p.SHA256)
			r.pictures[i].asset = id
		}
		asset[p.name] = id.String()
	}
	q.pictures = r.pictures
	whole := table.Question(it, in.locale(), func(name string) string {
		if asset[name] == "" {
			it.Refuse(bank.NotThere, "the picture "+name+" is not in the file")
		}
		return asset[name]
	})
	q.whole = &whole
	if r.lost(it, in) {
		q.terms = termsOfItem(r, in)
	}
	return q
}

// lost lists the losses of an item or a test, and its problems as errors of its row. It says whether the item can be used.
func (r row) lost(it *bank.Item, in Input) bool {
	r.file.report.Lost(it)
	for _, p := range it.Problems {
		r.tell("", p.Code, p.Message)
	}
	for _, n := range it.Notices {
		if n.Class == bank.Unsupported || n.Class == bank.Scoring && !in.AcceptScoringChanges {
			r.tell("", string(n.Code), n.Message)
		}
	}
	if it.Usable() && it.Has(bank.Scoring) && in.AcceptScoringChanges {
		r.file.accepted++
	}
	return it.Usable()
}

// pathSign parts the names of a category in its term.
const pathSign = " / "

func termsOfItem(r row, in Input) []termName {
	var all []termName
	add := func(column, facet, term string) {
		name := taxonomy.FacetTerm{Facet: oneSpace(facet), Term: oneSpace(term)}
		if !name.Valid() {
			r.warn(column, "invalid_term", "this is no name of a term, and was left out")
			return
		}
		all = append(all, termName{name, r, column})
	}
	if len(r.item.Category) > 0 {
		add("category", in.categoryFacet(), strings.Join(r.item.Category, pathSign))
	}
	for _, tag := range r.item.Tags {
		facet, term := in.tagsFacet(), tag
		if isTerm(tag) {
			facet, term, _ = strings.Cut(tag, ":")
		}
		add("tags", facet, term)
	}
	return all
}

func (in Input) categoryFacet() string {
	if in.CategoryFacet == "" {
		return "category"
	}
	return spelling.Name(in.CategoryFacet)
}

// nestCategories makes the terms of categories that do not exist, each below the term of the category around it.
func nestCategories(ctx context.Context, tx *db.Tx, in Input, records []record[question]) error {
	var paths [][]string
	for _, r := range records {
		it := r.rows[0].item
		if it == nil || len(it.Category) == 0 || !slices.ContainsFunc(r.value.terms, func(n termName) bool { return n.column == "category" }) {
			continue
		}
		for i := range it.Category {
			paths = append(paths, it.Category[:i+1])
		}
	}
	if len(paths) == 0 || !in.CreateTerms {
		return nil
	}
	named := func(path []string) taxonomy.FacetTerm {
		return taxonomy.FacetTerm{Facet: oneSpace(in.categoryFacet()), Term: oneSpace(strings.Join(path, pathSign))}
	}
	names := make([]taxonomy.FacetTerm, len(paths))
	for i, path := range paths {
		names[i] = named(path)
	}
	known, err := taxonomy.Resolve(ctx, tx, names, false)
	if err != nil {
		return err
	}
	var missing []taxonomy.ImportedTerm
	seen := map[string]bool{}
	for i, path := range paths {
		_, there := known[names[i]]
		slugs := names[i].Slugs()
		if there || seen[slugs.Term] || !names[i].Valid() {
			continue
		}
		seen[slugs.Term] = true
		parent := ""
		if around := named(path[:len(path)-1]).Slugs().Term; around != slugs.Term && (len(path) > 1) {
			parent = around
		}
		missing = append(missing, taxonomy.ImportedTerm{Facet: names[i].Facet, Slug: slugs.Term, Label: oneSpace(path[len(path)-1]), Parent: &parent})
	}
	if len(missing) == 0 {
		return nil
	}
	_, err = taxonomy.ImportTerms(ctx, tx, missing)
	return err
}

// knownAssets finds the assets that have the bytes of the pictures of a chunk.
func knownAssets(ctx context.Context, tx *db.Tx, rows []row) (pictures, error) {
	var hashes []string
	for _, r := range rows {
		for _, p := range r.pictures {
			hashes = append(hashes, p.SHA256)
		}
	}
	slices.Sort(hashes)
	stored, err := media.OfContent(ctx, tx, slices.Compact(hashes))
	return pictures{stored, map[string]ids.ID{}}, err
}

// pictures are the assets of a chunk by the hashes of their bytes: the ones that exist, and the ones to be made.
type pictures struct{ stored, fresh map[string]ids.ID }

func (p pictures) idOf(hash string) ids.ID {
	if p.fresh[hash] == ids.None {
		p.fresh[hash] = ids.New()
	}
	return p.fresh[hash]
}

// makeAssets records the pictures that the records bring. claimed says that nobody stored their files: the transaction will be
// undone.
func makeAssets(ctx context.Context, tx *db.Tx, records []record[question], claimed bool) error {
	var rows []row
	for _, r := range records {
		rows = append(rows, r.rows...)
	}
	known, err := knownAssets(ctx, tx, rows)
	if err != nil {
		return err
	}
	var made []media.NewAsset
	for _, r := range records {
		for _, p := range r.value.pictures {
			if p.asset == ids.None || known.stored[p.SHA256] == p.asset || p.SHA256 == "" {
				continue
			}
			known.stored[p.SHA256] = p.asset
			if claimed {
				err := media.Claim(ctx, tx, p.Content)
				if err != nil {
					return err
				}
			}
			made = append(made, media.NewAsset{ID: p.asset, Name: p.name, Content: p.Content})
		}
	}
	return media.CreateAssets(ctx, tx, made)
}

// noticesOf gives the losses of a bank; a table has none.
func (f *file) noticesOf() Notices {
	return Notices{Notices: f.report.Notices, MoreNotices: f.report.MoreNotices, NoticeCounts: f.report.Counts}
}

// wantedFormat says which formats there are.
func wantedFormat() string { return "expected " + scoring.InWords(Formats()) }

// hasFormat says whether Input.Format is one.
func (in Input) hasFormat() bool { return in.Format == "" || slices.Contains(Formats(), in.Format) }
