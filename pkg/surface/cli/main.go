package cli

import (
	"context"
	"io"
	"os"
	"os/signal"

	"github.com/spf13/cobra"
)

// Main runs assessctl with the arguments after the program's name and returns its exit
// code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	s := newShell(stdin, stdout, stderr)
	return run(s, newRoot(s), args)
}

// run lets Ctrl-C cancel the context of the command, which then undoes or completes its
// current work; a second Ctrl-C ends the program at once.
func run(s *Shell, root *cobra.Command, args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop)
	return execute(ctx, s, root, args)
}
