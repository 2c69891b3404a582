package wire

import (
	"fmt"
	"strconv"
	"time"
)

// Duration writes milliseconds as people say them: "12.5 s", "26 min 28 s", "1 h 5 min".
func Duration(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	if d.Round(time.Second/10) < time.Minute {
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	}
	if d = d.Round(time.Second); d < time.Hour {
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	d = d.Round(time.Minute)
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}
