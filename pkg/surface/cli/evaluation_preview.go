package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"assess/pkg/exam/session"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func newEvaluationPreview(s *Shell) *cobra.Command {
	var in session.PreviewInput
	cmd := newShow(s, "preview ID|EXTERNAL-ID", "Show what a candidate would see, and what keeps the draft from being published",
		found("evaluation", findEvaluation, func(ctx context.Context, tx *db.Tx, id ids.ID) (session.Preview, error) {
			in.EvaluationID = id
			return session.PreviewEvaluation(ctx, tx, in)
		}), drawn(drawPreview))
	cmd.Long = `Show what a candidate would see of an evaluation: its draft, or its published version. The
seed decides on draws and orders; the same seed shows the same. Nothing is written.`
	cmd.Flags().StringVar(&in.Version, "version", "", "draft or published (default: the draft where there is one)")
	optional(cmd, &in.Seed, "seed", "decides on draws and orders (default: any)", cmd.Flags().Int64)
	cmd.Flags().StringVar(&in.Lang, "lang", "", "language of the content")
	return cmd
}

func drawPreview(screen *Screen, p session.Preview) error {
	fmt.Fprintf(screen, "%s (version %d, %s, seed %d)\n", screen.Paint(Strong, p.Session.Title), p.Number, p.Version, p.Seed)
	for i, section := range p.Session.Sections {
		screen.heading(sectionTitle(section.Title, i))
		drawSeen(screen, section.Items, p.Session.Passages)
	}
	return screen.findings(p.Problems, p.Warnings)
}

// drawSeen writes questions in their order, each passage before the first one about it.
func drawSeen(screen *Screen, items []session.Item, passages []session.Passage) {
	told := map[ids.ID]bool{}
	for n, item := range items {
		if id := item.PassageVersionID; id != nil && !told[*id] {
			told[*id] = true
			at := slices.IndexFunc(passages, func(p session.Passage) bool { return p.PassageVersionID == *id })
			fmt.Fprintf(screen, "%s\n%s\n", screen.Paint(Strong, passages[at].Title), plain(passages[at].Content))
		}
		fmt.Fprintf(screen, "%d. %s\n", n+1, plain(item.Stem))
		for _, option := range item.Options {
			fmt.Fprintf(screen, "   %s) %s\n", option.ID, plain(option.Content))
		}
	}
}

// plain gives the text of content in its language, for an envelope the default one. Line
// ends are the only control characters that it keeps.
func plain(c content.Shown) string {
	payload := content.Payload{Blocks: c.Blocks}
	if c.Locales != nil {
		payload = c.Locales[c.DefaultLocale]
	}
	var lines []string
	for line := range strings.SplitSeq(strings.TrimSpace(payload.PlainText()), "\n") {
		lines = append(lines, clean(line))
	}
	return strings.Join(lines, "\n")
}

var problemColumns = columns[errs.Field]("Path = Where, Message = What")
