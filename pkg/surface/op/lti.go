package op

import (
	"assess/pkg/exam/lti"
	"assess/pkg/kernel/capability"
)

// LTI are the operations on learning platforms: what they launch, and the grades that go back.
func LTI() []Line {
	sees, manages := needs(capability.IntegrationsRead, capability.IntegrationsManage), needs(capability.IntegrationsManage)
	watches := needs(capability.IntegrationsRead, capability.IntegrationsManage, capability.AssignmentsMonitor)
	mends := needs(capability.IntegrationsManage, capability.AssignmentsManage)
	return []Line{
		read("GET /lti/platforms", "listPlatforms", "lti platform list", sees, "List the learning platforms that launch exams", lti.ListPlatforms),
		write("POST /lti/platforms", "createPlatform", "lti platform create NAME", manages, "Connect a learning platform by its addresses", lti.CreatePlatform).creates(),
		read("GET /lti/platforms/{id}", "getPlatform", "lti platform show PLATFORM", sees, "Read a learning platform", one(lti.GetPlatform)),
		write("PATCH /lti/platforms/{id}", "updatePlatform", "lti platform update PLATFORM", manages, "Change a learning platform, or keep it from launching anything", ofOne(lti.UpdatePlatform)),
		write("POST /lti/registrations", "createRegistration", "lti platform invite", manages, "Make a link by which a learning platform connects itself, once, within a day", alone(lti.CreateRegistration)).creates().secret(),
		write("POST /lti/keys/rotate", "rotateLTIKey", "lti platform rotate", manages, "Make a new key that the service signs with towards learning platforms, from an hour on", alone(lti.RotateKey)),
		read("GET /lti/deployments", "listDeployments", "lti deployment list", sees, "List where learning platforms have put the service", lti.ListDeployments),
		write("POST /lti/deployments/{id}/allow", "allowDeployment", "lti deployment allow DEPLOYMENT", manages, "Let a deployment hand out exams of an org unit", ofOne(lti.AllowDeployment)),
		write("POST /lti/deployments/{id}/block", "blockDeployment", "lti deployment block DEPLOYMENT", manages, "Keep a deployment from launching anything", one(lti.BlockDeployment)).asks("Keep everybody from launching exams there?"),
		read("GET /lti/contexts", "listCourses", "lti course list", watches, "List the courses that launched exams", lti.ListCourses),
		write("POST /lti/contexts/{id}/sync", "syncCourse", "lti course sync COURSE", mends, "Bring the group of a course in line with the members that its platform tells", one(lti.SyncCourse)).accepted(),
		read("GET /lti/links", "listLinks", "lti link list", watches, "List the activities of courses, and what they hand out", lti.ListLinks),
		write("PATCH /lti/links/{id}", "updateLink", "lti link update LINK", mends, "Say which attempt of an activity counts, and when its grade is sent", ofOne(lti.UpdateLink)),
		read("GET /lti/scores", "listLTIScores", "lti score list", watches, "List grades that went to learning platforms, or are to go", lti.ListScores),
		write("POST /lti/scores/{id}/retry", "retryLTIScore", "lti score retry SCORE", mends, "Send a grade again", one(lti.RetryScore)).accepted(),
	}
}
