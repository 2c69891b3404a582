package outgoing

import (
	"net"
	"time"
)

// WithResolver makes the client look names up with this resolver.
func (r Rules) WithResolver(resolver *net.Resolver) Rules {
	r.resolver = resolver
	return r
}

// WithPatience makes calls end after this time.
func (r Rules) WithPatience(patience time.Duration) Rules {
	r.patience = patience
	return r
}
