package httpapi

import (
	"assess/pkg/db"
	"assess/pkg/ids"
)

// Parts that the inputs of many routes share.

type byID struct {
	ID ids.ID `path:"id"`
}

type nothing struct{}

type pageQuery struct {
	Page  int `query:"page" minimum:"1" default:"1" doc:"Page, from 1"`
	Limit int `query:"limit" minimum:"1" maximum:"200" default:"25" doc:"Rows a page"`
}

func (q pageQuery) page() db.Page { return db.Page{Page: q.Page, Limit: q.Limit} }

type langQuery struct {
	Lang string `query:"lang" maxLength:"35" doc:"Resolve content to this language (BCP-47); without it all languages are given"`
}
