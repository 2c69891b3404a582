package lms

import (
	"net"
	"sync"
)

// door lets callers in, until the platform is killed: then everybody inside is thrown out, and nobody comes in.
type door struct {
	net.Listener

	mu     sync.Mutex
	shut   bool
	inside []net.Conn
}

func (d *door) Accept() (net.Conn, error) {
	for {
		c, err := d.Listener.Accept()
		if err != nil {
			return nil, err
		}
		d.mu.Lock()
		shut := d.shut
		if !shut {
			d.inside = append(d.inside, c)
		}
		d.mu.Unlock()
		if !shut {
			return c, nil
		}
		_ = c.Close()
	}
}

// Kill breaks all calls off that are under way, and lets nobody in until Revive. The gradebook stays.
func (p *Platform) Kill() {
	p.door.mu.Lock()
	defer p.door.mu.Unlock()
	p.door.shut = true
	for _, c := range p.door.inside {
		_ = c.Close()
	}
	p.door.inside = nil
}

// Revive lets callers in again.
func (p *Platform) Revive() {
	p.door.mu.Lock()
	defer p.door.mu.Unlock()
	p.door.shut = false
}
