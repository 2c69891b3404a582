package lti

import (
	"context"
	"crypto/subtle"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"

	"assess/pkg/people/people"
)

// The messages that are taken.
const (
	resourceLink = "LtiResourceLinkRequest"
	deepLinking  = "LtiDeepLinkingRequest"
)

// clockLeeway is how far the clocks of a platform and of the service may be apart, tokenAge how old a token may be.
const (
	clockLeeway = time.Minute
	tokenAge    = FlowLifetime
)

// claims are what a platform says about a launch (LTI Core 1.3, section 5).
type claims struct {
	Subject    string   `json:"sub"`
	Name       string   `json:"name"`
	GivenName  string   `json:"given_name"`
	FamilyName string   `json:"family_name"`
	AZP        *string  `json:"azp"`
	Message    string   `json:"https://purl.imsglobal.org/spec/lti/claim/message_type"`
	Version    string   `json:"https://purl.imsglobal.org/spec/lti/claim/version"`
	Deployment string   `json:"https://purl.imsglobal.org/spec/lti/claim/deployment_id"`
	Target     string   `json:"https://purl.imsglobal.org/spec/lti/claim/target_link_uri"`
	Roles      []string `json:"https://purl.imsglobal.org/spec/lti/claim/roles"`
	Link       struct {
		ID    string `json:"id"`
		Title string `json:"title"`
	} `json:"https://purl.imsglobal.org/spec/lti/claim/resource_link"`
	Context struct {
		ID    string `json:"id"`
		Label string `json:"label"`
		Title string `json:"title"`
	} `json:"https://purl.imsglobal.org/spec/lti/claim/context"`
	Deep   *deepSettings  `json:"https://purl.imsglobal.org/spec/lti-dl/claim/deep_linking_settings"`
	Custom map[string]any `json:"https://purl.imsglobal.org/spec/lti/claim/custom"`
	Roster struct {
		URL      string   `json:"context_memberships_url"`
		Versions []string `json:"service_versions"`
	} `json:"https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice"`
	Grades struct {
		Scope    []string `json:"scope"`
		LineItem string   `json:"lineitem"`
	} `json:"https://purl.imsglobal.org/spec/lti-ags/claim/endpoint"`
}

// watched is a set of keys that remembers that it could not be read: that is no fault of the token.
type watched struct {
	oidc.KeySet
	away bool
}

func (w *watched) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	// The key is named (1EdTech Security Framework, section 6.3): without a name any of the platform's keys would do.
	signed, err := jose.ParseSignedCompact(token, []jose.SignatureAlgorithm{jose.RS256})
	if err != nil || signed.Signatures[0].Header.KeyID == "" {
		return nil, errors.New("the token does not name its key")
	}
	payload, err := w.KeySet.VerifySignature(ctx, token)
	w.away = err != nil && strings.HasPrefix(err.Error(), "fetching keys")
	return payload, err
}

// verify checks the token of a launch (1EdTech Security Framework, section 5.1.3) and reads it. Errors: lti_launch_refused,
// lti_platform_unavailable.
func (d *Desk) verify(ctx context.Context, f flow, raw string) (claims, error) {
	var c claims
	keys := &watched{KeySet: d.keysOf(ctx, f.row)}
	v := oidc.NewVerifier(f.row.Issuer, keys, &oidc.Config{ClientID: f.row.ClientID, SupportedSigningAlgs: []string{oidc.RS256}})
	token, err := v.Verify(oidc.ClientContext(ctx, d.client), raw)
	if keys.away {
		return c, unavailable("its keys cannot be read")
	}
	if err != nil {
		return c, refused(faultOf(err), "The learning platform's token does not hold. Whoever runs the platform compares its settings with those here.")
	}
	if token.Claims(&c) != nil {
		return c, refused(wrongMessage, "The learning platform's token is not of the form that LTI 1.3 has.")
	}
	return c, d.check(f, token, c)
}

// faultOf says what the verifier found; it has types for little of it.
func faultOf(err error) string {
	_, late := errors.AsType[*oidc.TokenExpiredError](err)
	switch {
	case late:
		return expiredToken
	case strings.Contains(err.Error(), "audience"):
		return wrongAudience
	case strings.Contains(err.Error(), "issued by a different provider"):
		return wrongIssuer
	}
	return wrongSignature
}

// check looks at what go-oidc leaves to its caller.
func (d *Desk) check(f flow, token *oidc.IDToken, c claims) error {
	age := time.Since(token.IssuedAt)
	switch {
	case c.AZP != nil && *c.AZP != f.row.ClientID, c.AZP == nil && len(token.Audience) != 1:
		return refused(wrongAudience, "The learning platform's token was made for somebody else.")
	case subtle.ConstantTimeCompare(hashOf(token.Nonce), f.nonce) != 1:
		return refused(wrongNonce, "The learning platform's token belongs to another launch.")
	case age > tokenAge || age < -clockLeeway:
		return refused(expiredToken, "The learning platform's token is too old, or its clock is wrong.")
	case c.Version != "1.3.0":
		return refused(wrongVersion, "The learning platform speaks another version than LTI 1.3.")
	case c.Roles == nil: // none is an empty list
		return refused(wrongMessage, "The learning platform does not say what you are in its course.")
	case c.Message != resourceLink && c.Message != deepLinking:
		return refused(wrongMessage, "The learning platform asks for something that this service does not do.")
	case !strings.HasPrefix(c.Target, d.base+"/"):
		return refused(wrongTarget, "The activity leads to another service: its address must begin with %s/.", d.base)
	case c.Subject == "" || len(c.Subject) > people.MaxSubject:
		return refused(nobody, "The learning platform does not say who you are, and an exam needs to know.")
	case c.Deployment == "" || len(c.Deployment) > maxID:
		return refused(unknownDeployment, "The learning platform does not say which deployment this is.")
	}
	if c.Message == deepLinking {
		return c.Deep.check()
	}
	return c.checkLink()
}

// maxID is the length of the longest id of a platform (LTI Core 1.3, section 5.3), in bytes.
const maxID = 255

// checkLink looks at what a link must have.
func (c claims) checkLink() error {
	for _, id := range []string{c.Link.ID, c.Context.ID} {
		if id == "" || len(id) > maxID {
			return refused(noLink, "The learning platform does not say of which activity in which course this launch is.")
		}
	}
	return nil
}

const (
	inCourse  = "http://purl.imsglobal.org/vocab/lis/v2/membership#"
	anyCourse = "http://purl.imsglobal.org/vocab/lis/v2/membership/"
	testUser  = "http://purl.imsglobal.org/vocab/lti/system/person#TestUser"
)

// courseRoles are the roles of somebody in the course, in short: Learner, Instructor. A sub-role
// (membership/Instructor#TeachingAssistant) counts for its name and not for the role that it is of.
func courseRoles(all []string) []string {
	var short []string
	for _, role := range all {
		name, in := strings.CutPrefix(role, inCourse)
		if sub, within := strings.CutPrefix(role, anyCourse); within {
			_, name, in = strings.Cut(sub, "#")
		}
		if in || !strings.Contains(role, ":") {
			short = append(short, strings.TrimSpace(name))
		}
	}
	return short
}

func learns(roles []string) bool { return slices.Contains(courseRoles(roles), "Learner") }

func teaches(roles []string) bool { return slices.Contains(courseRoles(roles), "Instructor") }

func isTest(roles []string) bool { return slices.Contains(roles, testUser) }

// name is the person's name; a name that cannot be stored counts as none.
func (c claims) name() string {
	name := c.Name
	if strings.TrimSpace(name) == "" {
		name = c.GivenName + " " + c.FamilyName
	}
	return line(name, 200)
}

// line makes of a text of a platform one that can be stored: a line of so many characters at most.
func line(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most])
	}
	return strings.TrimSpace(text)
}

// evaluation is the evaluation that the link hands out, according to its custom parameter or its address.
func (c claims) evaluation() string {
	text, _ := c.Custom["evaluation"].(string)
	if to, err := url.Parse(c.Target); text == "" && err == nil {
		text = to.Query().Get("evaluation")
	}
	return strings.TrimSpace(text)
}
