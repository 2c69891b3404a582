package people_test

import (
	"fmt"

	"assess/pkg/people/people"
)

func ExampleEmailKey() {
	for _, address := range []string{"Ada.Lovelace@Example.ORG", "ada@BÜCHER.example", "nobody"} {
		key, ok := people.EmailKey(address)
		fmt.Println(key, ok)
	}
	// Output:
	// ada.lovelace@example.org true
	// ada@xn--bcher-kva.example true
	//  false
}
