package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"assess/migrations"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
)

// backlog is what the projector has before it.
type backlog struct {
	waiting int64
	lag     time.Duration
}

func (s *Server) backlog(ctx context.Context) (backlog, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	var b backlog
	var seconds float64
	err := s.store.Unscoped().QueryRow(ctx, `
		select waiting, coalesce(extract(epoch from clock_timestamp() - oldest), 0)::float8 from projection_backlog()`).
		Scan(&b.waiting, &seconds)
	if err != nil {
		return b, db.Translate(err)
	}
	b.lag = time.Duration(seconds * float64(time.Second))
	return b, nil
}

// healthz says that the process lives.
func (s *Server) healthz(gc *gin.Context) {
	gc.JSON(http.StatusOK, gin.H{"status": "ok", "version": s.version})
}

// lagging is the projection lag beyond which /readyz says so. It does not take the server
// out of service: candidates need no reports to take an exam.
const lagging = time.Minute

// readyz says whether requests can be served: database there, migrations applied. The
// projector's lag is told and does not count.
func (s *Server) readyz(gc *gin.Context) {
	ctx, cancel := context.WithTimeout(gc, 3*time.Second)
	defer cancel()
	if s.draining.Load() {
		s.abort(gc, problemOf(errs.New(errs.ShuttingDown, "The server is shutting down.").After(time.Second)))
		return
	}
	err := s.store.Ready(ctx, migrations.Names())
	if err != nil {
		s.abort(gc, problemOf(errs.Of(db.Translate(err))))
		return
	}
	b, err := s.backlog(ctx)
	if err != nil {
		s.abort(gc, problemOf(errs.Of(err)))
		return
	}
	state := "ok"
	if b.lag > lagging {
		state = "lagging"
	}
	gc.JSON(http.StatusOK, gin.H{"status": "ok", "database": "ok", "migrations": "ok",
		"projector": gin.H{"state": state, "waiting": b.waiting, "lagMs": b.lag.Milliseconds()}})
}
