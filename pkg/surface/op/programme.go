package op

import (
	"assess/pkg/exam/programme"
	"assess/pkg/kernel/capability"
)

// Programmes are the operations on subjects, engagements and programme requirements that are not by hand.
func Programmes() []Line {
	manages := needs(capability.SubjectsManage)
	return []Line{
		write("DELETE /subjects/{id}", "deleteSubject", "subject delete SUBJECT", manages, "Delete a subject that nothing is about", gone(programme.DeleteSubject)).asks("Delete the subject %[1]s?"),
		write("DELETE /engagements/{id}", "deleteEngagement", "engagement delete ENGAGEMENT", manages, "Delete an engagement that nothing was assigned for", gone(programme.DeleteEngagement)).asks("Delete the engagement %[1]s?"),
		write("DELETE /programme-requirements/{id}", "deleteRequirement", "requirement delete REQUIREMENT", manages, "Delete a programme requirement that nobody has worked on", gone(programme.DeleteRequirement)).asks("Delete the programme requirement %[1]s?"),
	}
}
