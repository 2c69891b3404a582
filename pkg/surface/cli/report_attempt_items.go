package cli

import (
	"math"
	"strconv"

	"assess/pkg/kernel/wire"
	"assess/pkg/report/reporting/attempt"
)

// pace draws the time on each item in the order in which the person saw them.
func pace(screen *Screen, items []attempt.Item) string {
	var times []float64
	known := 0
	for _, i := range items {
		ms := math.NaN()
		if i.TimeOnItemMs != nil {
			ms = float64(*i.TimeOnItemMs)
			known++
		}
		times = append(times, ms)
	}
	if known == 0 {
		return none
	}
	return screen.Sparkline(times) + "  time on each item"
}

func outcomeColour(code string) Colour {
	switch code {
	case "pass":
		return Good
	case "fail":
		return Bad
	}
	return Faint
}

func levelColour(level string) Colour {
	return map[string]Colour{"low": Good, "medium": Warning, "high": Bad}[level]
}

// figureColumns are the columns of any part of the items.
func figureColumns[T any](screen *Screen, of func(T) attempt.Figures) []Column[T] {
	return []Column[T]{
		{Header: "Items", Cell: func(t T) string { return strconv.Itoa(of(t).Items) }, Align: Right},
		{Header: "Facility", Cell: func(t T) string { return screen.bar(of(t).FacilityPct) }},
		{Header: "Mean score", Cell: func(t T) string { return percent(of(t).AvgScorePct) }, Align: Right},
		{Header: "Omitted", Cell: func(t T) string { return percent(of(t).OmittedRate) }, Align: Right},
		{Header: "Mean time", Cell: func(t T) string { return duration(of(t).AvgTimeMs) }, Align: Right, Spare: true},
	}
}

func attemptItemColumns(screen *Screen) []Column[attempt.Item] {
	return columns("No., StemText = Question, Answer, , Score, Time",
		Column[attempt.Item]{Header: "No.", Cell: func(i attempt.Item) string { return strconv.Itoa(i.Position + 1) }, Align: Right},
		Column[attempt.Item]{Header: "Answer", Cell: answerOf},
		Column[attempt.Item]{Header: "", Cell: screen.mark, Colour: itemColour},
		Column[attempt.Item]{Header: "Score", Cell: func(i attempt.Item) string { return outOf(&i.Score, &i.MaxScore) }, Align: Right},
		Column[attempt.Item]{Header: "Time", Cell: func(i attempt.Item) string { return duration(i.TimeOnItemMs) }, Align: Right, Spare: true},
	)
}

func answerOf(i attempt.Item) string {
	if i.IsOmitted {
		return none
	}
	return i.DisplayAnswer
}

func (s *Screen) mark(i attempt.Item) string {
	switch {
	case i.IsOmitted:
		return "left out"
	case i.ScoreStatus != "SCORED":
		return wire.Words(i.ScoreStatus)
	case i.IsCorrect:
		return s.tick()
	case i.Score > 0:
		return "part"
	}
	return "wrong"
}

func itemColour(i attempt.Item) Colour {
	switch {
	case i.ScoreStatus != "SCORED":
		return Faint
	case i.IsCorrect:
		return Good
	case i.Score > 0:
		return Warning
	}
	return Bad
}
