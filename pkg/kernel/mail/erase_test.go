package mail_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assess/config"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/mail"
)

func TestEraseTakesTheMailOfOnePersonAway(t *testing.T) {
	t.Parallel()
	c := config.Mail{Mode: config.MailFolder, Folder: t.TempDir(), From: "assessd <a@example.org>"}
	sender, err := mail.New(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{"Ada@Example.org", "ada@example.org", "grace@example.org", "ada@example.org.uk"} {
		err := sender.Send(t.Context(), mail.Message{To: to, Subject: "Grüße", Text: "To ada@example.org or not"})
		if err != nil {
			t.Fatal(err)
		}
	}
	// To an address that nobody knows any more.
	ada := ids.New()
	err = sender.Send(t.Context(), mail.Message{To: "earlier@example.org", Text: "Hello", ID: ids.New().String() + "." + ada.String()})
	if err != nil {
		t.Fatal(err)
	}
	// A crash in the middle of sending leaves such a file.
	err = os.WriteFile(filepath.Join(c.Folder, "1.eml.part"), []byte("To: <ada@example.org>\r\n\r\nHello"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int64{4, 0} {
		n, err := mail.Erase(c, ada, []string{"former@example.org", "ada@example.org"})
		if err != nil || n != want {
			t.Errorf("%d messages are erased, want %d: %v", n, want, err)
		}
	}
	left, err := filepath.Glob(filepath.Join(c.Folder, "*"))
	if err != nil || len(left) != 2 {
		t.Fatalf("left: %v, %v", left, err)
	}
	for _, file := range left {
		text, err := os.ReadFile(file)
		if err != nil || strings.Contains(string(text), "To: <ada@example.org>") {
			t.Errorf("%s: %v\n%s", file, err, text)
		}
	}
	n, err := mail.Erase(config.Mail{Mode: "smtp", Folder: c.Folder}, ada, []string{"grace@example.org"})
	if err != nil || n != 0 {
		t.Errorf("by SMTP: %d, %v", n, err)
	}
}
