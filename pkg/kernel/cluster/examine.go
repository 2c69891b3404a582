package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Examined is a node, and what keeps it from doing its part.
type Examined struct {
	Node
	Coordinator bool      `json:"coordinator"`
	PostgreSQL  string    `json:"postgresql,omitempty"`
	Citus       string    `json:"citus,omitempty"`
	Problems    []Problem `json:"problems"`
}

// Problem is something wrong with a node, and how to mend it.
type Problem struct {
	What   string `json:"what"`
	Remedy string `json:"remedy"`
}

// nodeSQL asks all nodes at once what each says of itself; the text of the inner statement is the same for all.
const nodeSQL = `
select n.nodename, n.nodeport, n.groupid = 0, coalesce(r.success, false), coalesce(r.result, '')
from pg_dist_node n left join run_command_on_all_nodes(format($ask$
	select json_build_object('postgresql', current_setting('server_version'),
		'citus', (select extversion from pg_extension where extname = 'citus'),
		'triggers', current_setting('citus.enable_unsafe_triggers', true),
		'nested', current_setting('citus.allow_nested_distributed_execution', true),
		'prepared', current_setting('max_prepared_transactions'),
		'unbound', array(select rolname from pg_roles r where rolbypassrls and not rolsuper
			and exists (select from pg_class where relowner = r.oid and relname = 'org_units') order by 1),
		'roles', array(select rolname from pg_roles where rolname = any(%L::text[]) order by 1))$ask$,
	array(select rolname from pg_roles r where rolname = 'assess_app' or rolcanlogin and not rolsuper
		and (pg_has_role(oid, (select oid from pg_roles where rolname = 'assess_app'), 'member')
			or exists (select from pg_class where relowner = r.oid)))::text),
	give_warning_for_connection_errors => true) r on r.nodeid = n.nodeid
where n.noderole = 'primary' and n.isactive order by n.groupid`

// answer is what a node says of itself.
type answer struct {
	PostgreSQL, Citus, Triggers, Nested, Prepared string
	Roles, Unbound                                []string
}

// Examine asks the coordinator and every worker whether it can do its part. Errors: ErrNoCitus.
func Examine(ctx context.Context, q Querier) ([]Examined, error) {
	err := there(ctx, q)
	if err != nil {
		return nil, err
	}
	rows, err := q.Query(ctx, nodeSQL)
	if err != nil {
		return nil, fmt.Errorf("ask the nodes: %w", err)
	}
	var nodes []Examined
	var coordinator answer
	var n Examined
	var answered bool
	var text string
	_, err = pgx.ForEachRow(rows, []any{&n.Host, &n.Port, &n.Coordinator, &answered, &text}, func() error {
		e := Examined{Node: n.Node, Coordinator: n.Coordinator, Problems: []Problem{}}
		defer func() { nodes = append(nodes, e) }()
		if !answered {
			e.problem("does not answer: "+strings.Join(strings.Fields(text), " "),
				"start it, and let the coordinator in with the logins of the programs (pg_hba.conf, pg_dist_authinfo)")
			return nil
		}
		var a answer
		err := json.Unmarshal([]byte(text), &a)
		if n.Coordinator {
			coordinator = a
		}
		e.PostgreSQL, e.Citus = a.PostgreSQL, a.Citus
		e.hold(a, coordinator)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("ask the nodes: %w", err)
	}
	return nodes, nil
}

// hold looks at what a node said; the coordinator is asked first.
func (e *Examined) hold(a, coordinator answer) {
	if a.PostgreSQL != coordinator.PostgreSQL || a.Citus != coordinator.Citus {
		e.problem(fmt.Sprintf("has PostgreSQL %s and Citus %s, the coordinator %s and %s", a.PostgreSQL, a.Citus, coordinator.PostgreSQL, coordinator.Citus),
			"install the same versions on all nodes")
	}
	for _, s := range []struct{ name, value string }{
		{"citus.enable_unsafe_triggers", a.Triggers}, {"citus.allow_nested_distributed_execution", a.Nested},
	} {
		if s.value != "on" {
			e.problem(s.name+" is off", "switch it on in postgresql.conf of the node: the triggers of the schema need it")
		}
	}
	if a.Prepared == "0" {
		e.problem("max_prepared_transactions is 0", "set it to twice max_connections in postgresql.conf of the node, and restart it")
	}
	for _, role := range a.Unbound {
		e.problem("row-level security does not bind "+role+", as it is while a tenant moves",
			"unless one moves just now: alter role "+role+" nobypassrls")
	}
	for _, role := range coordinator.Roles {
		if !slices.Contains(a.Roles, role) {
			e.problem("has no role "+role, "make it there as on the coordinator (deploy/roles.sql)")
		}
	}
}

func (e *Examined) problem(what, remedy string) {
	e.Problems = append(e.Problems, Problem{what, remedy})
}

// AtWork counts the programs' connections to the database, except the ones that Citus itself uses.
func AtWork(ctx context.Context, q Querier) (int, error) {
	rows, err := q.Query(ctx, `select count(*) from pg_stat_activity a join pg_roles r on r.oid = a.usesysid
		where a.datname = current_database() and a.pid <> pg_backend_pid() and a.backend_type = 'client backend'
		and not r.rolsuper and a.application_name not like 'citus%'`)
	if err != nil {
		return 0, err
	}
	return pgx.CollectExactlyOneRow(rows, pgx.RowTo[int])
}

// MustBeSuperuser fails for a login that does not see the rows of all tenants.
func MustBeSuperuser(ctx context.Context, q Querier) error {
	rows, err := q.Query(ctx, "select rolname::text, rolsuper from pg_roles where rolname = current_user")
	if err != nil {
		return err
	}
	login, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[struct {
		Name  string
		Super bool
	}])
	if err == nil && !login.Super {
		return fmt.Errorf("the login role %s is no superuser, so it does not see the rows of all tenants", login.Name)
	}
	return err
}
