package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

var errDeclined = errors.New("not confirmed; nothing was changed")

// Confirm asks before something that cannot be undone, as in "Delete the tenant acme?".
// --yes answers for the person; without it, and with nobody to ask, it is a usage error.
func (s *Shell) Confirm(ctx context.Context, question string) error {
	if s.Yes {
		return nil
	}
	if !s.Interactive {
		return Usage("this needs a confirmation, and standard input is not a terminal: add --yes")
	}
	fmt.Fprintf(s.Notes, "%s [y/N] ", s.Notes.Paint(Strong, question))
	answer, err := s.readLine(ctx)
	if err != nil {
		return err
	}
	if !slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(answer))) {
		return errDeclined
	}
	return nil
}

// readLine reads in a goroutine of its own, because a read from a terminal does not end with the
// context. After Ctrl-C the program ends, and the read with it.
func (s *Shell) readLine(ctx context.Context) (string, error) {
	line := make(chan string, 1)
	go func() {
		// An end of input without an answer reads as an empty one: declined.
		text, _ := bufio.NewReader(s.Input).ReadString('\n')
		line <- text
	}()
	select {
	case text := <-line:
		return text, nil
	case <-ctx.Done():
		fmt.Fprintln(s.Notes)
		return "", ctx.Err()
	}
}
