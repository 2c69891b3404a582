package db

import "slices"

// TestedMajors are the versions of PostgreSQL that the tests run on, the oldest first, which is the
// oldest that will do.
var TestedMajors = []int{15, 16, 17, 18}

// Tested says whether the tests run on a version of PostgreSQL.
func Tested(major int) bool { return slices.Contains(TestedMajors, major) }
