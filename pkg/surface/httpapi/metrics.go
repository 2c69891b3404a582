package httpapi

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"assess/pkg/kernel/metric"
)

// metrics are the figures of one process at /metrics (package metric says how they are named). Requests
// are counted here, and the counts of package metric are shown with them.
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
			Name: "assessd_http_requests_total", Help: "Requests that were answered."}, []string{"method", "route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "assessd_http_request_seconds", Help: "Time to answer a request.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}}, []string{"method", "route"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "assessd_http_requests_in_flight", Help: "Requests being answered now."}),
	}
	m.registry.MustRegister(m.requests, m.seconds, m.inFlight,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// methods are the methods that a label can have; clients may send any word.
var methods = []string{http.MethodGet, http.MethodHead, post, put, patch, remove, http.MethodOptions}

func methodOf(sent string) string {
	if slices.Contains(methods, sent) {
		return sent
	}
	return "other"
}

func (m *metrics) observe(method, route string, status int, took time.Duration) {
	method = methodOf(method)
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(method, route).Observe(took.Seconds())
}

// watch adds the figures that live elsewhere, read when they are requested.
func (m *metrics) watch(s *Server) {
	m.registry.MustRegister(poolFigures{s.store}, &figures{server: s})
}

// scrapesAtOnce bounds the calls of /metrics that are answered at the same time.
const scrapesAtOnce = 4

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(prometheus.Gatherers{m.registry, metric.Registry}, promhttp.HandlerOpts{MaxRequestsInFlight: scrapesAtOnce})
}
