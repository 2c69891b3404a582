package httpapi

import (
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

// PageQuery selects a page of a list.
type PageQuery struct {
	Page  int `query:"page" minimum:"1" default:"1" doc:"Page, from 1"`
	Limit int `query:"limit" minimum:"1" maximum:"200" default:"25" doc:"Rows a page"`
}

func (q PageQuery) page() db.Page { return db.Page{Page: q.Page, Limit: q.Limit} }
