// Package plural writes counts in English: "1 line", "3 lines".
package plural

import "fmt"

// Of gives a count and its noun. The plural is the noun with an s, unless it is given.
func Of[N ~int | ~int64](n N, noun string, irregular ...string) string {
	if n == 1 {
		return "1 " + noun
	}
	for _, many := range irregular {
		return fmt.Sprintf("%d %s", n, many)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
