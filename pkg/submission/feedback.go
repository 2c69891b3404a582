package submission

// What feedback_mode lets a candidate know (specification, section 2.3). An unknown mode
// lets them know nothing.

// ShowsScore says whether a candidate learns score and outcome.
func ShowsScore(feedbackMode string) bool {
	return feedbackMode == "overall" || feedbackMode == "tags" || feedbackMode == "items"
}

// ShowsItems says whether a candidate learns the score of each item.
func ShowsItems(feedbackMode string) bool { return feedbackMode == "items" }
