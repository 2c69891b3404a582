package inventory

// The statements whose plans are tested.
const (
	CountQuestionSQL   = countQuestionSQL
	CountEvaluationSQL = countEvaluationSQL
)
