package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Bytes is a size in bytes.
type Bytes int64

// Binary sizes.
const (
	KiB Bytes = 1 << 10
	MiB Bytes = 1 << 20
	GiB Bytes = 1 << 30
)

// units are tried in this order, so that "MiB" is not taken for a "B".
var units = []struct {
	suffix string
	size   Bytes
}{
	{"GiB", GiB}, {"MiB", MiB}, {"KiB", KiB},
	{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3},
	{"B", 1},
}

// ParseBytes reads a size: a whole number of bytes, or of KiB, MiB, GiB (1024), kB, MB,
// GB (1000). Capitals do not matter, and there may be a space before the unit.
func ParseBytes(s string) (Bytes, error) {
	number, size := strings.TrimSpace(s), Bytes(1)
	for _, u := range units {
		head := len(number) - len(u.suffix)
		if head > 0 && strings.EqualFold(number[head:], u.suffix) {
			number, size = strings.TrimSpace(number[:head]), u.size
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/int64(size) {
		return 0, fmt.Errorf("%q is not a size such as 4096, 512KiB or 1MiB", s)
	}
	return Bytes(n) * size, nil
}

// String writes the size with the largest binary unit that divides it.
func (b Bytes) String() string {
	for _, u := range units[:3] {
		if b != 0 && b%u.size == 0 {
			return strconv.FormatInt(int64(b/u.size), 10) + u.suffix
		}
	}
	return strconv.FormatInt(int64(b), 10)
}

// MarshalText writes what ParseBytes reads.
func (b Bytes) MarshalText() ([]byte, error) { return []byte(b.String()), nil }
