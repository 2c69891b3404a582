package plural_test

import (
	"fmt"

	"assess/pkg/kernel/plural"
)

func Example() {
	fmt.Println(plural.Of(0, "line"), plural.Of(1, "line"), plural.Of(int64(3), "line"))
	fmt.Println(plural.Of(1, "person", "people"), plural.Of(2, "person", "people"))
	// Output:
	// 0 lines 1 line 3 lines
	// 1 person 2 people
}
