package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/itchyny/gojq"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"assess/config"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/pgdev"
)

// Shell is one call of assessctl: where it reads and writes, and the flags that every
// command has.
type Shell struct {
	Input io.Reader
	// Interactive says that a person sits at Input.
	Interactive bool
	// Screen is standard output: data, nothing else.
	Screen *Screen
	// Notes is standard error: notes, progress, questions, errors.
	Notes *Screen

	// Tenant is the slug or id of the tenant, Org the slug or id of the org unit; AllOrgs chooses
	// every org unit of the tenant and excludes Org.
	Tenant  string
	Org     string
	AllOrgs bool
	// Server is the service that commands call in place of a database; empty for none.
	Server string
	// Actor is the operator's name, written into every ledger event.
	Actor string

	Format Format
	Quiet  bool
	Yes    bool

	// jq is the filter of --jq, which ends with the command; nil for none.
	jq func(value any) gojq.Iter

	configFile string
	// profile is the value of --profile; profileURL says that it set database.url.
	profile    string
	profileURL bool
	noColor    bool
	flags      *pflag.FlagSet

	// key and dryRun are the flags of commands that change something.
	key    string
	dryRun bool

	store  *db.Store
	server *pgdev.Server
}

func newShell(stdin io.Reader, stdout, stderr io.Writer) *Shell {
	return &Shell{
		Input:       stdin,
		Interactive: isTerminal(stdin),
		Screen:      newScreen(stdout),
		Notes:       newScreen(stderr),
		Format:      FormatTable,
	}
}

// bind gives the root its flags.
func (s *Shell) bind(root *cobra.Command) {
	s.flags = root.PersistentFlags()
	s.flags.StringVar(&s.configFile, "config", "", "settings file (YAML; default: $ASSESS_CONFIG, else ~/.config/assess/config.yaml or /etc/assess/config.yaml)")
	s.flags.StringVar(&s.profile, "profile", "", "profile of the settings file that says where to work (default: $ASSESS_PROFILE)")
	s.flags.String("database-url", "", "PostgreSQL to work on (default: database.url of the settings)")
	s.flags.StringVar(&s.Server, "server", "", "service to call over HTTP in place of a database, as who signed in with assessctl login (default: $ASSESS_SERVER)")
	s.flags.Bool("embedded", false, "work on the private database in database.embedded_dir")
	s.flags.StringVar(&s.Tenant, "tenant", "", "tenant to work in: its slug or id (default: $ASSESS_TENANT)")
	s.flags.StringVar(&s.Org, "org", "", "org unit to work in: its slug or id (default: $ASSESS_ORG)")
	s.flags.BoolVar(&s.AllOrgs, "all-orgs", false, "work in every org unit of the tenant")
	s.flags.StringVar(&s.Actor, "actor", "", "who does this, for the ledger: the e-mail address of a user, or a login (default: $USER, else operator)")
	s.flags.VarP(&s.Format, "output", "o", "table, json, csv or yaml")
	filter := s.flags.String("jq", "", "print what this jq filter makes of the JSON, texts without their quotes")
	s.flags.BoolVar(&s.noColor, "no-color", false, "no colour (also with NO_COLOR set)")
	s.flags.BoolVar(&s.Quiet, "quiet", false, "no notes and no progress")
	s.flags.BoolVar(&s.Yes, "yes", false, "do not ask for confirmation")
	root.MarkFlagsMutuallyExclusive("org", "all-orgs")
	root.MarkFlagsMutuallyExclusive("server", "database-url", "embedded")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		err := s.settle()
		if err != nil {
			return err
		}
		err = s.useJQ(cmd.Context(), *filter, cmd.Flags().Changed("output"))
		if err != nil {
			return err
		}
		err = s.onlyDatabase(cmd)
		if err != nil {
			return err
		}
		return s.settleScope(cmd)
	}
	// The only error of both is a flag that does not exist; the tests cover them.
	_ = config.Bind(s.flags, "embedded", "database.embedded")
	_ = root.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
}

// settle fills in everything that the flags left open: from the profile, and then from the environment. A flag that
// is given as empty stays empty.
func (s *Shell) settle() error {
	p, err := s.readProfile()
	if err != nil {
		return err
	}
	fill := func(flag string, to *string, values ...string) {
		if !s.flags.Changed(flag) {
			*to = cmp.Or(values...)
		}
	}
	s.Actor = cmp.Or(s.Actor, p.Actor)
	if s.Actor != "" && !strings.Contains(s.Actor, "@") {
		if _, err := db.Operator(s.Actor); err != nil {
			return Usage("--actor: the e-mail address of a user, or a login of 1 to 36 small letters, digits, dots, underscores and hyphens; the ledger keeps it for ever")
		}
	}
	if s.Actor == "" {
		s.Actor = "operator" // nobody acts without a name
		if _, err := db.Operator(os.Getenv("USER")); err == nil {
			s.Actor = os.Getenv("USER")
		}
	}
	fill("tenant", &s.Tenant, p.Tenant, os.Getenv("ASSESS_TENANT"))
	if !s.AllOrgs {
		fill("org", &s.Org, p.Org, os.Getenv("ASSESS_ORG"))
	}
	// A flag that names a database wins over a service that a profile or the environment names; the other way about, a service is the place.
	if !s.flags.Changed("database-url") && !s.flags.Changed("embedded") {
		if p.DatabaseURL != "" && p.Server != "" {
			return Usage("the profile %s names a server and a database_url: it works at one of them", s.profile)
		}
		fill("server", &s.Server, p.Server)
		if p.DatabaseURL == "" {
			fill("server", &s.Server, p.Server, os.Getenv("ASSESS_SERVER"))
		}
	}
	if p.DatabaseURL != "" && s.Server == "" && !s.flags.Changed("database-url") {
		s.profileURL, err = true, s.flags.Set("database-url", p.DatabaseURL)
	}
	if s.noColor {
		s.Screen.Colour, s.Notes.Colour = false, false
	}
	return err
}

func (s *Shell) readProfile() (config.Profile, error) {
	if !s.flags.Changed("profile") {
		s.profile = os.Getenv("ASSESS_PROFILE")
	}
	if s.profile == "" {
		return config.Profile{}, nil
	}
	p, err := config.FindProfile(s.configFile, s.profile)
	if err != nil {
		return p, Usage("%w", err)
	}
	return p, nil
}

// Config reads the settings; a mistake in them is a usage error that names every one.
func (s *Shell) Config() (config.Config, error) {
	c, err := config.Load(s.configFile, s.flags)
	if err != nil {
		return c, Usage("%w", err)
	}
	return c, nil
}

// Note tells the person at the terminal something that is not data.
func (s *Shell) Note(format string, args ...any) {
	if !s.Quiet {
		fmt.Fprintf(s.Notes, format+"\n", args...)
	}
}
