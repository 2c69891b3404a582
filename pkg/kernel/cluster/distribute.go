package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Place is where the rows of a table lie.
type Place string

// The places of a table.
const (
	Distributed Place = "distributed"
	Copied      Place = "copied"
	Coordinator Place = "coordinator"
)

// places says where the tables without tenant_id go.
var places = map[string]Place{
	"tenants":            Copied,      // each table of a tenant refers to it
	"capabilities":       Copied,      // words that the roles of every tenant refer to
	"applied_migrations": Coordinator, // the migrations' own
	"rate_limits":        Coordinator, // hashes of addresses, before a tenant is known
	"signing_keys":       Coordinator, // one ring for the installation
}

// Step is a group of tables that get their place in one transaction.
type Step struct {
	Tables []string `json:"tables"`
	Place  Place    `json:"place"`
}

// Plan gives the steps that Distribute would take, in order, and changes nothing; none if all tables have
// their places. Errors: ErrNoCitus.
func Plan(ctx context.Context, q Querier) ([]Step, error) {
	err := there(ctx, q)
	if err != nil {
		return nil, err
	}
	tables, err := lookAt(ctx, q)
	if err != nil {
		return nil, err
	}
	done, err := settled(ctx, q)
	if err != nil {
		return nil, err
	}
	var steps []Step
	for _, group := range inOrder(tables) {
		step := Step{Place: tables[group[0]].place}
		for _, name := range group {
			if !slices.Contains(done, name) {
				step.Tables = append(step.Tables, name)
			}
		}
		if len(step.Tables) > 0 {
			steps = append(steps, step)
		}
	}
	return steps, nil
}

// Distribute gives every table its place. Nobody else may work on the database meanwhile. The connection is a
// superuser's, who sees the rows of all tenants, to a coordinator that knows its workers. Running it again changes nothing.
func Distribute(ctx context.Context, conn *pgx.Conn, done func(Step)) error {
	steps, err := Plan(ctx, conn)
	if err != nil {
		return err
	}
	for _, step := range steps {
		err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return step.run(ctx, tx) })
		if err != nil {
			return fmt.Errorf("distribute %s: %w", strings.Join(step.Tables, ", "), err)
		}
		done(step)
	}
	return forgetLocalRows(ctx, conn)
}

// settings hold in each transaction. One shard comes after the other, since keys are checked across shards of the
// same transaction. Tables that refer to a copied one do not become Citus' own before it is their turn. No trigger
// fires for rows that move: nothing happens to them, and what it would write into may not have its place yet.
const settings = `
set local citus.multi_shard_modify_mode = 'sequential';
set local citus.enable_local_reference_table_foreign_keys = off;
set local client_min_messages = warning;
set local citus.propagate_set_commands = 'local';
set local session_replication_role = 'replica'`

func (s Step) run(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, settings)
	if err != nil {
		return err
	}
	keys, err := between(ctx, tx, s.Tables)
	if err != nil {
		return err
	}
	for _, k := range keys {
		_, err = tx.Exec(ctx, "alter table "+quote(k.Table)+" drop constraint "+quote(k.Name))
		if err != nil {
			return err
		}
	}
	for _, table := range s.Tables {
		err = s.settle(ctx, tx, table)
		if err != nil {
			return err
		}
	}
	for _, k := range keys {
		_, err = tx.Exec(ctx, "alter table "+quote(k.Table)+" add constraint "+quote(k.Name)+" "+k.Definition)
		if err != nil {
			return err
		}
	}
	return nil
}

// colocated names the table that the others lie with. It refers to no table of a tenant, so it comes first.
const colocated = "org_units"

func (s Step) settle(ctx context.Context, tx pgx.Tx, table string) error {
	var err error
	switch {
	case s.Place == Copied:
		_, err = tx.Exec(ctx, "select create_reference_table($1::text::regclass)", quote(table))
	case table == colocated:
		_, err = tx.Exec(ctx, "select create_distributed_table($1::text::regclass, 'tenant_id', colocate_with => 'none')", quote(table))
	default:
		_, err = tx.Exec(ctx, "select create_distributed_table($1::text::regclass, 'tenant_id', colocate_with => $2)", quote(table), colocated)
	}
	return err
}

type key struct{ Table, Name, Definition string }

// between gives the foreign keys from one of the tables to another of them.
func between(ctx context.Context, tx pgx.Tx, tables []string) ([]key, error) {
	rows, err := tx.Query(ctx, `
		select c.relname, k.conname, pg_get_constraintdef(k.oid) from pg_constraint k
		join pg_class c on c.oid = k.conrelid join pg_class f on f.oid = k.confrelid
		where k.contype = 'f' and c.relnamespace = 'public'::regnamespace and f.relnamespace = c.relnamespace
		and c.oid <> f.oid and c.relname = any($1) and f.relname = any($1) order by 1, 2`, tables)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[key])
}

// forgetLocalRows removes the copies that Citus leaves on the coordinator, where nobody reads them.
func forgetLocalRows(ctx context.Context, conn *pgx.Conn) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, settings)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `select truncate_local_data_after_distributing_table(logicalrelid) from pg_dist_partition
			where partmethod = 'h' and pg_relation_size(logicalrelid) > 0`)
		if err != nil {
			return fmt.Errorf("remove the rows that were distributed from the coordinator: %w", err)
		}
		return nil
	})
}

// settled gives the tables that have their places.
func settled(ctx context.Context, q Querier) ([]string, error) {
	rows, err := q.Query(ctx, "select relname::text from pg_dist_partition join pg_class on oid = logicalrelid where partmethod = 'h' or repmodel = 't'")
	if err != nil {
		return nil, err
	}
	done, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("ask Citus what is distributed: %w", err)
	}
	return done, nil
}

// table has the catalogue's facts about a table.
type table struct {
	place   Place
	parents []string
}

const tablesSQL = `
select c.relname, exists (select from pg_attribute a
		where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped),
	array(select distinct f.relname::text from pg_constraint k join pg_class f on f.oid = k.confrelid
		where k.contype = 'f' and k.conrelid = c.oid and f.oid <> c.oid order by 1)
from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
and not exists (select from pg_depend e where e.classid = 'pg_class'::regclass and e.objid = c.oid and e.deptype = 'e')`

// lookAt gives the tables that do not stay on the coordinator.
func lookAt(ctx context.Context, q Querier) (map[string]table, error) {
	rows, err := q.Query(ctx, tablesSQL)
	if err != nil {
		return nil, err
	}
	tables, undecided := map[string]table{}, []string{}
	var name string
	var ofTenant bool
	var t table
	_, err = pgx.ForEachRow(rows, []any{&name, &ofTenant, &t.parents}, func() error {
		t.place = places[name]
		if ofTenant {
			t.place = Distributed
		}
		if t.place == "" {
			undecided = append(undecided, name)
		}
		if t.place != Coordinator {
			tables[name] = t
		}
		t.parents = nil
		return nil
	})
	if err == nil && len(undecided) > 0 {
		err = errors.New("no place is decided for " + strings.Join(undecided, ", "))
	}
	return tables, err
}

// inOrder gives the tables in groups, parents first; the tables of a group refer to each other. It walks the
// foreign keys as Tarjan does, from the table that the others lie with.
func inOrder(tables map[string]table) [][]string {
	w := walk{tables: tables, number: map[string]int{}, lowest: map[string]int{}}
	for _, name := range slices.SortedFunc(maps.Keys(tables), func(a, b string) int {
		return strings.Compare(first(a), first(b))
	}) {
		if w.number[name] == 0 {
			w.visit(name)
		}
	}
	return w.groups
}

// first sorts the table that the others lie with before all others.
func first(name string) string {
	if name == colocated {
		return ""
	}
	return name
}

type walk struct {
	tables         map[string]table
	number, lowest map[string]int
	open           []string
	groups         [][]string
}

func (w *walk) visit(name string) {
	w.number[name] = len(w.number) + 1
	w.lowest[name] = w.number[name]
	w.open = append(w.open, name)
	for _, parent := range w.tables[name].parents {
		if w.number[parent] == 0 {
			w.visit(parent)
			w.lowest[name] = min(w.lowest[name], w.lowest[parent])
		} else if slices.Contains(w.open, parent) {
			w.lowest[name] = min(w.lowest[name], w.number[parent])
		}
	}
	if w.lowest[name] == w.number[name] {
		at := slices.Index(w.open, name)
		w.groups = append(w.groups, slices.Sorted(slices.Values(w.open[at:])))
		w.open = w.open[:at]
	}
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }
