package mail_test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assess/config"
	"assess/pkg/kernel/mail"
)

var message = mail.Message{To: "ada@example.org", Subject: "Grüße", Text: "Open\nhttp://x/api/v1/auth/verify?token=" + strings.Repeat("a=b", 30) + "\n"}

func TestFolderKeepsLinksWhole(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "mail")
	sender, err := mail.New(config.Mail{Mode: config.MailFolder, Folder: folder, From: "assessd <a@example.org>"})
	if err != nil {
		t.Fatal(err)
	}
	err = sender.Send(t.Context(), message)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.eml"))
	if err != nil || len(files) != 1 {
		t.Fatalf("got %v, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil || !strings.Contains(string(text), strings.Repeat("a=b", 30)) || !strings.Contains(string(text), "<ada@example.org>") {
		t.Errorf("got %v\n%s", err, text)
	}
	info, err := os.Stat(files[0])
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v: a link lets its reader in", info.Mode(), err)
	}
}

func TestSMTP(t *testing.T) {
	t.Parallel()
	host, port, received := server(t, "250 taken")
	sender := smtp(t, host, port)
	err := sender.Send(t.Context(), message)
	if err != nil {
		t.Fatal(err)
	}
	got := <-received
	if !strings.Contains(got, "RCPT TO:<ada@example.org>") || !strings.Contains(got, "a=3Db") {
		t.Errorf("got\n%s", got)
	}
}

func TestFailuresDoNotNameTheRecipient(t *testing.T) {
	t.Parallel()
	host, port, _ := server(t, "550 no such user ada@example.org")
	for name, sender := range map[string]mail.Sender{"refused": smtp(t, host, port), "nobody there": smtp(t, "127.0.0.1", 1)} {
		err := sender.Send(t.Context(), message)
		if err == nil || strings.Contains(err.Error(), "ada") {
			t.Errorf("%s: got %v, want a failure without the address", name, err)
		}
	}
}

func smtp(t *testing.T, host string, port int) mail.Sender {
	t.Helper()
	sender, err := mail.New(config.Mail{Mode: config.MailSMTP, From: "assessd <a@example.org>",
		SMTP: config.SMTP{Host: host, Port: port, TLS: config.TLSNone}})
	if err != nil {
		t.Fatal(err)
	}
	return sender
}

// server speaks as much SMTP (RFC 5321) as one message needs and answers RCPT as told.
func server(t *testing.T, recipient string) (string, int, <-chan string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	received := make(chan string, 1)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		received <- converse(conn, recipient)
	}()
	where := listener.Addr().(*net.TCPAddr)
	return where.IP.String(), where.Port, received
}

func converse(conn net.Conn, recipient string) string {
	var all strings.Builder
	say := func(line string) { fmt.Fprintf(conn, "%s\r\n", line) }
	say("220 test")
	inData := false
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		line := lines.Text()
		fmt.Fprintln(&all, line)
		verb := strings.ToUpper(strings.SplitN(line, " ", 2)[0])
		switch {
		case inData && line == ".":
			inData = false
			say("250 taken")
		case inData:
		case verb == "RCPT":
			say(recipient)
		case verb == "DATA":
			inData = true
			say("354 go on")
		case verb == "QUIT":
			say("221 bye")
			return all.String()
		default:
			say("250 ok")
		}
	}
	return all.String()
}
