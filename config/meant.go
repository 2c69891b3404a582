package config

import (
	"slices"
	"strings"
)

// meant gives the hint for a misspelled key: the key with the nearest spelling, if one is near.
func meant(key string) string {
	return Meant(key, slices.DeleteFunc(Keys(), func(k string) bool { return strings.HasPrefix(key, k+".") })) // which has no sections
}

// Meant gives the hint for a misspelled name: the one of some names with the nearest spelling; empty if none is near.
func Meant(name string, names []string) string {
	nearest, least := "", min(4, len(name)/3+1) // a guess that changes more than a third is none
	for _, n := range names {
		if d := distance(name, n); d < least {
			nearest, least = n, d
		}
	}
	if nearest == "" {
		return ""
	}
	return "; did you mean " + nearest + "?"
}

// distance is the number of letters to insert, delete or change to turn one name into another, ignoring case.
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
