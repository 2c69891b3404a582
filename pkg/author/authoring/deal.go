package authoring

import (
	"slices"

	"assess/pkg/kernel/ids"
)

// dealer shares questions out among draws, so that no question is in two pools. Then a
// session shows no question twice, whatever it draws from each pool, and a draw whose
// pool has its count can always be filled, independently of the others.
type dealer struct {
	candidates [][]ids.ID
	owner      map[ids.ID]int
	size       []int
	// hopeless draws have found no further question; nor will any draw that can reach only them.
	hopeless []bool
}

// deal gives each draw a pool of its candidates; pools are disjoint. If it is possible
// to meet all counts, they are met, and each remaining question goes to the draw that
// has the fewest for its count. The same input always gives the same pools.
func deal(counts []int, candidates [][]ids.ID) [][]ids.ID {
	d := dealer{candidates: candidates, owner: map[ids.ID]int{}, size: make([]int, len(counts)), hopeless: make([]bool, len(counts))}
	for draw, count := range counts {
		for d.size[draw] < count && d.extend(draw) {
			d.size[draw]++
		}
	}
	for _, free := range d.left() {
		draw := neediest(free.takers, counts, d.size)
		d.owner[free.question] = draw
		d.size[draw]++
	}
	pools := make([][]ids.ID, len(counts))
	for draw, all := range candidates {
		pools[draw] = slices.DeleteFunc(slices.Clone(all), func(q ids.ID) bool { return d.owner[q] != draw })
	}
	return pools
}

// step says that a draw was reached because it owns a question that another could use.
type step struct {
	question ids.ID
	taker    int
}

// extend gives a draw one more question: a free one, or one of another draw that finds
// itself another, and so on (an augmenting path of the bipartite matching). It gives false
// if there is no such way.
func (d *dealer) extend(draw int) bool {
	from := map[int]step{draw: {taker: draw}}
	queue := []int{draw}
	for at := 0; at < len(queue); at++ {
		for _, question := range d.candidates[queue[at]] {
			owner, owned := d.owner[question]
			if !owned {
				d.shift(from, queue[at], question)
				return true
			}
			_, seen := from[owner]
			if !seen && !d.hopeless[owner] {
				from[owner] = step{question, queue[at]}
				queue = append(queue, owner)
			}
		}
	}
	for _, reached := range queue {
		d.hopeless[reached] = true
	}
	return false
}

// shift gives a free question to the draw that was reached last; each draw on the way hands
// one of its own back to the one before.
func (d *dealer) shift(from map[int]step, last int, free ids.ID) {
	for {
		d.owner[free] = last
		back := from[last]
		if back.taker == last {
			return
		}
		free, last = back.question, back.taker
	}
}

// spare is a question that no count needs, with the draws that could show it.
type spare struct {
	question ids.ID
	takers   []int
}

// left gives the questions that no draw owns yet, in the order of the candidates.
func (d *dealer) left() []spare {
	var all []spare
	at := map[ids.ID]int{}
	for draw, questions := range d.candidates {
		for _, question := range questions {
			if _, owned := d.owner[question]; owned {
				continue
			}
			i, seen := at[question]
			if !seen {
				i, at[question] = len(all), len(all)
				all = append(all, spare{question: question})
			}
			all[i].takers = append(all[i].takers, draw)
		}
	}
	return all
}

// neediest gives the draw whose pool is smallest for its count; the first if several are equal.
func neediest(draws, counts, size []int) int {
	return slices.MinFunc(draws, func(a, b int) int { return size[a]*counts[b] - size[b]*counts[a] })
}
