package config

import "strings"

// meant gives the hint for a misspelled key: the key whose spelling is nearest, where one is near.
func meant(key string) string {
	nearest, least := "", 4
	for _, k := range Keys() {
		if d := distance(key, k); d < least && !strings.HasPrefix(key, k+".") { // which has no sections
			nearest, least = k, d
		}
	}
	if nearest == "" {
		return ""
	}
	return "; did you mean " + nearest + "?"
}

// distance is how many letters must be put in, taken out or changed to make one name of another, whatever their case.
func distance(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := before
			if a[i] != b[j] {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
