package cli

import "assess/pkg/surface/op"

// Commands written by hand find records with these.
var (
	findQuestion, findPassage, findEvaluation = op.FindQuestion, op.FindPassage, op.FindEvaluation
	findAll                                   = op.FindAll
	findUser, findUserID                      = op.FindUser, op.FindUserID
	findGroupID, findRole, findIDP            = op.FindGroup, op.FindRole, op.FindIDP
	evaluationVersion                         = op.FindEvaluationVersion
	recordID, unknown                         = op.RecordID, op.Unknown
)
