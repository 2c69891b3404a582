package httpapi

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are the figures of one process at /metrics. No label holds an id: the number of
// series stays small.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	inFlight prometheus.Gauge
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "assessd_http_requests_total", Help: "Requests by method, route and status."}, []string{"method", "route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "assessd_http_request_seconds", Help: "Time to answer by method and route.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}}, []string{"method", "route"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "assessd_http_requests_in_flight", Help: "Requests being answered now."}),
	}
	m.registry.MustRegister(m.requests, m.seconds, m.inFlight,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) observe(method, route string, status int, took time.Duration) {
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(method, route).Observe(took.Seconds())
}

// watch adds the figures that live elsewhere, read when they are asked for.
func (m *metrics) watch(s *Server) {
	gauge := func(name, help string, read func() float64) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read))
	}
	pool := s.store.Pool()
	gauge("assessd_db_connections", "Open connections of the main pool.", func() float64 { return float64(pool.Stat().TotalConns()) })
	gauge("assessd_db_connections_busy", "Connections in use.", func() float64 { return float64(pool.Stat().AcquiredConns()) })
	gauge("assessd_projection_waiting", "Outbox rows that wait for the projector; -1 while unknown.", func() float64 {
		b, err := s.backlog(context.Background())
		if err != nil {
			return -1
		}
		return float64(b.Waiting)
	})
	gauge("assessd_projection_lag_seconds", "Age of the oldest outbox row; -1 while unknown.", func() float64 {
		b, err := s.backlog(context.Background())
		if err != nil {
			return -1
		}
		return b.Lag.Seconds()
	})
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
