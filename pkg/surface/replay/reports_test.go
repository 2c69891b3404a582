package replay_test

import "strings"

// health is the report of a question (specification, section 4.3), or its row in the list.
type health struct {
	QuestionVersionID string
	Core              struct {
		Attempts, ScoredAttempts, Correct, Omitted int
		FacilityPct, OmitRate                      float64
		MedianTimeMs                               milliseconds
		Timing                                     struct{ P90TimeMs milliseconds }
		Scoring                                    struct{ AvgScorePct float64 }
	}
	Analysis struct{ ChoiceSingle, ChoiceMulti choice }
}

type choice struct {
	Options []struct {
		OptionID string
		N        int
		Pct      float64
	}
	TopPatterns []struct {
		OptionIDs []string
		N         int
	}
}

func (h health) figures() figures {
	c := h.Core
	f := figures{Attempts: c.Attempts, Scored: c.ScoredAttempts, Correct: c.Correct, Omitted: c.Omitted,
		Facility: c.FacilityPct, OmitRate: c.OmitRate, MeanScore: c.Scoring.AvgScorePct,
		Options: map[string]int{}, Shares: map[string]float64{}, Median: c.MedianTimeMs, P90: c.Timing.P90TimeMs}
	for _, analysis := range []choice{h.Analysis.ChoiceSingle, h.Analysis.ChoiceMulti} {
		for _, o := range analysis.Options {
			f.Options[o.OptionID], f.Shares[o.OptionID] = o.N, o.Pct
		}
	}
	for _, p := range h.Analysis.ChoiceMulti.TopPatterns {
		if f.Sets == nil {
			f.Sets = map[string]int{}
		}
		f.Sets[strings.Join(p.OptionIDs, "")] = p.N
	}
	return f
}

// summary is the evaluation summary of attempts and outcomes (specification,
// section 4.1).
type summary struct {
	Attempts struct{ Started, InProgress, Completed, UniqueUsers int }
	Outcomes struct {
		PassN    int     `json:"pass_n"`
		FailN    int     `json:"fail_n"`
		PassRate float64 `json:"pass_rate"`
	}
}

func summaryOf(persons, passed int) summary {
	var s summary
	s.Attempts.Started, s.Attempts.Completed, s.Attempts.UniqueUsers = persons, persons, persons
	s.Outcomes.PassN, s.Outcomes.FailN = passed, persons-passed
	s.Outcomes.PassRate = float64(passed) / float64(persons)
	return s
}
