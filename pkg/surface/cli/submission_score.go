package cli

import (
	"assess/pkg/exam/remediation"
)

var markColumns = columns("SubmissionID, Item, ItemStatus, Score, OutcomeLabel = Outcome, ScoreVersion",
	Column[remediation.Marked]{Header: "Item", Cell: func(m remediation.Marked) string { return outOf(&m.ItemScore, &m.ItemMaxScore) }},
	Column[remediation.Marked]{Header: "Score", Cell: func(m remediation.Marked) string { return outOf(&m.Score, &m.MaxScore) }},
)

var versionOfScoresColumns = columns("Number = Version, Reason, Actor = By*, CreatedAt = At (UTC), Score, OutcomeLabel = Outcome",
	Column[remediation.Version]{Header: "Score", Cell: func(v remediation.Version) string { return outOf(&v.Score, &v.MaxScore) }, Align: Right},
)
