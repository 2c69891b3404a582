package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"assess/pkg/kernel/errs"
)

func TestEveryErrorCodeHasAnExitCode(t *testing.T) {
	t.Parallel()
	for _, e := range errs.Catalogue {
		_, special := byCode[e.Code]
		want, listed := byStatus[e.Status]
		if !special && !listed {
			t.Errorf("%s: neither the code nor its status %d has an exit code", e.Code, e.Status)
		}
		got := exitCode(fmt.Errorf("wrapped: %w", errs.New(e.Code, "")), false)
		switch {
		case got < exitFailed || got > exitConflict:
			t.Errorf("%s: exit %d", e.Code, got)
		case e.Status == http.StatusNotFound && got != exitNotFound:
			t.Errorf("%s: exit %d, want 3 for not found", e.Code, got)
		case e.Status == http.StatusConflict && got != exitConflict:
			t.Errorf("%s: exit %d, want 5 for a conflict", e.Code, got)
		case !special && got != want:
			t.Errorf("%s: exit %d, want %d", e.Code, got, want)
		}
	}
	for code := range byCode {
		if errs.Meaning(code) == "" {
			t.Errorf("%s has an exit code and is not in the catalogue", code)
		}
	}
}

func TestExitCode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name        string
		err         error
		interrupted bool
		want        int
	}{
		{name: "unexpected", err: errors.New("disk on fire"), want: exitFailed},
		{name: "validation", err: errs.Invalid(errs.Field{Path: "slug"}), want: exitUsage},
		{name: "import", err: errs.New(errs.ImportInvalid, ""), want: exitFailed},
		{name: "hold", err: errs.New(errs.HoldActive, ""), want: exitBlocked},
		{name: "usage", err: fmt.Errorf("wrapped: %w", Usage("no")), want: exitUsage},
		{name: "usage beats the code below it", err: Usage("%w", errs.New(errs.NotFound, "")), want: exitUsage},
		{name: "partly", err: fmt.Errorf("wrapped: %w", Partly("3 of 10 failed")), want: exitPartly},
		{name: "declined", err: errDeclined, want: exitFailed},
		{name: "interrupted", err: errs.Wrap(errs.Internal, context.Canceled, ""), interrupted: true, want: exitInterrupted},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := exitCode(tt.err, tt.interrupted); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

// failing makes a root whose one command fails.
func failing(fail func(ctx context.Context) error) *cobra.Command {
	root := group("root", "", &cobra.Command{
		Use:  "fail",
		RunE: func(cmd *cobra.Command, _ []string) error { return fail(cmd.Context()) },
	})
	root.SilenceErrors, root.SilenceUsage = true, true
	return root
}

func TestExplain(t *testing.T) {
	t.Parallel()
	fields := errs.Invalid(errs.Field{Path: "slug", Code: "required", Message: "is missing"}, errs.Field{Path: "name", Code: "too_long", Message: "is too long"})
	unreachable := errs.Wrap(errs.DatabaseUnavailable, errors.New("connection refused"), "The database cannot be reached.").After(2 * time.Second)
	stale := errs.New(errs.StaleUpdate, "Somebody changed it.").With("updatedAt", "2030-01-01T00:00:00.000Z")
	for _, tt := range []struct {
		name   string
		format Format
		err    error
		want   string
	}{
		{"fields", FormatTable, fields, "Error: The input is not valid.\n  slug: is missing\n  name: is too long\n"},
		{"fields as JSON", FormatJSON, fields, `{"code":"validation_failed","message":"The input is not valid.","details":{"fields":[{"path":"slug","code":"required","message":"is missing"},{"path":"name","code":"too_long","message":"is too long"}]}}` + "\n"},
		{"cause", FormatTable, unreachable, "Error: The database cannot be reached.\nCause: connection refused\nTry again in 2s.\n"},
		{"details as JSON", FormatJSON, stale, `{"code":"stale_update","message":"Somebody changed it.","details":{"updatedAt":"2030-01-01T00:00:00.000Z"}}` + "\n"},
		{"unexpected", FormatYAML, errors.New("disk on fire"), "Error: disk on fire\n"},
		{"partly as JSON", FormatJSON, Partly("1 of 2 people could not be done"), `{"code":"partly_done","message":"1 of 2 people could not be done"}` + "\n"},
		{"unexpected as JSON", FormatJSON, errors.New("disk on fire"), `{"code":"internal_error","message":"disk on fire"}` + "\n"},
		{"usage", FormatTable, Usage("choose one"), "Error: choose one\nUsage: root fail [flags]\nHint:  root fail --help says more\n"},
		{"partly", FormatTable, Partly("3 of 10 failed"), "Error: 3 of 10 failed\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, c := piped(tt.format)
			run(s, failing(func(context.Context) error { return tt.err }), []string{"fail"})
			if diff := cmp.Diff(tt.want, c.err.String()); diff != "" {
				t.Errorf("stderr (-want +got):\n%s", diff)
			}
			if c.out.Len() > 0 {
				t.Errorf("stdout has %q", &c.out)
			}
		})
	}
}

func TestInterrupt(t *testing.T) {
	s, c := piped(FormatTable)
	root := failing(func(ctx context.Context) error {
		err := syscall.Kill(os.Getpid(), syscall.SIGINT)
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Second):
			return errors.New("the context was not cancelled")
		}
	})
	if got := run(s, root, []string{"fail"}); got != exitInterrupted || !strings.Contains(c.err.String(), "Interrupted.") {
		t.Errorf("got exit %d, stderr %q; want 130", got, &c.err)
	}
}

// docs/operations.md lists every exit code, and no other.
func TestExitCodesAreDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Exit codes of assessctl\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var listed []string
	for _, row := range regexp.MustCompile(`(?m)^\| (\d+) \|`).FindAllStringSubmatch(section, -1) {
		listed = append(listed, row[1])
	}
	want := fmt.Sprint([]int{exitDone, exitFailed, exitUsage, exitNotFound, exitBlocked, exitConflict, exitPartly, exitInterrupted})
	if got := fmt.Sprint(listed); got != want {
		t.Errorf("listed are %s, want %s", got, want)
	}
}
