package people

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// The longest address and local part (RFC 5321, section 4.5.3.1, less the angle brackets).
const (
	maxEmailBytes = 254
	maxLocalBytes = 64
)

var domains = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(true),
	idna.Transitional(false), idna.VerifyDNSLength(true))

// EmailKey gives the canonical form of an e-mail address, by which users are told apart:
// NFKC and case fold (Unicode Standard, section 3.13) of the whole address and the domain
// as IDNA A-labels (UTS 46). Two spellings of one address have one key, and the key of a
// key is itself. False for text that is no address; quoted local parts and address
// literals are not supported.
func EmailKey(address string) (string, bool) {
	if len(address) > 4*maxEmailBytes || !utf8.ValidString(address) {
		return "", false
	}
	folded := fold(strings.TrimSpace(address))
	at := strings.LastIndexByte(folded, '@')
	if at < 1 || at > maxLocalBytes || !plainLocalPart(folded[:at]) {
		return "", false
	}
	domain, err := domains.ToASCII(folded[at+1:])
	if err != nil || domain == "" || strings.HasSuffix(domain, ".") {
		return "", false
	}
	key := folded[:at] + "@" + domain
	return key, len(key) <= maxEmailBytes
}

// fold normalises again after folding, because folding may leave NFKC. It ends in lower
// case, because folding exchanges the two cases of Cherokee letters instead of joining them.
func fold(s string) string {
	return norm.NFKC.String(strings.ToLower(cases.Fold().String(norm.NFKC.String(s))))
}

// plainLocalPart refuses what would need quotes in a mail header, what separates
// addresses there, and everything that cannot be seen.
func plainLocalPart(local string) bool {
	if strings.HasPrefix(local, ".") || strings.HasSuffix(local, ".") || strings.Contains(local, "..") {
		return false
	}
	return !strings.ContainsFunc(local, func(r rune) bool {
		return strings.ContainsRune(`"(),:;<>@[\]`, r) || unicode.IsSpace(r) || unicode.IsControl(r) ||
			unicode.Is(unicode.Cf, r) || !unicode.IsGraphic(r)
	})
}
