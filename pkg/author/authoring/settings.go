package authoring

import (
	"math"
	"slices"

	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/scoring"
)

// The values of the settings that choose; the first of each is the default.
var (
	navigations    = []string{"free", "linear"}
	feedbackModes  = []string{"overall", "none", "tags", "items"}
	reviewPolicies = []string{"self_approve", fourEyes}
)

const fourEyes = "four_eyes"

// Settings are the settings of an evaluation version (specification, section 2.3;
// decisions, section 3). A stored version states every choice, defaults included.
type Settings struct {
	TimeLimitSeconds   *int           `json:"timeLimitSeconds,omitempty" minimum:"1" doc:"Time for the whole evaluation, in seconds"`
	Navigation         string         `json:"navigation,omitempty" enum:"linear,free" doc:"Default free"`
	ShuffleItems       bool           `json:"shuffleItems,omitempty"`
	ShuffleOptions     bool           `json:"shuffleOptions,omitempty"`
	FeedbackMode       string         `json:"feedback_mode,omitempty" enum:"none,overall,tags,items" doc:"What a candidate learns after submitting. Default overall"`
	PassMarkPercent    *float64       `json:"pass_mark_percent,omitempty" minimum:"0" maximum:"100"`
	ReviewPolicy       string         `json:"review_policy,omitempty" enum:"self_approve,four_eyes" doc:"Default self_approve"`
	MaxAttemptsPerUser *int           `json:"max_attempts_per_user,omitempty" minimum:"1" doc:"Default: no bound"`
	CooloffSeconds     int            `json:"cooloff_seconds,omitempty" minimum:"0" doc:"Time that must pass between two attempts of one person"`
	ScoringConfig      scoring.Config `json:"scoringConfig,omitzero" doc:"How scores add up to an outcome"`
	FeedbackPolicy     FeedbackPolicy `json:"feedbackPolicy,omitzero" doc:"What feedback_mode items shows of each item"`
	FeedbackTagKeys    []string       `json:"feedbackTagKeys,omitempty" nullable:"false" maxItems:"50" maxLength:"200" doc:"Slugs of facets of the content domain that feedback_mode tags speaks of" example:"[\"topic\"]"`
	ExposurePolicy     ExposurePolicy `json:"exposurePolicy,omitzero" doc:"How draws spare their questions"`
	VerificationLevel  string         `json:"verificationLevel,omitempty" enum:"L1,L2,L3,L4" doc:"How sure the identity of the person must be; absent: the lowest level"`
	RequiredEvidence   []string       `json:"requiredEvidence,omitempty" nullable:"false" maxItems:"8" enum:"screen_recording,camera_recording,audio_recording,screenshot,photo,document,log,other" doc:"Kinds of evidence that a submission needs before its result can be defended"`
	Lockdown           Lockdown       `json:"lockdown,omitzero" doc:"What the candidate's client has to prevent"`
}

func (s Settings) withDefaults() Settings {
	choose := func(value *string, values []string) {
		if *value == "" {
			*value = values[0]
		}
	}
	choose(&s.Navigation, navigations)
	choose(&s.FeedbackMode, feedbackModes)
	choose(&s.ReviewPolicy, reviewPolicies)
	s.Lockdown = s.Lockdown.withDefaults()
	return s
}

// check expects settings with defaults.
func (s Settings) check(path string) []errs.Field {
	var p problems
	oneOf := func(name, value string, values []string) {
		p.addIf(!slices.Contains(values, value), member(path, name), "out_of_range", "there is no such value")
	}
	oneOf("navigation", s.Navigation, navigations)
	oneOf("feedback_mode", s.FeedbackMode, feedbackModes)
	oneOf("review_policy", s.ReviewPolicy, reviewPolicies)
	within := func(name string, value, low, high float64) {
		p.addIf(!(value >= low && value <= high), member(path, name), "out_of_range", "the value is out of range")
	}
	if s.TimeLimitSeconds != nil {
		within("timeLimitSeconds", float64(*s.TimeLimitSeconds), 1, math.MaxInt32)
	}
	if s.MaxAttemptsPerUser != nil {
		within("max_attempts_per_user", float64(*s.MaxAttemptsPerUser), 1, math.MaxInt32)
	}
	if s.PassMarkPercent != nil {
		within("pass_mark_percent", *s.PassMarkPercent, 0, 100)
	}
	p = append(p, s.checkPolicies(path)...)
	within("cooloff_seconds", float64(s.CooloffSeconds), 0, math.MaxInt32)
	return append(p, s.ScoringConfig.Validate(member(path, "scoringConfig"))...)
}

// AsksForFourEyes says whether somebody else has to look at each submission.
func (s Settings) AsksForFourEyes() bool { return s.ReviewPolicy == fourEyes }

// needsPassMark says whether a version cannot be published without a pass mark. Four eyes
// decide on an outcome, and without a pass mark and a default outcome there is none but
// incomplete. Otherwise a pass mark is the author's choice.
func (s Settings) needsPassMark() bool {
	return s.ReviewPolicy == fourEyes && s.PassMarkPercent == nil && s.ScoringConfig.DefaultOutcome == ""
}
