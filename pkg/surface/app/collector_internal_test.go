package app

import "testing"

func TestGarbageHasRoomBesideWhatLives(t *testing.T) {
	t.Parallel()
	for live, want := range map[uint64]int{0: 400, 8 << 20: 400, 16 << 20: 400, 32 << 20: 200, 64 << 20: 100, 128 << 20: 50, 1 << 30: 50} {
		if got := garbagePercent(live); got != want {
			t.Errorf("%d MiB: got %d, want %d", live>>20, got, want)
		}
	}
}
