package cli

import "testing"

func TestEvaluationCommands(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must("tenant create northwind --name 'Northwind College'")
	d.must("org create north --name 'North campus' --tenant northwind")
	d.must("import questions commit testdata/import/questions.csv --create-terms --tenant northwind --org north")
	d.must("import evaluations commit testdata/import/evaluations.csv --tenant northwind --org north")
	const scope = " --tenant northwind --org north"
	d.say("evaluation list --search 'geograph'"+scope,
		"evaluation list --search nothing"+scope,
		"evaluation list --terms-any nonsense"+scope,
		"evaluation list --status lost"+scope,
		"evaluation show geo-1"+scope,
		"evaluation show geo-9"+scope,
		"evaluation preview geo-1 --seed 7"+scope,
		"evaluation preview geo-1 --version draft"+scope,
		"evaluation publish geo-1"+scope)
	d.check("evaluation.txt")
}
