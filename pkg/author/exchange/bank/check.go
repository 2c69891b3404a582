package bank

import (
	"slices"

	"assess/pkg/kernel/scoring"
)

// Check refuses an item whose key names something that the item does not have. Readers need not check this themselves.
func (it *Item) Check() {
	if !it.Usable() {
		return
	}
	if it.Unscored {
		it.Weight = nil
	}
	if len(it.Gaps) == 1 { // part of one is all or nothing
		it.Method, it.Gaps[0].Weight = scoring.Partial, nil
	}
	it.weighGaps()
	it.number()
	options, prompts, pool := it.named("option", it.Options), it.named("prompt", it.Prompts), it.named("word", it.Pool)
	if it.Kind.Type().HasOptions() && len(it.Options) == 0 {
		it.Refuse(Incomplete, "the question has no options")
	}
	if it.Kind.Type().Chooses() && it.Correct() == 0 && !it.Unscored {
		it.Refuse(Incomplete, "no option is right")
	}
	for _, p := range it.Pairs {
		it.refers("prompt", prompts, p[0])
		it.refers("option", options, p[1])
	}
	if it.Kind == Match && (len(it.Prompts) == 0 || len(it.Options) == 0) {
		it.Refuse(Incomplete, "there is nothing to match")
	}
	if it.Kind == Order {
		it.checkOrder(options)
	}
	if it.Kind == Gap {
		it.orderGaps()
	}
	for _, g := range it.Gaps {
		known := pool
		if g.Kind != GapPool {
			known = it.named("option of gap "+g.ID, g.Options)
		}
		for _, right := range g.Right {
			it.refers("option of gap "+g.ID, known, right)
		}
		if it.Unscored {
			continue
		}
		if g.Kind == GapNumber && g.Value == nil || g.Kind == GapChoice && len(g.Right) == 0 || g.Kind == GapTyped && len(g.Accepted) == 0 || g.Kind == GapPool && len(g.Right) == 0 {
			it.Refuse(Incomplete, "gap "+g.ID+" has no right answer")
		}
	}
	if it.Kind == scoring.ShortText && len(it.Accepted) == 0 && !it.Unscored || it.Kind == scoring.Numeric && it.Value == nil && !it.Unscored {
		it.Refuse(Incomplete, "the question has no right answer")
	}
}

// named gives the ids of options; each id must be unique, and each option must have content.
func (it *Item) named(what string, options []Option) map[string]bool {
	ids := map[string]bool{}
	for _, o := range options {
		if o.ID == "" || ids[o.ID] {
			it.Refuse(Incomplete, "two of the same: "+what+" "+o.ID)
		}
		if Plain(o.Content) == "" && !HasImage(o.Content) {
			it.Refuse(Incomplete, "nothing is said by "+what+" "+o.ID)
		}
		ids[o.ID] = true
	}
	return ids
}

func (it *Item) refers(what string, known map[string]bool, id string) {
	if !known[id] {
		it.Refuse(Incomplete, "the key names what is not there: "+what+" "+id)
	}
}

func (it *Item) checkOrder(options map[string]bool) {
	sorted := slices.Clone(it.Order)
	slices.Sort(sorted)
	if len(slices.Compact(sorted)) != len(it.Options) || len(it.Order) != len(it.Options) {
		it.Refuse(Incomplete, "the right order does not name each option once")
		return
	}
	for _, id := range it.Order {
		it.refers("option", options, id)
	}
}

// number gives the parts that have an id only for the key an id by their place: prompts, the words of a pool, the options of
// gaps. If two of them share an id, Check finds it.
func (it *Item) number() {
	prompts := renumber(it.Prompts, func(i int) string { return Numbered("p", i+1) })
	for i, p := range it.Pairs {
		it.Pairs[i][0] = renamed(prompts, p[0])
	}
	pool := renumber(it.Pool, Letter)
	for i := range it.Gaps {
		ids := pool
		if it.Gaps[i].Kind != GapPool {
			ids = renumber(it.Gaps[i].Options, Letter)
		}
		for j, right := range it.Gaps[i].Right {
			it.Gaps[i].Right[j] = renamed(ids, right)
		}
	}
}

// renumber gives options their ids, and says which they had.
func renumber(options []Option, id func(int) string) map[string]string {
	ids := map[string]string{}
	for i := range options {
		if _, twice := ids[options[i].ID]; twice {
			continue
		}
		ids[options[i].ID] = id(i)
		options[i].ID = id(i)
	}
	return ids
}

func renamed(ids map[string]string, id string) string {
	if now, known := ids[id]; known {
		return now
	}
	return id
}
