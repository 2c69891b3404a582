package authoring

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"assess/pkg/kernel/wire"
)

// FeedbackPolicy says what a candidate learns about each item if feedback_mode is items,
// and when any feedback is first given.
type FeedbackPolicy struct {
	ShowScore       *bool      `json:"showScore,omitempty" doc:"The score of each item and whether it is right. Default true"`
	ShowCorrect     bool       `json:"showCorrect,omitempty" doc:"Which options are right"`
	ShowExplanation bool       `json:"showExplanation,omitempty" doc:"The explanation of the question"`
	AvailableAfter  *time.Time `json:"availableAfter,omitempty" doc:"No feedback before this time, whatever feedback_mode says"`
}

// ExposurePolicy says how often questions of a draw are shown.
type ExposurePolicy struct {
	AvoidSeen              bool `json:"avoidSeen,omitempty" doc:"Draw what the person has not seen in an earlier attempt, as far as the pool allows"`
	MaxExposurePerQuestion *int `json:"maxExposurePerQuestion,omitempty" minimum:"1" doc:"Draw a question for at most so many sessions, as far as the pool allows"`
}

// Lockdown says what the candidate's client has to prevent. Everything that is not allowed is prevented if
// lockdown is required, and is recorded as an event in any case. Keys of Safe Exam Browser are in
// hexadecimal digits; a stored version has them in small letters.
type Lockdown struct {
	Required            bool `json:"required,omitempty" doc:"Sessions run in a client that can lock the screen"`
	AllowFullscreenExit bool `json:"allowFullscreenExit,omitempty"`
	AllowFocusLoss      bool `json:"allowFocusLoss,omitempty"`
	AllowCopy           bool `json:"allowCopy,omitempty"`
	AllowPaste          bool `json:"allowPaste,omitempty"`

	SEBFile            bool     `json:"sebFile,omitempty" doc:"Sessions run in Safe Exam Browser, opened by the file of their assignment (GET /assignments/{id}/seb) or with one of sebConfigKeys"`
	SEBConfigKeys      []string `json:"sebConfigKeys,omitempty" nullable:"false" maxItems:"50" maxLength:"64" doc:"Sessions run in Safe Exam Browser, with settings that have one of these Config Keys" example:"[\"b5c08a502c68084dec075162a4bcca0dee8ff192dfa043d69db4578f096704e6\"]"`
	SEBBrowserExamKeys []string `json:"sebBrowserExamKeys,omitempty" nullable:"false" maxItems:"50" maxLength:"64" doc:"Sessions run in Safe Exam Browser, in a version that has one of these Browser Exam Keys" example:"[\"ae923d15015716e627e6283037af46e1919aa2855bcd69cbc591433e2b9b7a88\"]"`
}

// NeedsSEB says whether sessions run in Safe Exam Browser.
func (l Lockdown) NeedsSEB() bool {
	return l.SEBFile || len(l.SEBConfigKeys)+len(l.SEBBrowserExamKeys) > 0
}

// withDefaults spells keys in one way, so that equal settings have equal snapshots.
func (l Lockdown) withDefaults() Lockdown {
	for _, keys := range []*[]string{&l.SEBConfigKeys, &l.SEBBrowserExamKeys} {
		*keys = slices.Clone(*keys)
		for i, key := range *keys {
			(*keys)[i] = strings.ToLower(key)
		}
	}
	return l
}

func (l Lockdown) check(path string) problems {
	var p problems
	keys := func(name string, keys []string) {
		p.addIf(len(keys) > maxSEBKeys, member(path, name), "too_many", fmt.Sprintf("at most %d keys", maxSEBKeys))
		for i, key := range keys {
			at := fmt.Sprintf("%s[%d]", member(path, name), i)
			hash, err := hex.DecodeString(key)
			p.addIf(err != nil || len(hash) != sha256.Size, at, "invalid_key", "a key is a SHA-256: 64 hexadecimal digits")
			p.addIf(slices.Contains(keys[:i], key), at, "duplicate_key", "the key is named twice")
		}
	}
	keys("sebConfigKeys", l.SEBConfigKeys)
	keys("sebBrowserExamKeys", l.SEBBrowserExamKeys)
	return p
}

// verificationLevels are the levels of the specification, section 5.7; absent means the first.
var verificationLevels = []string{"", "L1", "L2", "L3", "L4"}

// EvidenceKinds are the kinds of evidence about a submission.
var EvidenceKinds = []string{"screen_recording", "camera_recording", "audio_recording", "screenshot", "photo", "document", "log", "other"}

const (
	maxFeedbackKeys = 50
	maxKey          = 200
	maxSEBKeys      = 50
)

func (s Settings) checkPolicies(path string) problems {
	var p problems
	p.addIf(!slices.Contains(verificationLevels, s.VerificationLevel), member(path, "verificationLevel"), "out_of_range", "expected L1, L2, L3 or L4")
	most := s.ExposurePolicy.MaxExposurePerQuestion
	p.addIf(most != nil && (*most < 1 || *most > math.MaxInt32), member(path, "exposurePolicy.maxExposurePerQuestion"), "out_of_range",
		"a question is shown once at least")
	after := s.FeedbackPolicy.AvailableAfter
	p.addIf(after != nil && wire.CheckMoment(*after) != nil, member(path, "feedbackPolicy.availableAfter"), "out_of_range", wire.ErrOutOfRange.Error())
	p.addIf(len(s.FeedbackTagKeys) > maxFeedbackKeys, member(path, "feedbackTagKeys"), "too_many", "at most 50 facets")
	for i, key := range s.FeedbackTagKeys {
		at := fmt.Sprintf("%s[%d]", member(path, "feedbackTagKeys"), i)
		p.text(at, key, maxKey)
		p.addIf(slices.Contains(s.FeedbackTagKeys[:i], key), at, "duplicate_key", "the facet is named twice")
	}
	for i, kind := range s.RequiredEvidence {
		at := fmt.Sprintf("%s[%d]", member(path, "requiredEvidence"), i)
		p.addIf(!slices.Contains(EvidenceKinds, kind), at, "out_of_range", "there is no such kind of evidence")
		p.addIf(slices.Contains(s.RequiredEvidence[:i], kind), at, "duplicate_key", "the kind is named twice")
	}
	return append(p, s.Lockdown.check(member(path, "lockdown"))...)
}
