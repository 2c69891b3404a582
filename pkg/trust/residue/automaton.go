package residue

// automaton finds many texts in one pass over the bytes. It is the automaton of Aho and Corasick ("Efficient
// string matching", 1975), as a table of states. Bytes that are in no text share a column of the table.
type automaton struct {
	class [256]uint16
	width int
	next  []int32
	// ends lists by state which texts end there, the longest first.
	ends [][]int32
	any  []bool
}

func newAutomaton(texts []string) *automaton {
	a := &automaton{width: 1}
	for _, text := range texts {
		for _, b := range []byte(text) {
			if a.class[b] == 0 {
				a.class[b] = uint16(a.width)
				a.width++
			}
		}
	}
	a.grow()
	for n, text := range texts {
		a.insert(text, int32(n))
	}
	a.link()
	return a
}

func (a *automaton) grow() int32 {
	state := len(a.ends)
	a.next = append(a.next, make([]int32, a.width)...)
	a.ends = append(a.ends, nil)
	return int32(state)
}

func (a *automaton) insert(text string, number int32) {
	state := int32(0)
	for _, b := range []byte(text) {
		at := int(state)*a.width + int(a.class[b])
		if a.next[at] == 0 {
			made := a.grow()
			a.next[at] = made
		}
		state = a.next[at]
	}
	a.ends[state] = append(a.ends[state], number)
}

// link leads each state, where no text goes on, to the state of the longest end of the bytes read
// that begins a text. States are visited breadth first, so that shorter ones are complete.
func (a *automaton) link() {
	failure := make([]int32, len(a.ends))
	queue := []int32{0}
	for head := 0; head < len(queue); head++ {
		state := queue[head]
		for class := 1; class < a.width; class++ {
			at := int(state)*a.width + class
			child, otherwise := a.next[at], a.next[int(failure[state])*a.width+class]
			if child == 0 {
				a.next[at] = otherwise
				continue
			}
			if state != 0 {
				failure[child] = otherwise
			}
			a.ends[child] = append(a.ends[child], a.ends[failure[child]]...)
			queue = append(queue, child)
		}
	}
	a.any = make([]bool, len(a.ends))
	for state, ends := range a.ends {
		a.any[state] = len(ends) > 0
	}
}

// find calls found with the number of each text that it meets, and where it ends.
func (a *automaton) find(data []byte, found func(text int32, end int)) {
	state, width := int32(0), int32(a.width)
	for i, b := range data {
		state = a.next[state*width+int32(a.class[b])]
		if a.any[state] {
			for _, text := range a.ends[state] {
				found(text, i+1)
			}
		}
	}
}
