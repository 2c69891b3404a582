package taxonomy_test

import (
	"fmt"

	"assess/pkg/author/taxonomy"
)

func ExampleFacetTerm_Slugs() {
	name := taxonomy.FacetTerm{Facet: "Topic", Term: "Medical school admission (biology)"}
	slugs := name.Slugs()
	fmt.Println(slugs.Facet + ":" + slugs.Term)
	// Output: topic:medical-school-admission-biology
}
