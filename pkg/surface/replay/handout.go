package replay

import (
	"context"
	"fmt"
	"slices"

	"assess/pkg/surface/demo"
)

// handOut makes a group of the persons for each value of the column GroupBy, by a rule over their
// metadata, and assigns the evaluation to each, so that reports tell the groups apart. Groups and
// assignments of an earlier replay are found again.
func (r *run) handOut(ctx context.Context) error {
	if r.GroupBy == "" {
		return nil
	}
	column := slices.Index(r.Dataset.GroupColumns, r.GroupBy)
	if column < 0 {
		return fmt.Errorf("the data set has no column %q of groups", r.GroupBy)
	}
	groups, err := listAll[struct{ ID, Name string }](ctx, r.client, "/groups")
	if err != nil {
		return fmt.Errorf("find groups: %w", err)
	}
	known := map[string]string{}
	for _, g := range groups {
		known[g.Name] = g.ID
	}
	given, err := r.assigned(ctx)
	if err != nil {
		return err
	}
	byValue := map[string]string{}
	r.found.assignments = map[string]string{}
	for _, person := range r.Dataset.Persons {
		value := person.Groups[column]
		if byValue[value] == "" {
			byValue[value], err = r.assign(ctx, value, known, given)
		}
		if err != nil {
			return fmt.Errorf("assign the evaluation to %q: %w", value, err)
		}
		r.found.assignments[person.ID] = byValue[value]
	}
	return nil
}

// assigned gives the assignments of this run, by group.
func (r *run) assigned(ctx context.Context) (map[string]string, error) {
	all, err := listAll[struct {
		ID, EvaluationID string
		Group            string `json:"target_ref"`
		Run              string `json:"run_label"`
	}](ctx, r.client, "/assignments")
	if err != nil {
		return nil, fmt.Errorf("find assignments: %w", err)
	}
	given := map[string]string{}
	for _, a := range all {
		if a.EvaluationID == r.found.evaluation && a.Run == r.RunLabel {
			given[a.Group] = a.ID
		}
	}
	return given, nil
}

// assign gives the assignment of the group of a value.
func (r *run) assign(ctx context.Context, value string, groups, given map[string]string) (string, error) {
	group := groups[value]
	if group == "" {
		var made struct{ ID string }
		rule := map[string]any{"all": []map[string]string{{"key": r.GroupBy, "op": "equals", "value": value}}}
		_, err := r.client.post(ctx, "/groups", r.key("group", value), map[string]any{"name": value, "membership_rule": rule}, &made)
		if err != nil {
			return "", err
		}
		group = made.ID
	}
	if given[group] != "" {
		return given[group], nil
	}
	in := map[string]string{"evaluationId": r.found.evaluation, "target_type": "group_id", "target_ref": group}
	if r.RunLabel != "" {
		in["run_label"] = r.RunLabel
	}
	var made struct{ Items []struct{ ID string } }
	_, err := r.client.post(ctx, "/assignments", r.key("assignment", group), in, &made)
	if err != nil {
		return "", err
	}
	return made.Items[0].ID, nil
}

// seat says who takes the session, and what starts it: the assignment of the person, which brings its run along, or only the
// run, on behalf of a proctor.
func (r *run) seat(ctx context.Context, person demo.Person) (*client, map[string]string, error) {
	user, assignment := r.found.users[demo.Email(person.ID)], r.found.assignments[person.ID]
	switch {
	case assignment != "" && r.CandidateToken != nil:
		token, err := r.CandidateToken(ctx, user)
		return r.client.as(token), map[string]string{"assignmentId": assignment}, err
	case assignment != "":
		return r.client, map[string]string{"userId": user, "assignmentId": assignment}, nil
	case r.RunLabel != "":
		return r.client, map[string]string{"userId": user, "run_label": r.RunLabel}, nil
	}
	return r.client, map[string]string{"userId": user}, nil
}
