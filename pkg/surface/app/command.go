package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"assess/config"
	"assess/pkg/kernel/build"
	"assess/pkg/surface/httpapi"
)

// Main runs assessd and gives its exit code: 0 done, 1 failed, 2 usage.
func Main(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	fmt.Fprintln(stderr, "assessd:", err)
	var settings *config.Error
	if errors.As(err, &settings) {
		return 2
	}
	return 1
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "assessd",
		Short:         "The assessment service: authoring, delivery, scoring, reporting and compliance over HTTP",
		Long:          "assessd serves the assessment service over HTTP.\n\nWith --embedded it brings its own PostgreSQL; otherwise set database.url.\nSettings come from a file, from ASSESS_... variables and from flags, the later ones first.",
		Version:       build.This().Version,
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	file := root.PersistentFlags().String("config", "", "settings file (default: the one that ASSESS_CONFIG names, else "+strings.Join(config.Places(), " or ")+")")
	flags := root.Flags()
	flags.Bool("embedded", false, "start a private PostgreSQL in database.embedded_dir")
	flags.String("database-url", "", "PostgreSQL to use")
	flags.String("listen", "", "address to listen on")
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		err := errors.Join(config.Bind(flags, "embedded", "database.embedded"), config.Bind(flags, "listen", "http.listen"))
		if err != nil {
			return err
		}
		c, err := config.Load(*file, flags)
		if err != nil {
			return err
		}
		return Serve(cmd.Context(), c, cmd.ErrOrStderr())
	}
	root.AddCommand(newOpenAPI())
	return root
}

func newOpenAPI() *cobra.Command {
	c := &cobra.Command{Use: "openapi", Short: "Print the OpenAPI description of the interface", Args: cobra.NoArgs}
	yaml := c.Flags().Bool("yaml", false, "print YAML instead of JSON")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		asJSON, asYAML, err := httpapi.Describe()
		if err != nil {
			return err
		}
		out := asJSON
		if *yaml {
			out = asYAML
		}
		_, err = cmd.OutOrStdout().Write(out)
		return err
	}
	return c
}
