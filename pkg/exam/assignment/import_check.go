package assignment

import (
	"strings"

	"assess/models"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

var refusals = map[string]string{
	"archived":      "the evaluation is archived; it takes no new assignments",
	"not_published": "the evaluation has no published version",
}

// check resolves a row. Its slot stays empty unless evaluation and target are known.
func (k importable) check(row ImportRow) ImportCheck {
	c := ImportCheck{row: row}
	row.RunLabel = strings.TrimSpace(row.RunLabel)
	evaluation := k.checkEvaluation(&c)
	target, ok := k.checkTarget(&c)
	if evaluation != ids.None && ok {
		c.slot = Slot{evaluation, row.Type, target, row.RunLabel}
	}
	c.Warnings = k.labels.warnings(row)
	c.Problems = append(c.Problems, errs.Line("run_label", row.RunLabel, maxRunLabel, false)...)
	c.Problems = append(c.Problems, checkWindow(row.ValidFrom, row.ValidUntil)...)
	c.subject = c.link("subject", row.Subject, k.subjects)
	c.engagement = c.link("engagement", row.Engagement, k.engagements)
	return c
}

func (k importable) checkEvaluation(c *ImportCheck) ids.ID {
	if c.row.Evaluation == "" {
		c.add("evaluation", "required", "the cell must not be empty")
		return ids.None
	}
	id, there := k.evaluations.find(c.row.Evaluation)
	if !there {
		c.add("evaluation", "unknown_evaluation", "there is no such evaluation in the org unit")
		return ids.None
	}
	if why, refused := k.refused[id]; refused {
		c.add("evaluation", why, refusals[why])
	}
	return id
}

// checkTarget gives the target of the row's slot.
func (k importable) checkTarget(c *ImportCheck) (string, bool) {
	check, known := map[string]func(*ImportCheck) (string, bool){
		models.TargetUser: k.checkUser, models.TargetEmail: k.checkAddress, models.TargetGroup: k.checkGroup,
	}[c.row.Type]
	switch {
	case c.row.Type == models.TargetPublicLink && c.row.Ref != "":
		c.add("targetRef", "not_allowed", "a public link has no reference")
	case c.row.Type == models.TargetPublicLink:
		return "", true
	case !known:
		c.add("targetType", "invalid_choice", "expected user_id, email, group_id or public_link")
	case c.row.Ref == "":
		c.add("targetRef", "required", "the cell must not be empty")
	default:
		return check(c)
	}
	return "", false
}

func (k importable) checkUser(c *ImportCheck) (string, bool) {
	id, there := k.users.find(userKey(c.row.Target))
	if k.isErased(c, id) {
		return "", false
	}
	if !there || !k.may[id].byID {
		c.add("targetRef", "unknown_user", "there is no such active user in the org unit")
		return "", false
	}
	return k.unlessRestricted(c, id)
}

// isErased adds a problem where the person's data are being erased, or were.
func (k importable) isErased(c *ImportCheck, id ids.ID) bool {
	if k.may[id].erased {
		c.add("targetRef", string(errs.SubjectErased), "the person's data are being erased, or were")
	}
	return k.may[id].erased
}

// unlessRestricted gives the target, unless the person's data must not be used.
func (k importable) unlessRestricted(c *ImportCheck, id ids.ID) (string, bool) {
	if k.may[id].restricted {
		c.add("targetRef", string(errs.ProcessingRestricted), "the processing of the person's data is restricted")
		return "", false
	}
	return id.String(), true
}

func (k importable) checkAddress(c *ImportCheck) (string, bool) {
	key, ok := people.EmailKey(c.row.Ref)
	if !ok {
		c.add("targetRef", "invalid_email", "it is no e-mail address")
		return "", false
	}
	id, there := k.users[key]
	switch {
	case !there:
		return key, true
	case k.isErased(c, id):
		return "", false
	case !k.may[id].byEmail:
		c.add("targetRef", "not_invitable", "the user is deactivated, or has roles and belongs to another org unit")
		return "", false
	}
	return k.unlessRestricted(c, id)
}

func (k importable) checkGroup(c *ImportCheck) (string, bool) {
	id, there := k.groups.find(c.row.Ref)
	if !there {
		c.add("targetRef", "unknown_group", "there is no such group in the org unit")
		return "", false
	}
	return id.String(), true
}

func (c *ImportCheck) link(column, ref string, known named) *ids.ID {
	if ref == "" {
		return nil
	}
	id, there := known.find(ref)
	if !there {
		c.add(column, "unknown_"+column, "there is no such "+column+" in the org unit")
		return nil
	}
	return &id
}
