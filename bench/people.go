package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
	"assess/pkg/surface/cli"
	"assess/pkg/surface/intake"
)

// crowd gives a file of users of two cohorts, each at one of 97 sites.
func crowd(n int) []byte {
	var out bytes.Buffer
	out.WriteString("email,name,orgUnits,meta.cohort,meta.site\n")
	for i := range n {
		fmt.Fprintf(&out, "person%06d@example.org,Person Number%06d,main,%d,s%d\n", i, i, 2031+i%2, i%97)
	}
	return out.Bytes()
}

func userCargo(n int) cargo {
	return cargo{crowd(n), intake.CommitUsers, []string{"users", "user_org_units", "ledger_events"}, []string{"ledger_heads", "user_roles", "group_members"}}
}

// measurePeople imports users in every way, searches for some of them, and swaps the members of a
// dynamic group, one half of them for the other.
func measurePeople(ctx context.Context, h *house) ([]result, error) {
	few, err := h.writeCrowd(ctx, "small-crowd", 1000)
	if err != nil {
		return nil, err
	}
	n := h.size.users
	many, err := h.foundCrowd(ctx, "large-crowd")
	if err != nil {
		return nil, err
	}
	rates, err := h.race(ctx, many, userCargo(n), h.size.userRounds, n)
	if err != nil {
		return nil, err
	}
	all := []result{compared(fmt.Sprintf("import of %d users, beside COPY", n), "users/s", rates["import"], rates["hand"], 0)}
	for _, way := range []struct {
		name string
		load func(ctx context.Context, as db.Scope) error
	}{{"HTTP", h.postCrowd}, {"assessctl", h.commandCrowd}} {
		err := h.empty(ctx, many, userCargo(n))
		if err != nil {
			return nil, err
		}
		start := time.Now()
		err = way.load(ctx, many)
		if err != nil {
			return nil, fmt.Errorf("import by %s: %w", way.name, err)
		}
		all = append(all, result{Name: fmt.Sprintf("import of %d users, %s", n, way.name), Unit: "users/s", Value: float64(n) / time.Since(start).Seconds()})
	}
	err = h.calm(ctx)
	if err != nil {
		return nil, err
	}
	found, err := h.findInCrowd(ctx, few, many)
	if err != nil {
		return nil, err
	}
	turned, err := h.turnGroup(ctx, many)
	return append(append(all, found...), turned), err
}

func (h *house) foundCrowd(ctx context.Context, name string) (db.Scope, error) {
	s := &stock{operator: db.Scope{Tenant: ids.New(), All: true, Actor: db.Actor{Kind: db.OperatorActor, Name: "bench"}}}
	err := h.store.Write(ctx, s.operator, func(tx *db.Tx) error { return s.found(ctx, tx, name) })
	return s.operator, err
}

func (h *house) writeCrowd(ctx context.Context, name string, n int) (db.Scope, error) {
	as, err := h.foundCrowd(ctx, name)
	if err != nil {
		return as, err
	}
	return as, h.unload(ctx, as, userCargo(n))
}

// postCrowd imports over HTTP, as a user with the right to.
func (h *house) postCrowd(ctx context.Context, as db.Scope) error {
	server, err := h.startServer(ctx, false)
	if err != nil {
		return err
	}
	defer server.stop()
	e := exam{operator: as}
	var token string
	err = h.store.Write(ctx, as, func(tx *db.Tx) error {
		_, token, err = e.enrol(ctx, tx, h.authority, "admin", "org_admin")
		return err
	})
	if err != nil {
		return err
	}
	body, err := json.Marshal(map[string]string{"csv": string(crowd(h.size.users))})
	if err != nil {
		return err
	}
	_, err = server.wires[0].call(http.MethodPost, "/users/import/commit", token, "crowd", body)
	return err
}

func (h *house) commandCrowd(_ context.Context, as db.Scope) error {
	file := filepath.Join(folder, "crowd.csv")
	err := os.WriteFile(file, crowd(h.size.users), 0o600)
	if err != nil {
		return err
	}
	defer os.Remove(file)
	var out, notes bytes.Buffer
	exit := cli.Main([]string{"import", "users", "commit", file, "--database-url", h.postgres.AppURL(database),
		"--tenant", as.Tenant.String(), "--all-orgs"}, strings.NewReader(""), &out, &notes)
	if exit != 0 {
		return errors.New(notes.String())
	}
	return nil
}

// findInCrowd lists users of a large and of a small tenant in turns.
func (h *house) findInCrowd(ctx context.Context, few, many db.Scope) ([]result, error) {
	var all []result
	for _, c := range []struct {
		name   string
		filter people.UserFilter
	}{
		{"all", people.UserFilter{}},
		{"page 100", people.UserFilter{Page: db.Page{Page: 100, Limit: 10}}},
		{"an address", people.UserFilter{Search: "person000345@exa"}},
		{"a hundred names", people.UserFilter{Search: "number0003"}},
		{"everybody by name", people.UserFilter{Search: "person"}},
		{"a site", people.UserFilter{Metadata: []string{"site=s7"}}},
		{"an org unit", people.UserFilter{OrgUnit: "main"}},
		{"active", people.UserFilter{Status: "active"}},
	} {
		var t times
		for i := range inventoryReads + warmUp {
			for _, one := range []struct {
				as   db.Scope
				into *[]float64
			}{{few, &t.few}, {many, &t.many}} {
				start := time.Now()
				err := h.store.Read(ctx, one.as, func(tx *db.Tx) error {
					_, err := people.ListUsers(ctx, tx, c.filter)
					return err
				})
				if err != nil {
					return nil, err
				}
				if i >= warmUp {
					*one.into = append(*one.into, float64(time.Since(start).Microseconds())/1000)
				}
			}
		}
		all = append(all, result{Name: fmt.Sprintf("users, %s, of %d and of 1000, p95", c.name, h.size.users), Unit: "ms",
			Value: quantile(t.many, 0.95), Beside: quantile(t.few, 0.95)})
	}
	return all, nil
}

// turnGroup changes the rule of a group from one cohort to the other: half of the users
// leave, half enter, and each change goes into the ledger. By hand is the same change of the
// members, past the policies and without a ledger.
func (h *house) turnGroup(ctx context.Context, as db.Scope) (result, error) {
	rule := func(n int) *people.Rule {
		return &people.Rule{All: []people.Condition{{Key: "cohort", Op: people.RuleEquals, Value: strconv.Itoa(2031 + n%2)}}}
	}
	var group ids.ID
	err := h.store.Write(ctx, as, func(tx *db.Tx) error {
		made, err := people.CreateGroup(ctx, tx, people.GroupInput{Name: "Half", MembershipRule: rule(1)})
		group = made.ID
		return err
	})
	if err != nil {
		return result{}, err
	}
	cohort := func(n int) string { return strconv.Itoa(2031 + n%2) }
	turn := 0
	// The group holds the other half before each turn, and the rule is always the other one.
	other := func(ctx context.Context, _ int) error { return h.turnByHand(ctx, as, group, cohort(turn+1)) }
	rates, err := contest(ctx, 3, 1, 1,
		contender{"hand", other, func(ctx context.Context, _, _ int) error { return h.turnByHand(ctx, as, group, cohort(turn)) }},
		contender{"rule", other, func(ctx context.Context, _, _ int) error {
			defer func() { turn++ }()
			return h.store.Write(ctx, as, func(tx *db.Tx) error {
				_, err := people.UpdateGroup(ctx, tx, group, people.GroupPatch{MembershipRule: rule(turn)})
				return err
			})
		}})
	if err != nil {
		return result{}, err
	}
	seconds := func(all []float64) float64 { return 1 / median(all) }
	return result{Name: fmt.Sprintf("a dynamic group of %d turns round", h.size.users/2), Unit: "s",
		Value: seconds(rates["rule"]), Beside: seconds(rates["hand"]), Ratio: seconds(rates["rule"]) / seconds(rates["hand"])}, nil
}

func (h *house) turnByHand(ctx context.Context, as db.Scope, group ids.ID, cohort string) error {
	tx, err := h.super.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx) //nolint:errcheck // after a commit there is nothing to undo
	_, err = tx.Exec(ctx, "delete from group_members where tenant_id = $1 and group_id = $2", uuid(as.Tenant), uuid(group))
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		insert into group_members (tenant_id, group_id, user_id, org_unit_id, added_at)
		select $1, $2, u.id, $3, now() from users u
		join user_org_units m on m.tenant_id = $1 and m.user_id = u.id and m.org_unit_id = $3
		where u.tenant_id = $1 and u.status = 'active' and u.metadata ->> 'cohort' = $4`,
		uuid(as.Tenant), uuid(group), uuid(as.OrgUnit), cohort)
	if err != nil {
		return err
	}
	return tx.Commit(ctx)
}
