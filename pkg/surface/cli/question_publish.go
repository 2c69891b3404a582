package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/plural"
)

// newQuestionPublish makes a command that shows one question as it is afterwards, and for several the
// result of each.
func newQuestionPublish(s *Shell) *cobra.Command {
	one := newAct(s, "publish ID|EXTERNAL-ID...", "Publish the drafts of questions, or say all that keeps them from being published",
		found("question", findQuestion, func(ctx context.Context, tx *db.Tx, id ids.ID) (namedPublication, error) {
			q, err := authoring.PublishQuestionDraft(ctx, tx, authoring.PublishInput{ID: id, DryRun: s.dryRun})
			if err != nil {
				return namedPublication{}, err
			}
			named, err := nameTerms(ctx, tx, q.In(""))
			return namedPublication{q, named.Terms}, err
		}), func(s *Shell, done namedPublication) error {
			return s.showPublication(done.Question, done.Question.Publication, done.Question.Problems, func(screen *Screen) error {
				return namedQuestion{done.Question.In(""), done.Terms}.draw(screen)
			})
		})
	several := newAct(s, one.Use, one.Short, publishAll, func(s *Shell, done []publication) error { return Print(s, done, publicationColumns...) })
	publishOne := one.RunE
	one.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return several.RunE(cmd, args)
		}
		return publishOne(cmd, args)
	}
	one.Long = `Publish the drafts of questions. One question is shown as it then is. Of several, either all
are published or none; those without a draft stay as they are, and the list says so.`
	return one
}

// namedPublication is the result of publishing one question, with the names of its terms.
type namedPublication struct {
	Question authoring.QuestionPublication
	Terms    []string
}

// showPublication shows a record that was published, or would be, with warnings and problems. A dry run
// that finds problems has failed, as publishing would have.
func (s *Shell) showPublication(what any, p authoring.Publication, problems []errs.Field, draw func(*Screen) error) error {
	err := s.Show(what, func(screen *Screen) error {
		err := draw(screen)
		if err != nil {
			return err
		}
		return screen.findings(problems, p.Warnings)
	})
	if err != nil || len(problems) == 0 {
		return err
	}
	return Unsound("The draft cannot be published yet: %s.", plural.Of(len(problems), "problem"))
}

// findings writes the problems that keep a draft from being published, and possible surprises.
func (s *Screen) findings(problems, warnings []errs.Field) error {
	for _, list := range []struct {
		heading string
		found   []errs.Field
	}{{"Not to be published yet", problems}, {"Warnings", warnings}} {
		if len(list.found) == 0 {
			continue
		}
		s.heading(list.heading)
		err := Table(s, list.found, problemColumns...)
		if err != nil {
			return err
		}
	}
	return nil
}

// publication is the result for one of several questions. Published is false for one
// that had no draft.
type publication struct {
	ID        ids.ID `json:"id"`
	Name      string `json:"name"`
	Published bool   `json:"published"`
}

func publishAll(ctx context.Context, tx *db.Tx, names []string) ([]publication, error) {
	wanted, err := findAll(ctx, tx, "question", names, authoring.FindQuestions)
	if err != nil {
		return nil, err
	}
	published, err := authoring.PublishQuestions(ctx, tx, wanted)
	all := make([]publication, len(names))
	for i, id := range wanted {
		all[i] = publication{ID: id, Name: names[i], Published: slices.Contains(published, id)}
	}
	return all, err
}

var publicationColumns = columns("Name = Question, Published, ID*",
	Column[publication]{Header: "Published", Colour: func(p publication) Colour { return goodIf(p.Published) }},
)
