package submission

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// Taken is an attempt in words: the questions as the person saw them, the answers, and the result.
// It has neither keys nor names.
type Taken struct {
	ID                     ids.ID
	Title                  string
	StartedAt, CompletedAt time.Time
	Status                 string
	Score, MaxScore        float64
	Outcome                string
	Pending                bool
	Items                  []TakenItem
}

// TakenItem is a question with the answer. Options are in the order in which the person saw them.
// Answer is the text that was written, the options in the order that the person gave them, each
// prompt with the options chosen for it, or the content of each gap; a choice is marked in Options.
type TakenItem struct {
	Number          int
	Passage, Stem   string
	Options         []TakenOption
	Answer          string
	Omitted         bool
	ScoreStatus     string
	Score, MaxScore float64
}

// TakenOption is an option and whether the person chose it.
type TakenOption struct {
	Text   string
	Chosen bool
}

// keptSnapshots is how many snapshots TakenBy holds in memory at once.
const keptSnapshots = 8

// takenPiece is how many attempts TakenBy reads at a time.
const takenPiece = 50

// TakenBy gives all attempts of a person, the newest first, piece by piece, so that memory stays
// flat. Texts are in the default language of each document: nothing says in which one they were
// shown. It requires no capability: the caller checks who may export the data held about a person.
func TakenBy(ctx context.Context, tx *db.Tx, user ids.ID, each func(Taken) error) error {
	snapshots := map[string]*authoring.Snapshot{}
	var before *models.Submission
	for {
		piece, err := nextTaken(ctx, tx, user, before)
		if err != nil {
			return err
		}
		items, err := itemsOfAll(ctx, tx, piece)
		if err != nil {
			return err
		}
		for _, row := range piece {
			snapshot, err := keptSnapshot(ctx, tx, snapshots, row.SnapshotHash)
			if err != nil {
				return err
			}
			err = each(taken(row, items[row.ID], snapshot))
			if err != nil {
				return err
			}
		}
		if len(piece) < takenPiece {
			return nil
		}
		before = &piece[len(piece)-1]
	}
}

func nextTaken(ctx context.Context, tx *db.Tx, user ids.ID, before *models.Submission) ([]models.Submission, error) {
	var rows []models.Submission
	query := tx.NewSelect().Model(&rows).Where("s.tenant_id = ? and s.user_id = ?", tx.Tenant(), user)
	if before != nil {
		query.Where("s.completed_at <= ? and (s.completed_at < ? or s.id > ?)", before.CompletedAt, before.CompletedAt, before.ID)
	}
	err := query.Order("s.completed_at desc", "s.id").Limit(takenPiece).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("find the attempts of a person: %w", err)
	}
	return rows, nil
}

// itemsOfAll reads the items of several submissions with their newest scores.
func itemsOfAll(ctx context.Context, tx *db.Tx, of []models.Submission) (map[ids.ID][]models.SubmissionItem, error) {
	all := make([]ids.ID, len(of))
	versions := make([]int, len(of))
	for i, s := range of {
		all[i], versions[i] = s.ID, s.ScoreVersion
	}
	rows, err := tx.Query(ctx, `
		select i.submission_id, i.item_id, i.question_version_id, i.position, i.qtype, i.response, i.is_omitted, i.score_status, i.score, i.max_score
		from unnest($2::uuid[], $3::int[]) s (id, score_version), `+NewestItems("$1")+` i
		order by i.submission_id, i.position`, tx.Tenant(), all, versions)
	if err != nil {
		return nil, fmt.Errorf("find the items of attempts: %w", err)
	}
	items := map[ids.ID][]models.SubmissionItem{}
	var i models.SubmissionItem
	_, err = pgx.ForEachRow(rows, []any{&i.SubmissionID, &i.ItemID, &i.QuestionVersionID, &i.Position, &i.QType, &i.Response, &i.IsOmitted,
		&i.ScoreStatus, &i.Score, &i.MaxScore}, func() error {
		copied := i
		copied.Response = slices.Clone(i.Response)
		items[i.SubmissionID] = append(items[i.SubmissionID], copied)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find the items of attempts: %w", err)
	}
	return items, nil
}

func keptSnapshot(ctx context.Context, tx *db.Tx, kept map[string]*authoring.Snapshot, hash string) (*authoring.Snapshot, error) {
	if found := kept[hash]; found != nil {
		return found, nil
	}
	snapshot, err := authoring.SnapshotByHash(ctx, tx, hash)
	if err != nil {
		return nil, err
	}
	if len(kept) == keptSnapshots {
		clear(kept)
	}
	kept[hash] = snapshot
	return snapshot, nil
}

func taken(row models.Submission, items []models.SubmissionItem, snapshot *authoring.Snapshot) Taken {
	t := Taken{ID: row.ID, Title: snapshot.Title, StartedAt: row.StartedAt.UTC(), CompletedAt: row.CompletedAt.UTC(), Status: row.Status,
		Score: row.Score, MaxScore: row.MaxScore, Outcome: row.OutcomeLabel, Pending: row.Pending}
	passages := map[ids.ID]ids.ID{}
	for _, section := range snapshot.Sections {
		for _, item := range section.Items {
			if item.PassageVersionID != nil {
				passages[item.ItemID] = *item.PassageVersionID
			}
		}
	}
	for _, item := range items {
		shown := takenItem(item, row.Seed, snapshot)
		if passage, has := passages[item.ItemID]; has {
			shown.Passage = inDefault(snapshot.Passages[passage.String()].Content)
		}
		t.Items = append(t.Items, shown)
	}
	return t
}

func takenItem(item models.SubmissionItem, seed int64, snapshot *authoring.Snapshot) TakenItem {
	question := snapshot.Questions[item.QuestionVersionID.String()]
	shown := TakenItem{Number: item.Position + 1, Stem: inDefault(question.Stem), Omitted: item.IsOmitted, ScoreStatus: item.ScoreStatus,
		Score: item.Score, MaxScore: item.MaxScore}
	answer, _ := scoring.ParseResponse("response", item.Response) // what cannot be read was INVALID at submit
	if answer == nil {
		answer = &scoring.Response{}
	}
	chosen := answer.OptionIDs
	shown.Answer = written(*answer)
	for _, o := range authoring.ShownOptions(snapshot.Settings, seed, item.ItemID, question) {
		shown.Options = append(shown.Options, TakenOption{inDefault(o.Content), slices.Contains(chosen, o.ID) && !question.QType.Type().Ordered()})
	}
	if question.QType.Type().Ordered() {
		shown.Answer = inSequence(question, chosen)
	}
	if len(answer.Pairs) > 0 {
		shown.Answer = question.InPairs(answer.Pairs, inDefault)
	}
	if len(answer.Gaps) > 0 {
		shown.Answer = question.InGaps(answer.Gaps, inDefault)
	}
	return shown
}

// inSequence names options one after the other.
func inSequence(question authoring.SnapshotQuestion, chosen []string) string {
	texts := map[string]string{}
	for _, o := range question.Options {
		texts[o.ID] = inDefault(o.Content)
	}
	lines := make([]string, len(chosen))
	for i, id := range chosen {
		lines[i] = strconv.Itoa(i+1) + ". " + texts[id]
	}
	return strings.Join(lines, "\n")
}

// written gives the text or the number of an answer.
func written(answer scoring.Response) string {
	switch {
	case answer.Text != nil:
		return *answer.Text
	case answer.Number != nil:
		return strconv.FormatFloat(*answer.Number, 'f', -1, 64)
	}
	return ""
}

func inDefault(d content.Document) string {
	_, payload := d.Resolve("")
	return payload.PlainText()
}
