package skills

import (
	"time"

	"assess/pkg/kernel/ids"
)

// Confidence says how much evidence a figure rests on.
const (
	Low    = "LOW"
	Medium = "MED"
	High   = "HIGH"
)

// The least numbers of item attempts for medium and high confidence.
const (
	mediumFrom = 5
	highFrom   = 20
)

func confidenceOf(evidence int) string {
	switch {
	case evidence < mediumFrom:
		return Low
	case evidence < highFrom:
		return Medium
	}
	return High
}

// Level is a step of a skill's level scheme.
type Level struct {
	Name      string  `json:"name"`
	Threshold float64 `json:"threshold" doc:"The least figure of the level, 0 to 1"`
}

// Figure is what a person can do, by the evidence of an org unit.
type Figure struct {
	SkillID          ids.ID    `json:"skillId"`
	OrgUnitID        ids.ID    `json:"orgUnitId" doc:"Where the evidence comes from"`
	OrgUnitName      string    `json:"orgUnitName"`
	Name             string    `json:"name"`
	Code             *string   `json:"code"`
	FrameworkID      *ids.ID   `json:"frameworkId"`
	Value            float64   `json:"value" doc:"0 to 1"`
	Level            *Level    `json:"level" doc:"The greatest level that the value reaches; null below the first, and where the skill has none"`
	Levels           []Level   `json:"levels" nullable:"false" doc:"All levels of the skill, the lowest first"`
	Confidence       string    `json:"confidence" enum:"LOW,MED,HIGH" doc:"By item attempts: LOW below 5, MED below 20"`
	EvidenceCount    int       `json:"evidenceCount" doc:"Item attempts behind it, once for each rule that matched"`
	SubmissionCount  int       `json:"submissionCount"`
	Trend            *float64  `json:"trend" doc:"What the newest submission is above or below all before it, -1 to 1; null with one"`
	FirstEvidenceAt  time.Time `json:"firstEvidenceAt"`
	LastEvidenceAt   time.Time `json:"lastEvidenceAt"`
	Strategy         string    `json:"strategy" enum:"latest,best,mean,weighted_recent"`
	HalfLifeDays     *float64  `json:"halfLifeDays" doc:"Of weighted_recent"`
	MappingSetID     ids.ID    `json:"mappingSetId"`
	MappingVersionID ids.ID    `json:"mappingVersionId" doc:"The rules that the figure follows"`
}

// complete adds what follows from the columns.
func (f *Figure) complete() {
	if f.Levels == nil {
		f.Levels = []Level{}
	}
	for i := range f.Levels {
		if f.Value >= f.Levels[i].Threshold {
			f.Level = &f.Levels[i]
		}
	}
	f.Confidence = confidenceOf(f.EvidenceCount)
	f.FirstEvidenceAt, f.LastEvidenceAt = f.FirstEvidenceAt.UTC(), f.LastEvidenceAt.UTC()
}
