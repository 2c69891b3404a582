package httpapi

import (
	"fmt"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Parts that the inputs of many routes share. Their names are exported because huma looks
// into embedded structs only then.

// ByID names one record in the path.
type ByID struct {
	ID ids.ID `path:"id"`
}

type pageByIDInput struct {
	ByID
	PageQuery
}

type nothing struct{}

// PageQuery asks for a page of a list.
type PageQuery struct {
	Page  int `query:"page" minimum:"1" default:"1" doc:"Page, from 1"`
	Limit int `query:"limit" minimum:"1" maximum:"200" default:"25" doc:"Rows a page"`
}

func (q PageQuery) page() db.Page { return db.Page{Page: q.Page, Limit: q.Limit} }

// LangQuery asks for one language.
type LangQuery struct {
	Lang string `query:"lang" format:"bcp47" maxLength:"35" doc:"Resolve content to this language (BCP-47); without it all languages are given"`
}

// TermsQuery asks for what carries terms. The ids are texts, since huma reads no lists of
// UUIDs from a query; read gives them as ids.
type TermsQuery struct {
	TermsAny           []string `query:"terms_any,explode" format:"uuid" maxItems:"50" doc:"With at least one of the terms; repeatable"`
	TermsAll           []string `query:"terms_all,explode" format:"uuid" maxItems:"50" doc:"With every one of the terms; repeatable"`
	IncludeDescendants bool     `query:"include_descendants" doc:"A term stands for everything below it, too"`
}

// read fills the fields of a filter. Errors: validation_failed.
func (q TermsQuery) read(termsAny, termsAll *[]ids.ID, descendants *bool) error {
	*descendants = q.IncludeDescendants
	for _, list := range []struct {
		name string
		from []string
		into *[]ids.ID
	}{{"terms_any", q.TermsAny, termsAny}, {"terms_all", q.TermsAll, termsAll}} {
		for i, text := range list.from {
			id, err := ids.Parse(fmt.Sprintf("%s[%d]", list.name, i), text)
			if err != nil {
				return err
			}
			*list.into = append(*list.into, id)
		}
	}
	return nil
}

// ViewQuery asks for what a saved view shows.
type ViewQuery struct {
	ViewID ids.ID `query:"viewId" doc:"Take what is not given here from this view; terms_any, terms_all and include_descendants are taken together"`
}
