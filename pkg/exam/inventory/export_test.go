package inventory

// The statements whose plans are tested.
const (
	CountQuestionSQL   = countQuestionSQL
	CountAssignedSQL   = countAssignedSQL
	CountEvaluationSQL = countEvaluationSQL
)
