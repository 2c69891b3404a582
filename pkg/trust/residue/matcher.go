package residue

import (
	"unicode"
	"unicode/utf8"
)

// match says which identifier was met, by its number, and in which form.
type match struct {
	identifier int
	form       Form
}

// matcher looks for all identifiers in all forms at once. It is for one goroutine.
type matcher struct {
	identifiers []Identifier
	// alike has only the looks of the identifiers; they are among the folded texts, too.
	folded, raw, alike side
	longest            int
	buffer, looked     []byte
	// seen says of each identifier how it was met in the bytes that are searched.
	seen []seeing
}

type seeing struct{ exactly, alike bool }

// side is an automaton with the identifiers that its texts belong to.
type side struct {
	automaton *automaton
	lengths   []int
	matches   []match
}

func newMatcher(identifiers []Identifier) *matcher {
	m := &matcher{identifiers: identifiers, seen: make([]seeing, len(identifiers))}
	var folded, raw, alike []string
	for n, i := range identifiers {
		for _, w := range waysToWrite(i) {
			if !w.folded {
				raw = append(raw, w.text)
				m.raw.add(w.text, match{n, w.form})
				continue
			}
			text := foldText(w.text)
			folded = append(folded, text)
			m.folded.add(text, match{n, w.form})
		}
		for _, text := range waysToLook(i) {
			folded, alike = append(folded, text), append(alike, text)
			m.folded.add(text, match{n, Alike})
			m.alike.add(text, match{n, Alike})
		}
	}
	m.folded.automaton, m.raw.automaton, m.alike.automaton = newAutomaton(folded), newAutomaton(raw), newAutomaton(alike)
	m.longest = max(m.folded.longest(), m.raw.longest())
	// Case does not count in ASCII: so most text need not be folded before.
	for b := byte('A'); b <= 'Z'; b++ {
		m.folded.automaton.class[b] = m.folded.automaton.class[foldASCII[b]]
	}
	return m
}

func (s *side) add(text string, m match) {
	s.lengths, s.matches = append(s.lengths, len(text)), append(s.matches, m)
}

func (s *side) longest() int {
	most := 0
	for _, n := range s.lengths {
		most = max(most, n)
	}
	return most
}

// around says what the search knows of the neighbourhood of the bytes.
type around struct {
	// binary says that there are lengths and codes between texts, so that a neighbour that looks
	// like a letter need not be one.
	binary bool
	// before and after say that the bytes are a part: what they begin or end with may go on.
	before, after bool
	// escaped says that escapes were taken away.
	escaped bool
}

// search calls hit for each match; the same may come more than once. A text that only looks like an identifier
// counts where the identifier itself is not there.
func (m *matcher) search(data []byte, where around, hit func(match)) {
	clear(m.seen)
	m.raw.automaton.find(data, func(text int32, _ int) { m.meet(m.raw.matches[text], hit) })
	folded := data
	if !ascii(data) {
		m.buffer = appendFolded(m.buffer[:0], data)
		folded = m.buffer
	}
	m.folded.automaton.find(folded, func(text int32, end int) {
		found := m.folded.matches[text]
		start := end - m.folded.lengths[text]
		if where.binary && !m.identifiers[found.identifier].word() || found.form == Hex || found.form == UTF16 ||
			alone(folded, start, end, where) {
			m.meet(found, hit)
		}
	})
	m.seeAlike(data, where, func(identifier int) { m.seen[identifier].alike = true })
	for identifier, met := range m.seen {
		if met.alike && !met.exactly {
			hit(match{identifier, Alike})
		}
	}
}

func (m *matcher) meet(found match, hit func(match)) {
	if found.form == Alike {
		m.seen[found.identifier].alike = true
		return
	}
	m.seen[found.identifier].exactly = true
	hit(found)
}

func ascii(data []byte) bool {
	for _, b := range data {
		if b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// alone says whether a match is no part of a longer word: "Ann Lee" is not in "Joann Leeds".
func alone(data []byte, start, end int, where around) bool {
	if start == 0 && where.before || end == len(data) && where.after {
		return false
	}
	first, _ := utf8.DecodeRune(data[start:end])
	before, _ := utf8.DecodeLastRune(data[:start])
	if start > 0 && joins(before, first) && !escapeBefore(data[:start]) {
		return false
	}
	last, _ := utf8.DecodeLastRune(data[start:end])
	after, _ := utf8.DecodeRune(data[end:])
	return end == len(data) || !joins(last, after)
}

// unspaced are scripts that set no spaces between words.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer,
	unicode.Myanmar, unicode.Tibetan}

func joins(a, b rune) bool { return ofWord(a) && ofWord(b) }

func ofWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)) && !unicode.In(r, unspaced...)
}

// escapeBefore says whether an escape ends here, whose letters belong to no word: \n, \u0020, %20, =20.
func escapeBefore(data []byte) bool {
	n := len(data)
	if n >= 2 && data[n-2] == '\\' {
		return true
	}
	if n >= 6 && data[n-6] == '\\' && data[n-5] == 'u' {
		return true
	}
	return n >= 3 && (data[n-3] == '%' || data[n-3] == '=') && hexDigit(data[n-1]) && hexDigit(data[n-2])
}

func hexDigit(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'f' || 'A' <= b && b <= 'F'
}
