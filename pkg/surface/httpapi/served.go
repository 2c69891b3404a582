package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"assess/pkg/kernel/errs"
)

// refusedByNetHTTP are the statuses with which net/http refuses a file by itself, as plain text or
// with no body at all.
var refusedByNetHTTP = map[int]errs.Code{
	http.StatusNotFound:                     errs.RouteNotFound,
	http.StatusPreconditionFailed:           errs.PreconditionFailed,
	http.StatusRequestedRangeNotSatisfiable: errs.RangeNotSatisfiable,
	http.StatusInternalServerError:          errs.Internal,
}

// served lets a handler of net/http serve files; its refusals are answered like all other
// errors.
func (s *Server) served(files http.Handler) gin.HandlerFunc {
	return func(gc *gin.Context) {
		files.ServeHTTP(&fileWriter{ResponseWriter: gc.Writer, refuse: func(code errs.Code) {
			s.abort(gc, problemOf(errs.New(code, "%s", errs.Meaning(code))))
		}}, gc.Request)
	}
}

// fileWriter drops the body of a refusal, and the headers about the file that is not sent.
type fileWriter struct {
	http.ResponseWriter
	refuse  func(errs.Code)
	refused bool
}

func (w *fileWriter) WriteHeader(status int) {
	code, bad := refusedByNetHTTP[status]
	if !bad {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.refused = true
	for _, name := range []string{"Content-Type", "Content-Disposition", "Content-Encoding", "Cache-Control", "ETag"} {
		w.Header().Del(name)
	}
	w.refuse(code)
}

func (w *fileWriter) Write(part []byte) (int, error) {
	if w.refused {
		return len(part), nil
	}
	return w.ResponseWriter.Write(part)
}
