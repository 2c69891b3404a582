package cli

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// history is how the versions of questions, passages or evaluations are read. S is a version
// in a list.
type history[S any] struct {
	noun    string
	find    func(ctx context.Context, tx *db.Tx, word string) (ids.ID, error)
	list    func(ctx context.Context, tx *db.Tx, in authoring.ListVersionsInput) (db.List[S], error)
	id      func(S) ids.ID
	columns []Column[S]
	show    func(ctx context.Context, tx *db.Tx, in authoring.VersionInput) (shown, error)
}

var (
	questionHistory = history[authoring.QuestionVersionSummary]{"question", findQuestion, authoring.ListQuestionVersions,
		func(v authoring.QuestionVersionSummary) ids.ID { return v.ID },
		columns("Number = Version, Status, PublishedAt = Published, QType = Type, ID*",
			Column[authoring.QuestionVersionSummary]{Header: "Status", Colour: func(v authoring.QuestionVersionSummary) Colour { return statusColour(v.Status) }}),
		showQuestionVersion}
	passageHistory = history[authoring.PassageVersionSummary]{"passage", findPassage, authoring.ListPassageVersions,
		func(v authoring.PassageVersionSummary) ids.ID { return v.ID },
		columns("Number = Version, Status, PublishedAt = Published, Title, ID*",
			Column[authoring.PassageVersionSummary]{Header: "Status", Colour: func(v authoring.PassageVersionSummary) Colour { return statusColour(v.Status) }}),
		showPassageVersion}
	evaluationHistory = history[authoring.EvaluationVersionSummary]{"evaluation", findEvaluation, authoring.ListEvaluationVersions,
		func(v authoring.EvaluationVersionSummary) ids.ID { return v.ID },
		columns("Number = Version, Status, PublishedAt = Published, Title, ID*",
			Column[authoring.EvaluationVersionSummary]{Header: "Status", Colour: func(v authoring.EvaluationVersionSummary) Colour { return statusColour(v.Status) }}),
		showEvaluationVersion}
)

// versions gives the commands that read the versions of one thing, old ones too.
func versions[S any](s *Shell, of history[S]) []*cobra.Command {
	return []*cobra.Command{newVersions(s, of), newVersionShow(s, of)}
}

func newVersions[S any](s *Shell, of history[S]) *cobra.Command {
	var page db.Page
	return newList(s, "versions ID|EXTERNAL-ID", "List the versions of "+articled(of.noun)+", newest first", &page,
		found(of.noun, of.find, func(ctx context.Context, tx *db.Tx, id ids.ID) (db.List[S], error) {
			return of.list(ctx, tx, authoring.ListVersionsInput{ID: id, Page: page})
		}), of.columns)
}

// shown is a version and how people see it.
type shown struct {
	value any
	draw  func(*Screen) error
}

func newVersionShow[S any](s *Shell, of history[S]) *cobra.Command {
	cmd := newShow(s, "version ID|EXTERNAL-ID NUMBER|VERSION-ID", "Show one version of "+articled(of.noun)+", old ones too",
		func(ctx context.Context, tx *db.Tx, args []string) (shown, error) {
			in, err := of.version(ctx, tx, args[0], args[1])
			if err != nil {
				return shown{}, err
			}
			return of.show(ctx, tx, in)
		}, func(s *Shell, v shown) error { return s.Show(v.value, v.draw) })
	return cmd
}

// version finds a version by its id or its number. Numbers count from 1 without a gap, so the
// number gives the position in the list.
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
	in.VersionID = of.id(at.Items[0])
	return in, nil
}

func showQuestionVersion(ctx context.Context, tx *db.Tx, in authoring.VersionInput) (shown, error) {
	v, err := authoring.GetQuestionVersion(ctx, tx, in)
	if err != nil {
		return shown{}, err
	}
	q, err := nameTerms(ctx, tx, authoring.Question{ID: in.ID, Status: v.Status, Published: &v.QuestionVersion}.In(""))
	return shown{v, q.draw}, err
}

func showPassageVersion(ctx context.Context, tx *db.Tx, in authoring.VersionInput) (shown, error) {
	v, err := authoring.GetPassageVersion(ctx, tx, in)
	return shown{v, func(screen *Screen) error {
		return drawPassage(screen, authoring.Passage{ID: in.ID, Title: v.Title, Status: v.Status, Published: &v.PassageVersion})
	}}, err
}

func showEvaluationVersion(ctx context.Context, tx *db.Tx, in authoring.VersionInput) (shown, error) {
	v, err := authoring.GetEvaluationVersion(ctx, tx, in)
	return shown{v, func(screen *Screen) error {
		return drawEvaluation(screen, authoring.Evaluation{ID: in.ID, Title: v.Title, Status: v.Status, Published: &v.EvaluationVersion}, nil)
	}}, err
}

func articled(noun string) string {
	if noun == "evaluation" {
		return "an " + noun
	}
	return "a " + noun
}
