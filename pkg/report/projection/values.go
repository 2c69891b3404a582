package projection

import (
	"context"
	"fmt"
	"reflect"

	"assess/pkg/kernel/db"
)

// Values are the arguments of a statement. Conditions are written with them, so that every value
// of a statement is a parameter.
type Values struct{ Args []any }

// Arg gives the parameter of a value: "$3".
func (v *Values) Arg(value any) string {
	v.Args = append(v.Args, value)
	return fmt.Sprintf("$%d", len(v.Args))
}

// Among is a condition that a column has one of the values of a slice: equality for a single value,
// since the index is then in order.
func (v *Values) Among(column string, values any) string {
	if all := reflect.ValueOf(values); all.Len() == 1 {
		return column + " = " + v.Arg(all.Index(0).Interface())
	}
	return column + " = any(" + v.Arg(values) + ")"
}

// During continues a condition for a column that has to be in a period: " and day >= $3". A missing
// bound is left out, so that no plan counts on it.
func (v *Values) During(column string, p Period) string {
	text := ""
	if p.From != nil {
		text += " and " + column + " >= " + v.Arg(*p.From)
	}
	if p.To != nil {
		text += " and " + column + " < " + v.Arg(*p.To)
	}
	return text
}

// Read runs a statement, scans every row into the same targets and calls row. what names it in an
// error.
func (v *Values) Read(ctx context.Context, tx *db.Tx, what, sql string, targets []any, row func()) error {
	err := eachRow(ctx, tx, sql, v.Args, targets, row)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
