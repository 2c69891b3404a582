package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"assess/migrations"
	"assess/pkg/kernel/build"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/report/projection"
)

func (s *Server) backlog(ctx context.Context) (projection.Backlog, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	return projection.GetBacklog(ctx, s.store)
}

// healthz says that the process lives, and which build it is.
func (s *Server) healthz(gc *gin.Context) {
	b := build.This()
	gc.JSON(http.StatusOK, gin.H{"status": "ok", "version": b.Version, "commit": b.Commit})
}

// readyz says whether requests can be served: database there, migrations applied. The
// projector's lag is told and does not count: candidates need no reports to take an exam.
func (s *Server) readyz(gc *gin.Context) {
	ctx, cancel := context.WithTimeout(gc, 3*time.Second)
	defer cancel()
	if s.draining.Load() {
		s.abort(gc, problemOf(errs.New(errs.ShuttingDown, "The server is shutting down.").After(time.Second)))
		return
	}
	err := s.store.Ready(ctx, migrations.All())
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
	if b.Lag > projection.Lagging {
		state = "lagging"
	}
	gc.JSON(http.StatusOK, gin.H{"status": "ok", "database": "ok", "migrations": "ok",
		"projector": gin.H{"state": state, "waiting": b.Waiting, "lagMs": b.Lag.Milliseconds()}})
}
