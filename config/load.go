package config

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"
)

const envPrefix = "ASSESS"

// boundKey is the annotation of a flag that Bind writes.
const boundKey = "assess-config-key"

// Bind says that a flag sets a key that has another name, as --embedded sets
// database.embedded.
func Bind(flags *pflag.FlagSet, flag, key string) error {
	return flags.SetAnnotation(flag, boundKey, []string{key})
}

// Load reads the settings: defaults, then the file (ASSESS_CONFIG, or one of Places, when the name is
// empty; none at all is fine), then the environment, then the flags that were given;
// flags may be nil. A wrong setting gives *Error with all problems.
func Load(file string, flags *pflag.FlagSet) (Config, error) {
	_, c, err := load(file, flags)
	return c, err
}

func load(file string, flags *pflag.FlagSet) (loader, Config, error) {
	l := loader{viper: viper.New(), file: place(file), flags: map[string]*pflag.Flag{}}
	err := errors.Join(l.readFile(), l.bindEnvironment(), l.bindFlags(flags))
	if err != nil {
		return l, Config{}, err
	}
	c := Default()
	c.HTTP.BaseURL = "" // follows what is said of listening
	problems := append(l.unknown(), l.fill(&c)...)
	c.HTTP.BaseURL = cmp.Or(c.HTTP.BaseURL, addressOf(c.HTTP.Listen))
	err = failure(append(problems, l.outOfRange(c, problems)...))
	if err == nil {
		err = l.resolve(&c)
	}
	if err != nil {
		return l, Config{}, err
	}
	return l, c, nil
}

type loader struct {
	viper *viper.Viper
	file  string
	flags map[string]*pflag.Flag // by key
	given []string               // keys of the file
}

func (l *loader) readFile() error {
	if l.file == "" {
		return nil
	}
	// A second reader sees only the file, without the environment.
	alone := viper.New()
	for _, v := range []*viper.Viper{l.viper, alone} {
		v.SetConfigFile(l.file)
		v.SetConfigType("yaml")
		err := v.ReadInConfig()
		if err != nil {
			return fmt.Errorf("read the configuration file %s: %w", l.file, err)
		}
	}
	for _, key := range alone.AllKeys() {
		if alone.Get(key) == nil && isSection(key) {
			continue // a section whose lines are all commented out
		}
		if section, _, _ := strings.Cut(key, "."); section == profilesKey {
			continue // FindProfile reads them
		}
		l.given = append(l.given, key)
	}
	return nil
}

func isSection(key string) bool {
	return slices.ContainsFunc(Keys(), func(k string) bool { return strings.HasPrefix(k, key+".") })
}

// bindEnvironment names each variable. Viper's own way of finding them would let a stray
// ASSESS_LOG hide the whole section log of the file.
func (l *loader) bindEnvironment() error {
	var failed []error
	for _, key := range Keys() {
		failed = append(failed, l.viper.BindEnv(key, variable(key)))
	}
	return errors.Join(failed...)
}

// variable gives the environment variable of a key.
func variable(key string) string {
	return envPrefix + "_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

func (l *loader) bindFlags(flags *pflag.FlagSet) error {
	if flags == nil {
		return nil
	}
	dashes := strings.NewReplacer(".", "-", "_", "-")
	for _, key := range Keys() {
		if f := flags.Lookup(dashes.Replace(key)); f != nil {
			l.flags[key] = f
		}
	}
	flags.VisitAll(func(f *pflag.Flag) {
		for _, key := range f.Annotations[boundKey] {
			l.flags[key] = f
		}
	})
	var failed []error
	for key, f := range l.flags {
		failed = append(failed, l.viper.BindPFlag(key, f))
	}
	return errors.Join(failed...)
}

// unknown finds keys of the file that nobody reads: most often misspelt ones.
func (l *loader) unknown() []Problem {
	keys := Keys()
	var problems []Problem
	for _, key := range l.given {
		switch {
		case slices.Contains(keys, key):
		case isSection(key):
			problems = append(problems, Problem{key, "file " + l.file, "is a section, not a value"})
		default:
			problems = append(problems, Problem{key, "file " + l.file, "unknown key" + meant(key)})
		}
	}
	return problems
}

// fill writes every given value over its default.
func (l *loader) fill(c *Config) []Problem {
	var problems []Problem
	for _, s := range settings(c) {
		source := l.source(s.key)
		if source == "" {
			continue
		}
		err := s.set(l.viper.Get(s.key))
		if err != nil {
			problems = append(problems, Problem{s.key, source, err.Error()})
		}
	}
	return problems
}

// source says where the value of a key comes from; empty for a default.
func (l *loader) source(key string) string {
	switch f := l.flags[key]; {
	case f != nil && f.Changed:
		return "flag --" + f.Name
	case os.Getenv(variable(key)) != "":
		return "environment " + variable(key)
	case slices.Contains(l.given, key):
		return "file " + l.file
	}
	return ""
}

// outOfRange checks the values that could be read; the others hold their defaults.
func (l *loader) outOfRange(c Config, unread []Problem) []Problem {
	var problems []Problem
	for _, p := range c.problems() {
		known := slices.ContainsFunc(unread, func(u Problem) bool { return u.Key == p.Key })
		if !known {
			p.Source = l.source(p.Key)
			problems = append(problems, p)
		}
	}
	return problems
}
