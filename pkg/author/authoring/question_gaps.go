package authoring

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"assess/pkg/kernel/content"
	"assess/pkg/kernel/scoring"
)

// maxGapOptions bounds the options of all gaps of a question.
const maxGapOptions = 1000

// gaps reads the gaps of a question.
func (p *problems) gaps(in QuestionInput) []Gap {
	options := 0
	for _, g := range in.Gaps {
		options += len(g.Options)
	}
	if len(in.Gaps) > maxOptions || options > maxGapOptions {
		p.add("gaps", "too_many", fmt.Sprintf("at most %d gaps, with %d options in all", maxOptions, maxGapOptions))
		return nil
	}
	var gaps []Gap
	seen := map[string]bool{}
	for i, one := range in.Gaps {
		at := element("", "gaps", i)
		gap := Gap{ID: one.ID, Kind: one.Kind, CorrectOptionIDs: one.CorrectOptionIDs, AcceptedAnswers: one.AcceptedAnswers,
			Value: one.Value, Tolerance: one.Tolerance, Weight: one.Weight}
		if one.ID == "" {
			gap.ID = "g" + strconv.Itoa(i+1)
		}
		p.addIf(!optionID.MatchString(gap.ID), at+".id", "invalid_option_id", "1 to 32 letters, digits, hyphens or underscores")
		p.addIf(seen[gap.ID], at+".id", "duplicate_gap", "another gap has this id")
		seen[gap.ID] = true
		gap.Options = p.choices(at+".options", one.Options)
		gaps = append(gaps, gap)
	}
	return gaps
}

// pool reads the options that go into the gaps of kind pool.
func (p *problems) pool(in QuestionInput) []Prompt {
	if len(in.Pool) > maxOptions {
		p.add("pool", "too_many", "at most 100 options")
		return nil
	}
	return p.choices("pool", in.Pool)
}

// choices reads options that have no mark for the right ones. Options without an id get the letters of their places.
func (p *problems) choices(path string, in []PromptInput) []Prompt {
	var all []Prompt
	seen := map[string]bool{}
	for i, one := range in {
		at, id := fmt.Sprintf("%s[%d]", path, i), one.ID
		if id == "" {
			id = letter(i)
		}
		p.addIf(!optionID.MatchString(id), at+".id", "invalid_option_id", "1 to 32 letters, digits, hyphens or underscores")
		p.addIf(seen[id], at+".id", "duplicate_option", "another option has this id")
		seen[id] = true
		all = append(all, Prompt{id, p.document(at+".content", one.Content)})
	}
	return all
}

// checkGaps checks that each gap has what its kind needs, and that the stem marks only existing gaps, each once per language.
func checkGaps(p *problems, path string, _ *scoring.Type, body QuestionBody) {
	known := map[string]bool{}
	for i, g := range body.Gaps {
		known[g.ID] = true
		body.checkGap(p, fmt.Sprintf("%s[%d]", path, i), g)
	}
	stem := strings.TrimSuffix(path, "gaps") + "stem"
	for _, locale := range slices.Sorted(slices.Values(localesOf(body.Stem))) {
		seen := map[string]bool{}
		for _, place := range body.Stem.Locales[locale].Gaps() {
			p.addIf(!known[place.Ref], stem, "unknown_gap", "the stem in "+locale+" marks a gap that the question does not have")
			p.addIf(known[place.Ref] && seen[place.Ref], stem, "duplicate_gap", "the stem in "+locale+" has the gap "+place.Ref+" twice")
			seen[place.Ref] = true
		}
	}
}

func (b QuestionBody) checkGap(p *problems, path string, g Gap) {
	if !slices.Contains(scoring.GapKinds, g.Kind) {
		p.add(path+".kind", "out_of_range", "expected "+strings.Join(scoring.GapKinds, ", "))
		return
	}
	for _, field := range []struct {
		name         string
		given, takes bool
	}{
		{"options", len(g.Options) > 0, g.Kind == scoring.GapChoice},
		{"correctOptionIds", len(g.CorrectOptionIDs) > 0, scoring.ChosenGap(g.Kind)},
		{"acceptedAnswers", len(g.AcceptedAnswers) > 0, g.Kind == scoring.GapText},
		{"value", g.Value != nil, g.Kind == scoring.GapNumber},
		{"tolerance", g.Tolerance != 0, g.Kind == scoring.GapNumber},
	} {
		p.addIf(field.given && !field.takes, path+"."+field.name, "unsupported", "a gap of kind "+g.Kind+" has none")
	}
	p.addIf(g.Weight < 0 || g.Weight > scoring.MaxGapWeight, path+".weight", "out_of_range", fmt.Sprintf("from 0 to %d; 0 means 1", scoring.MaxGapWeight))
	p.addIf(g.Value != nil && !finite(*g.Value), path+".value", "invalid_number", "expected a finite number")
	p.addIf(!(g.Tolerance >= 0) || !finite(g.Tolerance), path+".tolerance", "out_of_range", "a finite number from 0 on")
	p.accepted(path+".acceptedAnswers", g.AcceptedAnswers, b.Stem.DefaultLocale)
	from := g.Options
	if g.Kind == scoring.GapPool {
		from = b.Pool
	}
	for i, id := range g.CorrectOptionIDs {
		at := fmt.Sprintf("%s.correctOptionIds[%d]", path, i)
		known := slices.ContainsFunc(from, func(o Prompt) bool { return o.ID == id })
		p.addIf(scoring.ChosenGap(g.Kind) && !known, at, "unknown_option", "there is no such option for the gap")
		p.addIf(known && slices.Contains(g.CorrectOptionIDs[:i], id), at, "duplicate_option", "the option is right already")
	}
}

// lacksGaps checks that each gap is in the stem in every language, and has a right answer that can be given.
func lacksGaps(p *problems, path string, t *scoring.Type, body QuestionBody) {
	p.addIf(len(body.Gaps) == 0, path, "required", t.String()+" needs at least one gap")
	alone := map[string]int{}
	for i, g := range body.Gaps {
		at := fmt.Sprintf("%s[%d]", path, i)
		for _, locale := range slices.Sorted(slices.Values(localesOf(body.Stem))) {
			there := slices.ContainsFunc(body.Stem.Locales[locale].Gaps(), func(place content.GapPlace) bool { return place.Ref == g.ID })
			if !there {
				p.add(at, "gap_not_in_stem", "the stem in "+locale+" does not mark the gap "+g.ID)
				break
			}
		}
		p.addIf(g.Kind == scoring.GapChoice && len(g.Options) == 0, at+".options", "required", "a gap to choose for has options")
		key := map[string]string{scoring.GapText: "acceptedAnswers", scoring.GapNumber: "value"}[g.Kind]
		if key == "" {
			key = "correctOptionIds"
		}
		keyed := len(g.CorrectOptionIDs)+len(g.AcceptedAnswers) > 0 || g.Value != nil
		p.addIf(!keyed && body.ContributesToScore, at+"."+key, "required", "a gap has a right answer; a survey item may have none")
		if g.Kind == scoring.GapPool && len(g.CorrectOptionIDs) == 1 && !body.Reuse {
			alone[g.CorrectOptionIDs[0]]++
			p.addIf(alone[g.CorrectOptionIDs[0]] > 1, at+".correctOptionIds", "too_many", "the option is the right one for another gap, and goes into one alone (reuse)")
		}
	}
}

func lacksPool(p *problems, path string, _ *scoring.Type, body QuestionBody) {
	pooled := slices.ContainsFunc(body.Gaps, func(g Gap) bool { return g.Kind == scoring.GapPool })
	p.addIf(pooled && len(body.Pool) == 0, path, "required", "there are gaps that are filled from the pool")
}

func gapKeys(gaps []Gap) []scoring.GapKey {
	var keys []scoring.GapKey
	for _, g := range gaps {
		k := scoring.GapKey{ID: g.ID, Kind: g.Kind, Correct: g.CorrectOptionIDs, Accepted: g.AcceptedAnswers, Value: g.Value, Tolerance: g.Tolerance, Weight: g.Weight}
		for _, o := range g.Options {
			k.Options = append(k.Options, o.ID)
		}
		keys = append(keys, k)
	}
	return keys
}

// gapPieces gives the contents that are chosen for gaps: by "g1=A" the option A of the gap g1, by "A" the option A of the pool.
func gapPieces(gaps []Gap, pool []Prompt) map[string]content.Document {
	all := map[string]content.Document{}
	for _, o := range pool {
		all[o.ID] = o.Content
	}
	for _, g := range gaps {
		for _, o := range g.Options {
			all[g.ID+"="+o.ID] = o.Content
		}
	}
	return all
}

func gapDocuments(gaps []Gap, pool []Prompt) []content.Document {
	var all []content.Document
	for _, o := range pool {
		all = append(all, o.Content)
	}
	for _, g := range gaps {
		for _, o := range g.Options {
			all = append(all, o.Content)
		}
	}
	return all
}

// wordsBeforeGap is the number of characters of a stem that name a gap.
const wordsBeforeGap = 60

// gapNames give each gap the words before it in the default language: "the capital of Italy is ____".
func (q SnapshotQuestion) gapNames() map[string]string {
	names := map[string]string{}
	_, stem := q.Stem.Resolve("")
	for _, place := range stem.Gaps() {
		before := []rune(place.Before)
		name := strings.TrimSpace(string(before[max(0, len(before)-wordsBeforeGap):]) + " " + content.GapText)
		names["gap "+place.Ref] = name
	}
	return names
}

// InGaps puts the contents of gaps in words, one line per gap with its number in the question: "(1) Rome".
func (q SnapshotQuestion) InGaps(gaps map[string]string, say func(content.Document) string) string {
	pieces := gapPieces(q.Gaps, q.Pool)
	var lines []string
	for i, g := range q.Gaps {
		text := strings.TrimSpace(gaps[g.ID])
		if text == "" {
			continue
		}
		for _, id := range []string{g.ID + "=" + text, text} {
			if d, known := pieces[id]; known && scoring.ChosenGap(g.Kind) {
				text = say(d)
				break
			}
		}
		lines = append(lines, fmt.Sprintf("(%d) %s", i+1, text))
	}
	return strings.Join(lines, "\n")
}
