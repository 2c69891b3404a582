package cli

import (
	"context"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// history is how the versions of questions, passages or evaluations are read. S is a version
// in a list, of which line tells what all have.
type history[S any] struct {
	noun    string
	find    func(ctx context.Context, tx *db.Tx, word string) (ids.ID, error)
	list    func(ctx context.Context, tx *db.Tx, in authoring.ListVersionsInput) (db.List[S], error)
	line    func(S) versionLine
	columns []Column[S]
	// show gives one version, and how people see it.
	show func(ctx context.Context, tx *db.Tx, in authoring.VersionInput) (any, func(*Screen) error, error)
}

type versionLine struct {
	id        ids.ID
	number    int
	status    string
	published *time.Time
}

var (
	questionHistory = history[authoring.QuestionVersionSummary]{noun: "question", find: findQuestion,
		list: authoring.ListQuestionVersions, show: showQuestionVersion,
		line: func(v authoring.QuestionVersionSummary) versionLine {
			return versionLine{v.ID, v.Number, v.Status, v.PublishedAt}
		},
		columns: []Column[authoring.QuestionVersionSummary]{
			{Header: "Type", Cell: func(v authoring.QuestionVersionSummary) string { return string(v.QType) }}}}
	passageHistory = history[authoring.PassageVersionSummary]{noun: "passage", find: findPassage,
		list: authoring.ListPassageVersions, show: showPassageVersion,
		line: func(v authoring.PassageVersionSummary) versionLine {
			return versionLine{v.ID, v.Number, v.Status, v.PublishedAt}
		},
		columns: []Column[authoring.PassageVersionSummary]{
			{Header: "Title", Cell: func(v authoring.PassageVersionSummary) string { return v.Title }}}}
	evaluationHistory = history[authoring.EvaluationVersionSummary]{noun: "evaluation", find: findEvaluation,
		list: authoring.ListEvaluationVersions, show: showEvaluationVersion,
		line: func(v authoring.EvaluationVersionSummary) versionLine {
			return versionLine{v.ID, v.Number, v.Status, v.PublishedAt}
		},
		columns: []Column[authoring.EvaluationVersionSummary]{
			{Header: "Title", Cell: func(v authoring.EvaluationVersionSummary) string { return v.Title }}}}
)

// versions gives the commands that read the versions of one thing, old ones too.
func versions[S any](s *Shell, of history[S]) []*cobra.Command {
	return []*cobra.Command{newVersions(s, of), newVersionShow(s, of)}
}

func newVersions[S any](s *Shell, of history[S]) *cobra.Command {
	var page db.Page
	return pages(&cobra.Command{
		Use:   "versions ID|EXTERNAL-ID",
		Short: "List the versions of " + articled(of.noun) + ", newest first",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := read(cmd.Context(), s, func(tx *db.Tx) (db.List[S], error) {
				id, err := of.find(cmd.Context(), tx, args[0])
				if err != nil {
					return db.List[S]{}, err
				}
				return of.list(cmd.Context(), tx, authoring.ListVersionsInput{ID: id, Page: page})
			})
			if err != nil {
				return unknown(of.noun, args[0], err)
			}
			return printList(s, list, of.table()...)
		},
	}, &page)
}

func (of history[S]) table() []Column[S] {
	columns := []Column[S]{
		{Header: "Version", Cell: func(v S) string { return strconv.Itoa(of.line(v).number) }, Align: Right},
		{Header: "Status", Cell: func(v S) string { return of.line(v).status },
			Colour: func(v S) Colour { return statusColour(of.line(v).status) }},
		{Header: "Published", Cell: func(v S) string {
			if at := of.line(v).published; at != nil {
				return moment(*at)
			}
			return none
		}},
	}
	return append(append(columns, of.columns...), Column[S]{Header: "Id", Cell: func(v S) string { return of.line(v).id.String() }, Spare: true})
}

func newVersionShow[S any](s *Shell, of history[S]) *cobra.Command {
	return &cobra.Command{
		Use:     "version ID|EXTERNAL-ID NUMBER|VERSION-ID",
		Short:   "Show one version of " + articled(of.noun) + ", old ones too",
		Example: "  assessctl " + of.noun + " version geo-1 2 --org north",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			var draw func(*Screen) error
			found, err := read(cmd.Context(), s, func(tx *db.Tx) (any, error) {
				in, err := of.version(cmd.Context(), tx, args[0], args[1])
				if err != nil {
					return nil, err
				}
				var found any
				found, draw, err = of.show(cmd.Context(), tx, in)
				return found, err
			})
			if err != nil {
				return err
			}
			return s.Show(found, draw)
		},
	}
}

// version finds a version by its id or its number. Numbers count from 1 without a gap, so the
// number says where in the list the version stands.
func (of history[S]) version(ctx context.Context, tx *db.Tx, word, version string) (authoring.VersionInput, error) {
	id, err := of.find(ctx, tx, word)
	if err != nil {
		return authoring.VersionInput{}, unknown(of.noun, word, err)
	}
	in := authoring.VersionInput{ID: id}
	number, err := strconv.Atoi(version)
	if err != nil {
		in.VersionID, err = ids.Parse("version", version)
		return in, err
	}
	newest, err := of.list(ctx, tx, authoring.ListVersionsInput{ID: id, Page: db.Page{Page: 1, Limit: 1}})
	if err != nil {
		return in, err
	}
	if number < 1 || number > newest.Total {
		return in, errs.New(errs.NotFound, "The %s %q has no version %d.", of.noun, word, number)
	}
	at, err := of.list(ctx, tx, authoring.ListVersionsInput{ID: id, Page: db.Page{Page: newest.Total - number + 1, Limit: 1}})
	if err != nil {
		return in, err
	}
	in.VersionID = of.line(at.Items[0]).id
	return in, nil
}

func showQuestionVersion(ctx context.Context, tx *db.Tx, in authoring.VersionInput) (any, func(*Screen) error, error) {
	v, err := authoring.GetQuestionVersion(ctx, tx, in)
	if err != nil {
		return nil, nil, err
	}
	q, err := nameTerms(ctx, tx, authoring.Question{ID: in.ID, Status: v.Status, Published: &v.QuestionVersion}.In(""))
	return v, q.draw, err
}

func showPassageVersion(ctx context.Context, tx *db.Tx, in authoring.VersionInput) (any, func(*Screen) error, error) {
	v, err := authoring.GetPassageVersion(ctx, tx, in)
	return v, func(screen *Screen) error {
		drawPassage(screen, authoring.Passage{ID: in.ID, Title: v.Title, Status: v.Status, Published: &v.PassageVersion})
		return nil
	}, err
}

func showEvaluationVersion(ctx context.Context, tx *db.Tx, in authoring.VersionInput) (any, func(*Screen) error, error) {
	v, err := authoring.GetEvaluationVersion(ctx, tx, in)
	return v, func(screen *Screen) error {
		return drawEvaluation(screen, authoring.Evaluation{ID: in.ID, Title: v.Title, Status: v.Status, Published: &v.EvaluationVersion})
	}, err
}

func articled(noun string) string {
	if noun == "evaluation" {
		return "an " + noun
	}
	return "a " + noun
}
