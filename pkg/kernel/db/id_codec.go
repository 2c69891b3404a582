package db

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"assess/pkg/kernel/ids"
)

// idCodec moves ids as the 16 bytes that they are. Without it the driver takes the way of
// database/sql, over text in both directions, which costs more than anything else that a
// small statement asks of it.
type idCodec struct{ pgtype.UUIDCodec }

// registerIDs teaches a connection's types the codec, for columns and for arrays.
func registerIDs(_ context.Context, conn *pgx.Conn) error {
	one := &pgtype.Type{Name: "uuid", OID: pgtype.UUIDOID, Codec: idCodec{}}
	conn.TypeMap().RegisterType(one)
	conn.TypeMap().RegisterType(&pgtype.Type{Name: "_uuid", OID: pgtype.UUIDArrayOID, Codec: &pgtype.ArrayCodec{ElementType: one}})
	return nil
}

// PlanEncode takes ids itself and leaves everything else to the driver.
func (c idCodec) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	if _, ok := value.(ids.ID); ok && format == pgtype.BinaryFormatCode {
		return idEncodePlan{}
	}
	return c.UUIDCodec.PlanEncode(m, oid, format, value)
}

// PlanScan takes ids itself and leaves everything else to the driver.
func (c idCodec) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	if _, ok := target.(*ids.ID); ok && format == pgtype.BinaryFormatCode {
		return idScanPlan{}
	}
	return c.UUIDCodec.PlanScan(m, oid, format, target)
}

type idEncodePlan struct{}

// Encode appends the id.
func (idEncodePlan) Encode(value any, to []byte) ([]byte, error) {
	id := value.(ids.ID)
	return append(to, id[:]...), nil
}

type idScanPlan struct{}

// Scan reads an id; NULL is an error, a column that may be NULL is read into a pointer.
func (idScanPlan) Scan(from []byte, target any) error {
	id := target.(*ids.ID)
	if len(from) != len(id) {
		return fmt.Errorf("%d bytes are not an id", len(from))
	}
	copy(id[:], from)
	return nil
}
