package wire

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

func TestPercentNeverSaysMoreThanThereIs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		share float64
		marks []float64
		want  string
	}{
		{0.6996, nil, "69.9 %"}, {0.6996, []float64{70}, "69.9 %"}, {0.7, []float64{70}, "70.0 %"}, {0.29, nil, "29.0 %"}, {0.1 + 0.2, nil, "30.0 %"},
		{0.7 - 1e-16, []float64{70}, "70.0 %"}, {0.99999, nil, "99.9 %"}, {1, nil, "100.0 %"}, {0, nil, "0.0 %"}, {-0.0001, nil, "0.0 %"}, {-0.25, nil, "-25.0 %"},
		{0.66695, []float64{66.67}, "66.69 %"}, {2. / 3, []float64{66.67}, "66.6 %"}, {2. / 3, []float64{66.66}, "66.66 %"},
	} {
		if got := Percent(c.share, c.marks...); got != c.want {
			t.Errorf("%v with marks %v: %s, want %s", c.share, c.marks, got, c.want)
		}
	}
	for x, want := range map[float64]string{6.996: "6.996", 6.99999: "6.9999", 7: "7", 0.1 + 0.2: "0.3", -1.5: "-1.5"} {
		if got := Points(x); got != want {
			t.Errorf("%v points: %s, want %s", x, got, want)
		}
	}
}

// For every score and every mark, the figure shown is on the side that decides.
func TestPercentIsOnTheSideThatDecides(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 3000).Draw(t, "most")
		score := rapid.IntRange(0, most).Draw(t, "score")
		mark := float64(rapid.IntRange(0, 10000).Draw(t, "mark")) / 100
		shown := Percent(float64(score)/float64(most), mark)
		var value float64
		if _, err := fmt.Sscanf(shown, "%g %%", &value); err != nil {
			t.Fatal(err)
		}
		if passed := float64(score)*10000 >= mark*100*float64(most)-1e-6; passed != (value >= mark) || (value == 100) != (score == most) {
			t.Errorf("%d of %d with a mark of %v reads %s", score, most, mark, shown)
		}
	})
}
