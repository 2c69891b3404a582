package assess_test

import (
	"bytes"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"assess/config"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/errs"
	"assess/pkg/surface/cli"
)

func TestDocumentsNameMakeTargetsThatExist(t *testing.T) {
	t.Parallel()
	makefile := read(t, "Makefile")
	call := regexp.MustCompile(`^make ([a-z]+)`)
	for _, p := range pages(t) {
		for _, code := range p.code {
			m := call.FindStringSubmatch(code)
			if m != nil && !strings.Contains(makefile, "\n"+m[1]+":") {
				t.Errorf("%s: there is no make %s", p.file, m[1])
			}
		}
	}
}

var (
	link     = regexp.MustCompile(`\]\(([^)#:]+)\)`)
	rooted   = regexp.MustCompile(`^(pkg|docs|config|cmd|migrations|models|scripts|bench|deploy|examples)/[\w./*-]+$`)
	baseName = regexp.MustCompile(`^\w+\.(go|sql|yaml|md)$`)
)

func TestDocumentsNameFilesThatExist(t *testing.T) {
	t.Parallel()
	_, names := sources(t)
	for _, p := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(p.text, -1) {
			_, err := os.Stat(filepath.Join(filepath.Dir(p.file), m[1]))
			if err != nil {
				t.Errorf("%s: the link %s leads nowhere", p.file, m[1])
			}
		}
		for _, code := range p.code {
			found, _ := filepath.Glob(code)
			if rooted.MatchString(code) && len(found) == 0 {
				t.Errorf("%s: there is no %s", p.file, code)
			}
			if baseName.MatchString(code) && !slices.Contains(names, code) {
				t.Errorf("%s: no file is called %s", p.file, code)
			}
		}
	}
}

var (
	variable = regexp.MustCompile(`\bASSESS_[A-Z_]*[A-Z]\b`)
	dotted   = regexp.MustCompile(`^([a-z]+)\.[a-z_.]+$`)
)

func TestDocumentsNameSettingsThatExist(t *testing.T) {
	t.Parallel()
	text, _ := sources(t)
	keys := config.Keys()
	known := func(key string) bool {
		return slices.ContainsFunc(keys, func(k string) bool { return k == key || strings.HasPrefix(k, key+".") })
	}
	for _, p := range pages(t) {
		for _, name := range variable.FindAllString(p.text, -1) {
			isKey := slices.ContainsFunc(keys, func(k string) bool {
				return name == "ASSESS_"+strings.ToUpper(strings.ReplaceAll(k, ".", "_"))
			})
			if !isKey && !strings.Contains(text, name) {
				t.Errorf("%s: nothing obeys %s", p.file, name)
			}
		}
		for _, code := range p.code {
			m := dotted.FindStringSubmatch(code)
			// sessions.take reads like a setting and is a capability.
			isCapability := capability.Known(capability.Capability(code))
			if m != nil && known(m[1]) && !baseName.MatchString(code) && !known(code) && !isCapability {
				t.Errorf("%s: there is no setting %s", p.file, code)
			}
		}
	}
}

var (
	command = regexp.MustCompile(`(?:^|[\s(])assessctl ([^#|);>]*)`)
	global  = regexp.MustCompile(`^(?:--(?:tenant|org) \S+ |--all-orgs )*`)
	word    = regexp.MustCompile(`^[a-z][a-z-]*$`)
	flag    = regexp.MustCompile(`--[a-z-]+`)
)

func TestDocumentsNameCommandsThatExist(t *testing.T) {
	t.Parallel()
	for _, p := range pages(t) {
		for _, code := range p.code {
			for _, m := range command.FindAllStringSubmatch(code, -1) {
				checkCommand(t, p.file, strings.TrimSpace(m[1]))
			}
		}
	}
}

// checkCommand follows the words of a call through the tree of commands, as far as they
// are commands, and looks for its flags there.
func checkCommand(t *testing.T, file, call string) {
	t.Helper()
	var path []string
	text := help(path)
	for _, w := range strings.Fields(global.ReplaceAllString(call, "")) {
		next := help(append(slices.Clone(path), w))
		known := word.MatchString(w) && strings.Contains(next, "\n  "+strings.Join(append([]string{"assessctl"}, append(path, w)...), " ")+" ")
		if !known {
			if strings.Contains(text, "Available Commands:") && word.MatchString(w) {
				t.Errorf("%s: assessctl %s: there is no %s", file, call, w)
			}
			break
		}
		path, text = append(path, w), next
	}
	for _, f := range flag.FindAllString(call, -1) {
		if !strings.Contains(text, f+" ") {
			t.Errorf("%s: assessctl %s: there is no %s", file, call, f)
		}
	}
}

func help(path []string) string {
	var out bytes.Buffer
	cli.Main(append(slices.Clone(path), "--help"), strings.NewReader(""), &out, &out)
	return strings.ReplaceAll(out.String(), "\n", " \n")
}

var (
	testName = regexp.MustCompile(`^Test[A-Z]\w+$`)
	metric   = regexp.MustCompile(`^assessd_\w+$`)
	answer   = regexp.MustCompile("\\b([45]\\d\\d) `(\\w+)`")
)

func TestDocumentsNameTestsMetricsAndErrorsThatExist(t *testing.T) {
	t.Parallel()
	text, _ := sources(t)
	for _, p := range pages(t) {
		for _, code := range p.code {
			if testName.MatchString(code) && !strings.Contains(text, "func "+code+"(") {
				t.Errorf("%s: there is no %s", p.file, code)
			}
			if metric.MatchString(code) && !strings.Contains(text, `"`+code+`"`) {
				t.Errorf("%s: there is no metric %s", p.file, code)
			}
		}
		for _, m := range answer.FindAllStringSubmatch(p.text, -1) {
			if want := statusOf(m[2]); m[1] != want {
				t.Errorf("%s: %s %s; the catalogue says %s", p.file, m[1], m[2], want)
			}
		}
	}
}

func statusOf(code string) string {
	for _, e := range errs.Catalogue {
		if string(e.Code) == code {
			return strconv.Itoa(e.Status)
		}
	}
	return "no such code"
}

// TestDesignListsThePackagesInOrder keeps the table of docs/design.md in step with layout: a row a room,
// without the packages inside a package.
// Every picture in the docs is drawn by make picture, and shown or linked by a document.
func TestPicturesAreDrawnAndShown(t *testing.T) {
	t.Parallel()
	drawn := read(t, "scripts/picture")
	pictures, err := filepath.Glob("docs/*.png")
	if err != nil || len(pictures) == 0 {
		t.Fatalf("no pictures: %v", err)
	}
	for _, picture := range pictures {
		name := strings.TrimSuffix(filepath.Base(picture), ".png")
		if !strings.Contains(drawn, "\ndraw "+name+" ") && !strings.Contains(drawn, " "+picture+"\n") {
			t.Errorf("scripts/picture does not draw %s", picture)
		}
		if !slices.ContainsFunc(pages(t), func(p page) bool { return strings.Contains(p.text, filepath.Base(picture)+")") }) {
			t.Errorf("no document shows %s", picture)
		}
	}
}

func TestDesignListsThePackagesInOrder(t *testing.T) {
	t.Parallel()
	row := regexp.MustCompile("(?m)^\\|(?: `(pkg/\\w+)`)? \\| [^|`]+ \\| (.*) \\|$")
	name := regexp.MustCompile("`([\\w/]+)`")
	var got []string
	for _, m := range row.FindAllStringSubmatch(read(t, "docs/design.md"), -1) {
		if m[1] != "" {
			got = append(got, m[1])
		}
		for _, p := range name.FindAllStringSubmatch(m[2], -1) {
			got = append(got, path.Join(m[1], p[1]))
		}
	}
	if !slices.Equal(got, slices.DeleteFunc(slices.Clone(layout), inPackage)) {
		t.Errorf("docs/design.md lists\n%v\nlayout_test.go has\n%v", got, layout)
	}
}

// inPackage says that a package is part of another one.
func inPackage(p string) bool {
	return strings.HasPrefix(p, "pkg/") && strings.Count(p, "/") > 2
}

// TestDesignShowsTheImportsBetweenRooms holds the picture of docs/design.md against the code.
func TestDesignShowsTheImportsBetweenRooms(t *testing.T) {
	t.Parallel()
	room := regexp.MustCompile(`^pkg/(\w+)`)
	want := map[string]bool{}
	for _, p := range packages(t) {
		from := room.FindStringSubmatch(strings.TrimPrefix(p.ImportPath, module+"/"))
		if from == nil || from[1] == "dev" {
			continue
		}
		for _, i := range ours(p.Imports) {
			if to := room.FindStringSubmatch(i); to != nil && to[1] != from[1] {
				want[from[1]+" --> "+to[1]] = true
			}
		}
	}
	got := regexp.MustCompile(`\w+ --> \w+`).FindAllString(read(t, "docs/design.md"), -1)
	if slices.Sort(got); !slices.Equal(got, slices.Sorted(maps.Keys(want))) {
		t.Errorf("docs/design.md shows\n%v\nthe code has\n%v", got, slices.Sorted(maps.Keys(want)))
	}
}
