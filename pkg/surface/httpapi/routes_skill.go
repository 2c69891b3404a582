package httpapi

import (
	"slices"

	"assess/pkg/kernel/capability"
)

func skillRoutes() []route {
	manages := needs(capability.SkillsManage)
	return slices.Concat([]route{
		get("/skill-frameworks", "listSkillFrameworks", skillReaders, "List frameworks of skills", listSkillFrameworks),
		write(post, "/skill-frameworks", "createSkillFramework", created, manages, "Create a framework of skills", createSkillFramework),
		get("/skill-frameworks/{id}", "getSkillFramework", skillReaders, "Read a framework", getSkillFramework),
		write(patch, "/skill-frameworks/{id}", "updateSkillFramework", ok, manages, "Change a framework, or retire it", updateSkillFramework),
		get("/skills", "listSkills", skillReaders, "List skills", listSkills),
		write(post, "/skills", "createSkill", created, manages, "Create a skill, as a draft", createSkill),
		get("/skills/{id}", "getSkill", skillReaders, "Read a skill with its draft", getSkill),
		write(patch, "/skills/{id}", "updateSkill", ok, needs(capability.SkillsManage, capability.SkillsTaxonomy), "Change the draft of a skill, where it stands and its tags, or retire it", updateSkill),
		tried(write(post, "/skills/{id}/publish", "publishSkill", ok, manages, "Publish the draft of a skill; it never changes again", publishSkill)),
		get("/skills/{id}/versions", "listSkillVersions", skillReaders, "List the versions of a skill, newest first", listSkillVersions),
	}, mappingRoutes("/taxonomy/skill-mapping-sets", ""), mappingRoutes("/skill-mapping-sets", "Alias"))
}

// skillReaders may read skills: everybody who works with them.
var skillReaders = needs(capability.SkillsRead, capability.SkillsManage, capability.SkillsMapping, capability.SkillsTaxonomy)

// mappingRoutes are the routes of mapping sets, which the specification (section 4.12) also names without the
// taxonomy before them.
func mappingRoutes(at, suffix string) []route {
	manages := needs(capability.SkillsMapping)
	routes := []route{
		get(at, "listMappingSets", skillReaders, "List mapping sets", listMappingSets),
		write(post, at, "createMappingSet", created, manages, "Create a mapping set", createMappingSet),
		get(at+"/{id}", "getMappingSet", skillReaders, "Read a mapping set", getMappingSet),
		write(patch, at+"/{id}", "updateMappingSet", ok, manages, "Change a mapping set, or retire it", updateMappingSet),
		get(at+"/{id}/versions", "listMappingVersions", skillReaders, "List the versions of a mapping set, newest first", listMappingVersions),
		write(post, at+"/{id}/versions", "draftMapping", created, manages, "Begin the next version of a mapping set", draftMapping),
		get(at+"/{id}/versions/{versionId}", "getMappingVersion", skillReaders, "Read a version with its rules", getMappingVersion),
		write(put, at+"/{id}/versions/{versionId}", "setMappingRules", ok, manages, "Replace the rules of a draft", setMappingRules),
		write(remove, at+"/{id}/versions/{versionId}", "dropMappingDraft", gone, manages, "Remove a draft with its rules", dropMappingDraft),
		save(at+"/{id}/versions/{versionId}/validate", "validateMapping", skillReaders, "List all that is wrong with the rules of a version", validateMapping),
		tried(write(post, at+"/{id}/versions/{versionId}/publish", "publishMapping", ok, manages, "Publish a draft; figures follow it from the next recalculation on", publishMapping)),
	}
	for i := range routes {
		routes[i].ID += suffix
	}
	return routes
}
