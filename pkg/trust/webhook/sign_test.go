package webhook_test

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"assess/pkg/trust/webhook"
)

// The vector of the standard's own libraries.
func TestTheVectorOfTheStandardHolds(t *testing.T) {
	t.Parallel()
	secret, err := webhook.Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1614265330, 0)
	got := webhook.Sign("msg_p5jXN8AQM9LWM0D4loKWxJek", at, []byte(`{"test": 2432232314}`), secret)
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func header(id string, at time.Time, signature string) http.Header {
	h := http.Header{}
	h.Set(webhook.HeaderID, id)
	h.Set(webhook.HeaderTimestamp, strconv.FormatInt(at.Unix(), 10))
	h.Set(webhook.HeaderSignature, signature)
	return h
}

func TestOnlyWhatWasSignedLatelyIsVerified(t *testing.T) {
	t.Parallel()
	now, secret, other, body := time.Now(), []byte("secret"), []byte("other"), []byte("{}")
	for name, test := range map[string]struct {
		at        time.Time
		signature string
		body      string
		good      bool
	}{
		"signed":                  {now, webhook.Sign("evt_1", now, body, secret), "{}", true},
		"two secrets":             {now, webhook.Sign("evt_1", now, body, other, secret), "{}", true},
		"another secret":          {now, webhook.Sign("evt_1", now, body, other), "{}", false},
		"another body":            {now, webhook.Sign("evt_1", now, body, secret), "{ }", false},
		"another id":              {now, webhook.Sign("evt_2", now, body, secret), "{}", false},
		"another time":            {now.Add(-time.Minute), webhook.Sign("evt_1", now, body, secret), "{}", false},
		"too old":                 {now.Add(-6 * time.Minute), webhook.Sign("evt_1", now.Add(-6*time.Minute), body, secret), "{}", false},
		"from the future":         {now.Add(6 * time.Minute), webhook.Sign("evt_1", now.Add(6*time.Minute), body, secret), "{}", false},
		"a version nobody knows":  {now, strings.Replace(webhook.Sign("evt_1", now, body, secret), "v1,", "v1a,", 1), "{}", false},
		"nothing that is encoded": {now, "v1,*", "{}", false},
		"no signature":            {now, "", "{}", false},
	} {
		err := webhook.Verify(header("evt_1", test.at, test.signature), []byte(test.body), secret, now)
		if (err == nil) != test.good {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// The types that the inputs allow are the catalogue.
func TestInputsNameTheCatalogue(t *testing.T) {
	t.Parallel()
	for _, kind := range []reflect.Type{reflect.TypeFor[webhook.Input](), reflect.TypeFor[webhook.Patch]()} {
		f, _ := kind.FieldByName("Events")
		if got, want := f.Tag.Get("enum"), strings.Join(webhook.Types(), ","); got != want {
			t.Errorf("%s: got %s, want %s", kind, got, want)
		}
	}
}

// npm's standardwebhooks verifies what we sign.
func TestTheLibraryOfTheStandardVerifiesOurs(t *testing.T) {
	t.Parallel()
	_, err := exec.LookPath("npm")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip("this needs npm, which is not here: CI=true scripts/setup installs it")
	}
	if err != nil {
		t.Fatal(err)
	}
	folder := library(t)
	secret, _ := webhook.Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	now, body := time.Now(), `{"type":"webhook.test","data":{"text":"é"}}`
	script := `const {Webhook} = require("standardwebhooks");
		const [id, at, signature, body] = process.argv.slice(1);
		new Webhook("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").verify(body, {"webhook-id": id, "webhook-timestamp": at, "webhook-signature": signature});`
	for signature, good := range map[string]bool{webhook.Sign("evt_1", now, []byte(body), []byte("before"), secret): true, webhook.Sign("evt_1", now, []byte(body), []byte("other")): false} {
		cmd := exec.CommandContext(t.Context(), "node", "-e", script, "evt_1", strconv.FormatInt(now.Unix(), 10), signature, body)
		cmd.Env = append(os.Environ(), "NODE_PATH="+filepath.Join(folder, "node_modules"))
		out, err := cmd.CombinedOutput()
		if (err == nil) != good {
			t.Errorf("%s: got %v\n%s", signature, err, out)
		}
	}
}

// library installs the package of .ci/webhooks where the next run finds it.
func library(t *testing.T) string {
	t.Helper()
	root := filepath.Join("..", "..", "..")
	from, to := filepath.Join(root, ".ci", "webhooks"), filepath.Join(root, ".npm", "webhooks")
	lock, err := os.ReadFile(filepath.Join(from, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	marker := filepath.Join(to, "installed.lock")
	before, err := os.ReadFile(marker)
	if err == nil && bytes.Equal(before, lock) {
		return to
	}
	err = os.RemoveAll(to)
	if err == nil {
		err = os.CopyFS(to, os.DirFS(from))
	}
	if err != nil {
		t.Fatal(err)
	}
	install := exec.CommandContext(t.Context(), "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = to
	said, err := install.CombinedOutput()
	if err == nil {
		err = os.WriteFile(marker, lock, 0o600)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	return to
}
