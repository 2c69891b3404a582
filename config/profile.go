package config

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// profilesKey is the part of the file that holds profiles. It is not among the settings of a server.
const profilesKey = "profiles"

// Profile says where assessctl works; it has a name.
type Profile struct {
	DatabaseURL string `yaml:"database_url"`
	Server      string `yaml:"server"`
	Tenant      string `yaml:"tenant"`
	Org         string `yaml:"org"`
	Actor       string `yaml:"actor"`
}

// FindProfile reads a profile of the settings file, which it looks for as Load does. A problem with any
// profile is an error, which names no value.
func FindProfile(file, name string) (Profile, error) {
	file = place(file)
	if file == "" {
		return Profile{}, fmt.Errorf("profile %s: there is no settings file; it would be %s", name, strings.Join(Places(), " or "))
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return Profile{}, fmt.Errorf("read the configuration file %s: %w", file, err)
	}
	var read map[string]yaml.Node
	err = yaml.Unmarshal(text, &read)
	if err != nil {
		return Profile{}, fmt.Errorf("the configuration file %s is no YAML", file)
	}
	found := map[string]Profile{}
	if node, there := read[profilesKey]; there {
		err = strictly(node, &found)
	}
	if err != nil {
		return Profile{}, fmt.Errorf("the profiles of %s: expected names with database_url or server, tenant, org and actor", file)
	}
	p, there := found[name]
	if !there {
		return p, fmt.Errorf("there is no profile %s in %s; it has: %s", name, file, strings.Join(slices.Sorted(maps.Keys(found)), ", "))
	}
	return p, nil
}

// strictly takes only known fields.
func strictly(node yaml.Node, into any) error {
	text, err := yaml.Marshal(&node)
	if err != nil {
		return err
	}
	decoder := yaml.NewDecoder(strings.NewReader(string(text)))
	decoder.KnownFields(true)
	return decoder.Decode(into)
}
