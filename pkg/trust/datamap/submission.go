package datamap

// SubmissionColumn gives the column that names the submission, or the session of the same id, which a row
// is about; empty for tables that reach no person that way.
func (t Table) SubmissionColumn() string {
	for _, c := range t.Columns {
		if t.Subject == ofSubmission(c.Name) || t.Subject == ofSession(c.Name) {
			return c.Name
		}
	}
	return ""
}
