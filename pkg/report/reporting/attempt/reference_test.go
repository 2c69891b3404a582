package attempt

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assess/pkg/exam/remediation"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// raw is what the database has of an attempt, as plain JSON.
type raw struct {
	submission map[string]any
	items      []map[string]any
	snapshot   map[string]any
}

func (r *room) raw(id ids.ID) raw {
	r.Helper()
	var submission, items, snapshot []byte
	r.write(func(tx *db.Tx) error {
		return tx.QueryRow(r.Context(), `
			select to_jsonb(s) || coalesce((select to_jsonb(n) from score_versions n where n.tenant_id = $1 and n.submission_id = s.id order by n.number desc limit 1), '{}'),
				(select jsonb_agg(to_jsonb(i) || coalesce((select to_jsonb(n) from item_scores n where n.tenant_id = $1 and n.submission_id = s.id
					and n.submission_item_id = i.id order by n.number desc limit 1), '{}') order by i.position)
				from submission_items i where i.tenant_id = $1 and i.submission_id = s.id), v.content
			from submissions s join version_snapshots v on v.tenant_id = s.tenant_id and v.hash = s.snapshot_hash where s.tenant_id = $1 and s.id = $2`, tx.Tenant(), id).
			Scan(&submission, &items, &snapshot)
	})
	var out raw
	for into, from := range map[any][]byte{&out.submission: submission, &out.items: items, &out.snapshot: snapshot} {
		if err := json.Unmarshal(from, into); err != nil {
			r.Fatal(err)
		}
	}
	return out
}

// sums counts the items of one part in the slowest, plainest way.
type sums struct {
	items, answered, omitted, scored, correct int
	score, max                                float64
	scores, shares, times                     []float64
	total                                     float64
}

func (s *sums) add(item map[string]any, contributes bool) {
	s.items++
	omitted := item["is_omitted"].(bool)
	if omitted {
		s.omitted++
	}
	if !omitted {
		s.answered++
	}
	score, most := item["score"].(float64), item["max_score"].(float64)
	if item["score_status"] == "SCORED" && !omitted {
		s.scored++
		s.scores = append(s.scores, score)
		if most != 0 {
			s.shares = append(s.shares, score/most)
		}
		if item["is_correct"].(bool) {
			s.correct++
		}
	}
	if contributes {
		s.score += score
		s.max += most
	}
	if ms, known := item["time_spent_ms"].(float64); known {
		s.total += ms
		if !omitted {
			s.times = append(s.times, ms)
		}
	}
}

func (s *sums) figures() Figures {
	return Figures{Items: s.items, Answered: s.answered, Omitted: s.omitted, Scored: s.scored, Correct: s.correct,
		FacilityPct: part(s.correct, s.scored), OmittedRate: part(s.omitted, s.items), Score: math.Max(s.score, 0), MaxScore: s.max,
		AvgScore: mean(s.scores), AvgScorePct: floored(mean(s.shares)), TotalTimeMs: int64(s.total), AvgTimeMs: inWhole(mean(s.times))}
}

func floored(x *float64) *float64 {
	if x != nil && *x < 0 {
		return new(float64)
	}
	return x
}

func inWhole(ms *float64) *int64 {
	if ms == nil {
		return nil
	}
	n := int64(math.Floor(*ms + 0.5))
	return &n
}

func part(a, b int) *float64 {
	if b == 0 {
		return nil
	}
	x := float64(a) / float64(b)
	return &x
}

func mean(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	sum /= float64(len(values))
	return &sum
}

// expected sums up the parts by the snapshot's words.
func (w raw) expected() (sections []SectionAggregate, tags []TagAggregate, keys []TagKeySummary) {
	byTag, byKey := map[string]*sums{}, map[string]*sums{}
	add := func(m map[string]*sums, key string, item map[string]any, contributes bool) {
		if m[key] == nil {
			m[key] = &sums{}
		}
		m[key].add(item, contributes)
	}
	for i, section := range list(w.snapshot["sections"]) {
		sum := &sums{}
		for _, place := range list(section["items"]) {
			for _, item := range w.items {
				if item["item_id"] != place["itemId"] {
					continue
				}
				contributes := place["key"].(map[string]any)["contributesToScore"].(bool)
				sum.add(item, contributes)
				question := w.snapshot["questions"].(map[string]any)[place["questionVersionId"].(string)].(map[string]any)
				for facet, terms := range question["structuredTags"].(map[string]any) {
					add(byKey, facet, item, contributes)
					for _, term := range terms.([]any) {
						add(byTag, facet+":"+term.(string), item, contributes)
					}
				}
			}
		}
		sections = append(sections, SectionAggregate{Title: section["title"].(string), Position: i, Figures: sum.figures()})
	}
	for tag, sum := range byTag {
		facet, term, _ := strings.Cut(tag, ":")
		tags = append(tags, TagAggregate{Tag: tag, Facet: facet, Term: term, Figures: sum.figures()})
	}
	sort.Slice(tags, func(i, j int) bool { return tags[i].Tag < tags[j].Tag })
	for facet, sum := range byKey {
		keys = append(keys, TagKeySummary{Facet: facet, Feedback: facet == "topic", Figures: sum.figures()})
	}
	sort.Slice(keys, func(i, j int) bool { return keys[i].Facet < keys[j].Facet })
	return sections, tags, keys
}

func list(v any) []map[string]any {
	var out []map[string]any
	for _, x := range v.([]any) {
		out = append(out, x.(map[string]any))
	}
	return out
}

// Every figure is computed once by the report, and once only from the records and the snapshot:
// after people scored, and after remediations were applied and taken back.
func TestFiguresAgreeWithAPlainRecomputation(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	chance := rand.New(rand.NewPCG(20, 26))
	var all []ids.ID
	for range 12 {
		id, _ := r.take(func(_ int, item session.Item) (string, int64) {
			if chance.IntN(4) == 0 {
				return "", 0
			}
			return answered(item, chance.IntN(2) == 0), chance.Int64N(9000)
		})
		all = append(all, id)
	}
	r.checkAll(all)
	for _, id := range all[:6] {
		r.markEssay(id)
	}
	var applied []ids.ID
	for _, rule := range []string{remediation.RuleExempt, remediation.RuleFullCredit, remediation.RuleAdjust, remediation.RuleExempt} {
		applied = append(applied, r.remediate(chance, rule))
	}
	r.checkAll(all)
	for _, id := range applied[:2] {
		r.through(id, remediation.Revert)
	}
	r.checkAll(all)
}

func (r *room) checkAll(all []ids.ID) {
	r.Helper()
	for _, id := range all {
		got, stored := r.get(id, ""), r.raw(id)
		sections, tags, keys := stored.expected()
		ignore := cmp.Options{cmpopts.IgnoreFields(SectionAggregate{}, "SectionID"), cmpopts.IgnoreFields(TagAggregate{}, "Label"),
			cmpopts.IgnoreFields(TagKeySummary{}, "Label", "Tags", "Strongest", "Weakest"), cmpopts.EquateApprox(0, 1e-9)}
		for name, pair := range map[string][2]any{"sections": {sections, got.SectionAggregates}, "tags": {tags, got.TagAggregates}, "tag keys": {keys, got.TagKeySummaries}} {
			if diff := cmp.Diff(pair[0], pair[1], ignore); diff != "" {
				r.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
		r.checkHead(got, stored)
	}
}

// checkHead recomputes summary, timing and metrics.
func (r *room) checkHead(got Report, w raw) {
	r.Helper()
	all := &sums{}
	var rapid int
	for _, item := range w.items {
		all.add(item, false)
	}
	for _, ms := range all.times {
		if ms < 2000 {
			rapid++
		}
	}
	slices.Sort(all.times)
	share := w.submission["score"].(float64) / w.submission["max_score"].(float64)
	duration := got.Timing.EndedAt.Sub(got.Timing.StartedAt).Milliseconds()
	idle := int64(math.Max(float64(duration)-all.total, 0))
	pendingItems := 0
	for _, item := range w.items {
		if item["score_status"] == "PENDING" {
			pendingItems++
		}
	}
	want := Summary{DurationMs: &duration, TotalItems: len(w.items), AnsweredItems: all.answered, OmittedItems: all.omitted,
		PendingItems: pendingItems, Score: w.submission["score"].(float64), MaxScore: w.submission["max_score"].(float64), ScorePct: &share,
		OutcomeCode: w.submission["outcome_code"].(string), OutcomeLabel: w.submission["outcome_label"].(string), AttemptStatus: "completed",
		CompletionMethod: w.submission["completion_method"].(string), LatestScoreVersion: int(w.submission["score_version"].(float64))}
	if diff := cmp.Diff(want, got.Summary); diff != "" {
		r.Errorf("summary (-want +got):\n%s", diff)
	}
	if t := got.Timing; t.TotalTimeOnItemsMs != int64(all.total) || *t.IdleEstimateMs != idle || t.TimedItems != len(all.times) {
		r.Errorf("timing %+v; want %v ms on items, %d ms idle", t, all.total, idle)
	}
	m := got.Integrity.Metrics
	if n := len(all.times); n > 0 {
		middle := (all.times[(n-1)/2] + all.times[n/2]) / 2
		if *m.MedianTimeMs != *inWhole(&middle) || *m.FastestTimeMs != int64(all.times[0]) || m.RapidAnswers != rapid || *m.RapidAnswerRate != float64(rapid)/float64(n) {
			r.Errorf("metrics %+v of times %v", m, all.times)
		}
	}
}
