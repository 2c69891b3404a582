package cli

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"assess/pkg/trust/webhook"
)

// The messages to an endpoint, from a terminal.
func TestWebhooksFromATerminal(t *testing.T) {
	t.Parallel()
	d := registry(t, "mara")
	in := " --tenant northwind --all-orgs -o json"
	var made webhook.Made
	if err := json.Unmarshal([]byte(d.must("webhook create https://lms.example.org/hooks --events submission.scored --events user.deactivated"+in)), &made); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(made.Secret, "whsec_") || len(made.Events) != 2 || made.OrgUnitID != nil {
		t.Errorf("made %+v", made)
	}
	id := made.ID.String()
	if got := d.must("webhook show " + id + in); strings.Contains(got, "whsec_") || !strings.Contains(got, "lms.example.org") {
		t.Errorf("show gives %s", got)
	}
	d.must("webhook test " + id + in)
	if got := d.must("webhook deliveries " + id + in); !strings.Contains(got, webhook.Test) {
		t.Errorf("deliveries are %s", got)
	}
	d.must("webhook update " + id + " --state paused" + in)
	if got := d.run("webhook test " + id + in); got.exit != exitConflict {
		t.Errorf("a test of a paused one: exit %d", got.exit)
	}
	d.must("webhook delete " + id + " --yes" + in)
}

func TestTheReceiverTakesOnlyWhatIsSigned(t *testing.T) {
	t.Parallel()
	var out, notes bytes.Buffer
	s := newShell(strings.NewReader(""), &out, &notes)
	secret, body, at := []byte("secret"), `{"type":"webhook.test"}`, strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("evt_1." + at + "." + body))
	for signature, want := range map[string]int{"v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)): 204, "v1,AAAA": 401} {
		r, w := httptest.NewRequest("POST", "/", strings.NewReader(body)), httptest.NewRecorder()
		r.Header.Set(webhook.HeaderID, "evt_1")
		r.Header.Set(webhook.HeaderTimestamp, at)
		r.Header.Set(webhook.HeaderSignature, signature)
		s.receiver(secret).ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("%s: got %d, want %d", signature, w.Code, want)
		}
	}
	if out.String() != body+"\n" {
		t.Errorf("printed %q", out.String())
	}
}
