package bank

// Test is a test: sections with the questions of a bank. Of its Item it uses the id, the name (its title), the place, the losses
// and the problems.
type Test struct {
	Item
	// TimeLimit is for the whole test, in seconds; nil means no limit.
	TimeLimit *int
	// Linear means that nobody can go back; Shuffled, that the questions of a section come in random order.
	Linear, Shuffled bool
	Sections         []TestSection
}

// TestSection is a section with its questions in order.
type TestSection struct {
	Title string
	// TimeLimit is in seconds; nil means no limit.
	TimeLimit *int
	Items     []TestItem
}

// TestItem is a question of a test. Weight replaces the question's own; nil leaves it.
type TestItem struct {
	ID     string
	Weight *float64
}

// Section adds a section, unless it is empty.
func (t *Test) Section(s TestSection) {
	if len(s.Items) > 0 {
		t.Sections = append(t.Sections, s)
	}
}
