package op

import (
	"assess/pkg/exam/programme"
	"assess/pkg/kernel/capability"
)

// Subjects are the operations on subjects: who or what work is about.
func Subjects() []Line {
	manages := needs(capability.SubjectsManage)
	return []Line{
		read("GET /subjects", "listSubjects", "subject list", manages, "List subjects, newest change first", programme.ListSubjects),
		write("POST /subjects", "createSubject", "subject create EXTERNAL-ID", manages, "Create a subject", programme.CreateSubject).creates(),
		read("GET /subjects/{id}", "getSubject", "subject show SUBJECT", manages, "Read a subject", one(programme.GetSubject)),
		write("PATCH /subjects/{id}", "updateSubject", "subject update SUBJECT", manages, "Change a subject", ofOne(programme.UpdateSubject)),
		write("DELETE /subjects/{id}", "deleteSubject", "subject delete SUBJECT", manages, "Delete a subject that nothing is about", gone(programme.DeleteSubject)).asks("Delete the subject %[1]s?"),
	}
}

// Engagements are the operations on engagements.
func Engagements() []Line {
	manages := needs(capability.SubjectsManage)
	return []Line{
		read("GET /engagements", "listEngagements", "engagement list", manages, "List engagements, newest change first", programme.ListEngagements),
		write("POST /engagements", "createEngagement", "engagement create NAME", manages, "Create an engagement", programme.CreateEngagement).creates(),
		read("GET /engagements/{id}", "getEngagement", "engagement show ENGAGEMENT", manages, "Read an engagement", one(programme.GetEngagement)),
		write("PATCH /engagements/{id}", "updateEngagement", "engagement update ENGAGEMENT", manages, "Change an engagement", ofOne(programme.UpdateEngagement)),
		write("DELETE /engagements/{id}", "deleteEngagement", "engagement delete ENGAGEMENT", manages, "Delete an engagement that nothing was assigned for", gone(programme.DeleteEngagement)).asks("Delete the engagement %[1]s?"),
	}
}

// Requirements are the operations on programme requirements.
func Requirements() []Line {
	manages := needs(capability.SubjectsManage)
	return []Line{
		read("GET /programme-requirements", "listRequirements", "requirement list", manages, "List programme requirements, newest change first", programme.ListRequirements),
		write("POST /programme-requirements", "createRequirement", "requirement create PROGRAMME NAME EVALUATION", manages, "Create a programme requirement", programme.CreateRequirement).creates(),
		read("GET /programme-requirements/{id}", "getRequirement", "requirement show REQUIREMENT", manages, "Read a programme requirement", one(programme.GetRequirement)),
		write("PATCH /programme-requirements/{id}", "updateRequirement", "requirement update REQUIREMENT", manages, "Change a programme requirement", ofOne(programme.UpdateRequirement)),
		write("DELETE /programme-requirements/{id}", "deleteRequirement", "requirement delete REQUIREMENT", manages, "Delete a programme requirement that nobody has worked on", gone(programme.DeleteRequirement)).asks("Delete the programme requirement %[1]s?"),
	}
}
