package wire

import (
	"math"
	"strconv"
)

// Percent writes a share of 0 to 1 for people, with one digit after the point. Anything finer is cut off and never
// rounded: 69.96 % is short of a mark of 70 and must not read as 70, and nothing but all is 100 %. Where one digit
// would still show the share on the other side of a mark (in percent), there are more.
func Percent(share float64, marks ...float64) string {
	value, digits := share*100, 1
	for _, mark := range marks {
		for digits < finest && (Cut(value, digits) >= mark) != (Cut(value, finest) >= mark) {
			digits++
		}
	}
	return strconv.FormatFloat(Cut(value, digits), 'f', digits, 64) + " %"
}

// Points writes a number of points, with four digits after the point at most; anything finer is cut off, too.
func Points(x float64) string { return strconv.FormatFloat(Cut(x, 4), 'f', -1, 64) }

// finest is how many digits of a figure mean something: the ones after them come from computing with binary numbers.
const finest = 8

// Cut leaves as many digits after the point and drops the others.
func Cut(x float64, digits int) float64 {
	nearest := math.Round(x * math.Pow10(finest))
	cut := math.Trunc(nearest / math.Pow10(finest-digits))
	return cut/math.Pow10(digits) + 0 // no -0
}
