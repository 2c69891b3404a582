package authoring

import (
	"context"
	"fmt"
	"slices"

	"assess/models"
	"assess/pkg/author/media"
	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// bank has everything that a draft refers to, in its current state: the questions and
// passages that the scope has, their published versions, the pools of the draws, and the
// names of all terms.
type bank struct {
	status   map[ids.ID]string
	versions map[ids.ID]QuestionVersion
	passages map[ids.ID]bankPassage
	// pinned holds passage versions by their own id.
	pinned map[ids.ID]SnapshotPassage
	assets map[ids.ID]ids.ID
	// newer has what publishing does not pin but warns about.
	newer newer
	// candidates counts by draw the questions that it could show, up to maxPool + 1; pools
	// has the questions that each draw gets when the draws share them out, by draw.
	candidates map[ids.ID]int
	pools      map[ids.ID][]ids.ID
	terms      map[ids.ID]taxonomy.Name
	// facets has the labels of the facets of the terms, and of the facets that feedback mentions, by slug.
	facets map[string]string
	// languages are the languages that the tenant requires.
	languages media.Languages
	// heft is the size of the questions and passages as text, in bytes. If it is more than maxHeft, nothing is read.
	heft int64
}

// maxHeft limits what an evaluation shows, in bytes of its questions and passages as text: every preview, start
// and report has it in memory.
const maxHeft = 8 << 20

// loadBank reads everything that a draft of an org unit refers to, in a fixed number of statements.
func loadBank(ctx context.Context, tx *db.Tx, org ids.ID, draft EvaluationVersion) (bank, error) {
	b := bank{status: map[ids.ID]string{}, versions: map[ids.ID]QuestionVersion{}, pinned: map[ids.ID]SnapshotPassage{},
		assets: map[ids.ID]ids.ID{}, newer: newer{drafts: map[ids.ID]bool{}, pins: map[ids.ID]map[ids.ID]ids.ID{}}}
	var err error
	b.passages, err = findBankPassages(ctx, tx, draft.passageIDs())
	if err != nil {
		return bank{}, err
	}
	fixed := draft.questionIDs()
	for _, passage := range b.passages {
		fixed = append(fixed, passage.questions...)
	}
	err = b.draw(ctx, tx, org, draft.draws(), fixed)
	if err != nil {
		return bank{}, err
	}
	for _, pool := range b.pools {
		fixed = append(fixed, pool...)
	}
	err = b.loadQuestions(ctx, tx, fixed)
	if err != nil || b.heft > maxHeft {
		return b, err
	}
	err = b.loadPassageVersions(ctx, tx)
	if err != nil {
		return bank{}, err
	}
	b.terms, err = taxonomy.Names(ctx, tx, b.termIDs(draft))
	if err != nil {
		return bank{}, err
	}
	b.facets, err = taxonomy.FacetLabels(ctx, tx, b.facetSlugs(draft.Settings.FeedbackTagKeys))
	if err != nil {
		return bank{}, err
	}
	b.languages, err = media.LoadLanguages(ctx, tx)
	if err != nil {
		return bank{}, err
	}
	return b, b.loadNewer(ctx, tx)
}

// loadQuestions reads questions with their published versions and the pins of these.
func (b *bank) loadQuestions(ctx context.Context, tx *db.Tx, wanted []ids.ID) error {
	rows, err := questionStore.find(ctx, tx, wanted)
	if err != nil {
		return err
	}
	var published []ids.ID
	for _, row := range rows {
		b.status[row.ID], b.newer.drafts[row.ID] = row.Status, row.DraftID != nil
		published = append(published, versionIDs(row.PublishedID)...)
	}
	err = b.weigh(ctx, tx, published)
	if err != nil || b.heft > maxHeft {
		return err
	}
	versions, err := questionStore.versionsByID(ctx, tx, published)
	if err != nil {
		return err
	}
	for _, row := range versions {
		b.versions[row.QuestionID], err = questionVersionOf(row)
		if err != nil {
			return err
		}
		b.pin(row.ID, row.Pins.AssetVersions)
	}
	return nil
}

// weigh adds up the sizes of versions of questions and of the passages that they and the groups show.
func (b *bank) weigh(ctx context.Context, tx *db.Tx, versions []ids.ID) error {
	var passages []ids.ID
	for _, passage := range b.passages {
		passages = append(passages, versionIDs(passage.published)...)
	}
	err := tx.QueryRow(ctx, `
		with q as materialized (
			select octet_length(body::text) as size, passage_version_id from question_versions where tenant_id = $1 and id = any($2)
		)
		select coalesce((select sum(size) from q), 0) + coalesce((
			select sum(octet_length(p.body::text)) from (select unnest($3::uuid[]) as id union select passage_version_id from q) shown
			join passage_versions p on p.tenant_id = $1 and p.id = shown.id), 0)`, tx.Tenant(), versions, passages).Scan(&b.heft)
	if err != nil {
		return fmt.Errorf("weigh the content of an evaluation: %w", err)
	}
	return nil
}

// pin remembers the assets that a version pinned. If several versions pinned different
// versions of one asset, all of them are shown with the newest, no matter in which order
// they are read: ids grow.
func (b *bank) pin(version ids.ID, pins map[ids.ID]ids.ID) {
	b.newer.pins[version] = pins
	for asset, pinned := range pins {
		before := b.assets[asset]
		if slices.Compare(pinned[:], before[:]) > 0 {
			b.assets[asset] = pinned
		}
	}
}

// loadPassageVersions reads the versions that the groups show and the versions that the
// other questions pinned when they were published.
func (b *bank) loadPassageVersions(ctx context.Context, tx *db.Tx) error {
	var wanted []ids.ID
	for _, passage := range b.passages {
		wanted = append(wanted, versionIDs(passage.published)...)
	}
	for _, version := range b.versions {
		wanted = append(wanted, versionIDs(version.PassageVersionID)...)
	}
	return b.findPassageVersions(ctx, tx, wanted)
}

// questionsOf gives the questions that an item can show, in order. Archived questions of a
// passage are left out.
func (b bank) questionsOf(item Item) []ids.ID {
	switch {
	case item.Draw != nil:
		return b.pools[item.ID]
	case item.PassageID != ids.None:
		return slices.DeleteFunc(slices.Clone(b.passages[item.PassageID].questions), func(id ids.ID) bool {
			return b.status[id] == models.AuthoringArchived
		})
	default:
		return []ids.ID{item.QuestionID}
	}
}

// passageOf gives the version of the passage that a question is shown with: the group's
// version, or the one that the question pinned; nil for none.
func (b bank) passageOf(item Item, question ids.ID) *ids.ID {
	if item.PassageID != ids.None {
		return b.passages[item.PassageID].published
	}
	return b.versions[question].PassageVersionID
}

func (b bank) termIDs(draft EvaluationVersion) []ids.ID {
	all := slices.Clone(draft.TaxonomyTermIDs)
	for _, item := range draft.draws() {
		all = slices.Concat(all, item.Draw.TaxonomyTermIDs, item.Draw.ExcludeTaxonomyTermIDs)
	}
	for _, version := range b.versions {
		all = append(all, version.TaxonomyTermIDs...)
	}
	return termSet(all)
}

func (v EvaluationVersion) questionIDs() []ids.ID {
	var all []ids.ID
	for item := range v.items() {
		if item.QuestionID != ids.None {
			all = append(all, item.QuestionID)
		}
	}
	return all
}

func (v EvaluationVersion) passageIDs() []ids.ID {
	var all []ids.ID
	for item := range v.items() {
		if item.PassageID != ids.None {
			all = append(all, item.PassageID)
		}
	}
	return all
}

func (v EvaluationVersion) draws() []Item {
	var all []Item
	for item := range v.items() {
		if item.Draw != nil {
			all = append(all, item)
		}
	}
	return all
}
