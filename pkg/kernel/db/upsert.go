package db

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun/schema"
)

// Upsert writes rows of a model (R is a pointer to it) whose primary key is the tenant and the
// id, new ones and changed ones alike. It is written by hand because bun writes every value
// into the statement: here each column travels as one array, so that one prepared statement
// takes any number of rows.
func Upsert[R any](ctx context.Context, tx *Tx, rows []R) error {
	if len(rows) == 0 {
		return nil
	}
	table := tx.conn.NewInsert().DB().Table(reflect.TypeFor[R]().Elem())
	var names, reads, sends, changes []string
	var args []any
	for i, field := range table.Fields {
		values, sent, read, err := column(field, rows)
		if err != nil {
			return fmt.Errorf("write %s of %s: %w", field.Name, table.Name, err)
		}
		names, args = append(names, string(field.SQLName)), append(args, values)
		sends, reads = append(sends, fmt.Sprintf("$%d::%s[]", i+1, sent)), append(reads, "n."+string(field.SQLName)+read)
		if !field.IsPK {
			changes = append(changes, fmt.Sprintf("%[1]s = excluded.%[1]s", field.SQLName))
		}
	}
	list := strings.Join(names, ", ")
	_, err := tx.Exec(ctx, fmt.Sprintf("insert into %s (%s) select %s from unnest(%s) as n (%s) on conflict (tenant_id, id) do update set %s",
		table.Name, list, strings.Join(reads, ", "), strings.Join(sends, ", "), list, strings.Join(changes, ", ")), args...)
	if err != nil {
		return fmt.Errorf("save %s: %w", table.Name, err)
	}
	return nil
}

// elements are the types of PostgreSQL in which arrays of Go values travel.
var elements = map[reflect.Type]string{
	reflect.TypeFor[uuid.UUID](): "uuid", reflect.TypeFor[string](): "text", reflect.TypeFor[bool](): "bool", reflect.TypeFor[int](): "int",
	reflect.TypeFor[time.Time](): "timestamptz", reflect.TypeFor[json.RawMessage](): "jsonb",
}

// column gives the values of a field of all rows, the type in which they are sent, and the
// expression that turns each into the column's value. Lists of ids travel as text, since
// arrays of several lengths cannot travel in one; anything else that is no plain value
// travels as JSON.
func column[R any](field *schema.Field, rows []R) (values any, sent, read string, err error) {
	value := func(row R) reflect.Value { return field.Value(reflect.ValueOf(row).Elem()) }
	if element, plain := elements[field.IndirectType]; plain {
		list := reflect.MakeSlice(reflect.SliceOf(field.StructField.Type), 0, len(rows))
		for _, row := range rows {
			list = reflect.Append(list, value(row))
		}
		return list.Interface(), element, "", nil
	}
	list := make([]string, len(rows))
	for i, row := range rows {
		if all, isList := value(row).Interface().([]uuid.UUID); isList {
			words := make([]string, len(all))
			for j, id := range all {
				words[j] = id.String()
			}
			list[i], read = "{"+strings.Join(words, ",")+"}", "::uuid[]"
			continue
		}
		raw, err := json.Marshal(value(row).Interface())
		if err != nil {
			return nil, "", "", err
		}
		list[i], read = string(raw), "::jsonb"
	}
	return list, "text", read, nil
}
