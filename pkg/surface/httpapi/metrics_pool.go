package httpapi

import (
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"assess/pkg/kernel/db"
)

// poolFigures are the figures of the connection pools.
type poolFigures struct{ store *db.Store }

// poolFigure is one of them, by pool.
type poolFigure struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	read func(*pgxpool.Stat) float64
}

var ofPools = []poolFigure{
	poolGauge("assessd_db_connections", "Open connections.", func(s *pgxpool.Stat) float64 { return float64(s.TotalConns()) }),
	poolGauge("assessd_db_connections_busy", "Connections in use.", func(s *pgxpool.Stat) float64 { return float64(s.AcquiredConns()) }),
	poolGauge("assessd_db_connections_max", "Connections that a pool may open.", func(s *pgxpool.Stat) float64 { return float64(s.MaxConns()) }),
	poolCount("assessd_db_connection_waits_total", "Times that somebody had to wait for a connection.", func(s *pgxpool.Stat) float64 { return float64(s.EmptyAcquireCount()) }),
	poolCount("assessd_db_connection_wait_seconds_total", "Time spent waiting for connections.", func(s *pgxpool.Stat) float64 { return s.EmptyAcquireWaitTime().Seconds() }),
}

func poolGauge(name, help string, read func(*pgxpool.Stat) float64) poolFigure {
	return poolFigure{prometheus.NewDesc(name, help, []string{"pool"}, nil), prometheus.GaugeValue, read}
}

func poolCount(name, help string, read func(*pgxpool.Stat) float64) poolFigure {
	return poolFigure{prometheus.NewDesc(name, help, []string{"pool"}, nil), prometheus.CounterValue, read}
}

func (f poolFigures) Describe(to chan<- *prometheus.Desc) {
	for _, p := range ofPools {
		to <- p.desc
	}
}

func (f poolFigures) Collect(to chan<- prometheus.Metric) {
	for name, stat := range f.store.Pools() {
		for _, p := range ofPools {
			to <- prometheus.MustNewConstMetric(p.desc, p.kind, p.read(stat), name)
		}
	}
}
