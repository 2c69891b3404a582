package assess_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"assess/pkg/kernel/errs"
)

var (
	// spokenSentence matches the sentences in examples/candidate, and translation the sentences in a language file.
	spokenSentence = regexp.MustCompile(`\bt\("((?:[^"\\]|\\.)*)"`)
	translation    = regexp.MustCompile(`(?m)^  ("(?:[^"\\]|\\.)*"): ("(?:[^"\\]|\\.)*"),$`)
	// englishOnly finds words that go to people past t.
	englishOnly = regexp.MustCompile("(?:(?:textContent|ariaLabel|title)(?:: | = )|\\b(?:button|show|tell|warn|saved|clock|doubt|askWho)\\()[\"`][A-Za-z][^\"`]*[\"`]")
	valueName   = regexp.MustCompile(`\{\w+\}`)
	// refusedFor finds the codes that examples/candidate/refused.js has words for.
	refusedFor = regexp.MustCompile(`(?m)^  ([a-z_]+): \S`)
)

// toOthers are the codes of the other rooms: no call of a candidate's page is answered with one.
const toOthers = `precondition_failed range_not_satisfiable stale_update duplicate_name provider_unavailable sign_in_refused sign_in_expired
	step_up_insufficient account_link_needed account_taken lti_launch_refused lti_platform_unavailable duplicate_platform role_protected role_in_use org_unit_in_use
	last_tenant_admin duplicate_email group_is_dynamic group_in_use subject_in_use engagement_in_use requirement_in_use already_enrolled domain_not_allowed
	org_unit_mismatch user_out_of_reach duplicate_slug duplicate_term taxonomy_cycle term_merged external_id_taken question_in_use evaluation_in_use
	passage_in_use question_in_other_passage library_in_use terms_missing pack_conflicts pack_damaged pack_too_new pack_untrusted nothing_to_publish
	publish_blocked version_immutable asset_in_use too_many_events no_time_limit review_not_required already_decided not_decided four_eyes_required
	scores_pending submission_voided evidence_voided raiser_required dispute_open remediation_not_draft remediation_not_applied remediation_under_way
	duplicate_assignment import_invalid hold_active dsar_cooldown artifact_expired hold_exists hold_not_placed erasing_under_way wrong_request_state
	request_extended request_overdue request_open request_waiting request_required not_sequenced url_not_allowed webhook_disabled`

// The candidate's page has words of its own for every code with which its calls are refused; the test below finds them in all languages.
func TestTheCandidatesPageHasWordsForEachCode(t *testing.T) {
	t.Parallel()
	worded := map[string]bool{}
	for _, m := range refusedFor.FindAllStringSubmatch(read(t, "examples/candidate/refused.js"), -1) {
		worded[m[1]] = true
	}
	others := strings.Fields(toOthers)
	known := map[string]bool{}
	for _, e := range errs.Catalogue {
		code := string(e.Code)
		known[code] = true
		if worded[code] == slices.Contains(others, code) {
			t.Errorf("%s: say in refused.js what it means for a candidate, or in toOthers that none gets it", code)
		}
	}
	for code := range worded {
		if !known[code] {
			t.Errorf("refused.js has words for %s, and there is no such code", code)
		}
	}
	for _, code := range others {
		if !known[code] {
			t.Errorf("toOthers has %s, and there is no such code", code)
		}
	}
}

// The candidate's page says each sentence in every language that it speaks, with the same values in it.
func TestTheCandidatesPageIsTranslated(t *testing.T) {
	t.Parallel()
	sentences := map[string]bool{}
	scripts, err := filepath.Glob("examples/candidate/*.js")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range scripts {
		text := read(t, file)
		for _, m := range spokenSentence.FindAllStringSubmatch(text, -1) {
			sentences[m[1]] = true
		}
		for _, m := range englishOnly.FindAllString(text, -1) {
			t.Errorf("%s: %s is said in English alone: t(…) says it in all languages", file, m)
		}
	}
	languages, err := filepath.Glob("examples/candidate/languages/*.js")
	if err != nil || len(languages) < 4 {
		t.Fatalf("%d languages: %v", len(languages), err)
	}
	for _, file := range languages {
		translated := map[string]bool{}
		for _, m := range translation.FindAllStringSubmatch(read(t, file), -1) {
			english, words := strings.Trim(m[1], `"`), strings.Trim(m[2], `"`)
			translated[english] = true
			want, got := valueName.FindAllString(english, -1), valueName.FindAllString(words, -1)
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(want, got) || words == "" {
				t.Errorf("%s: %q is %q", file, english, words)
			}
			if !sentences[english] {
				t.Errorf("%s: nobody says %q", file, english)
			}
		}
		for english := range sentences {
			if !translated[english] {
				t.Errorf("%s lacks %q", file, english)
			}
		}
	}
}
