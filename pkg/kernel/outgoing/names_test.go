package outgoing_test

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// names is a name server that gives each look-up the next of its answers, and the last one again from then on.
type names struct {
	answers [][]netip.Addr
	mu      sync.Mutex
}

// resolverOf starts a name server and returns the resolver that asks it.
func resolverOf(t *testing.T, answers ...[]netip.Addr) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	n := &names{answers: answers}
	go n.serve(conn)
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

func (n *names) serve(conn net.PacketConn) {
	question := make([]byte, 1500)
	for {
		size, from, err := conn.ReadFrom(question)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(question[:size]) != nil || len(m.Questions) != 1 {
			continue
		}
		m.Response, m.Additionals = true, nil
		if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
			for _, a := range n.next() {
				m.Answers = append(m.Answers, dnsmessage.Resource{
					Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
					Body:   &dnsmessage.AResource{A: a.As4()},
				})
			}
		}
		if answer, err := m.Pack(); err == nil {
			_, _ = conn.WriteTo(answer, from)
		}
	}
}

func (n *names) next() []netip.Addr {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := n.answers[0]
	if len(n.answers) > 1 {
		n.answers = n.answers[1:]
	}
	return now
}
