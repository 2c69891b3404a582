package pgdev

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// account is the system account that PostgreSQL runs as.
type account struct {
	uid, gid int
	// other is true where it is not the account of this process, which then is root.
	other bool
}

// serverAccount is oneself, or for root the first of postgres and nobody that exists.
func serverAccount() (account, error) {
	if os.Geteuid() != 0 {
		return account{uid: os.Geteuid(), gid: os.Getegid()}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		found, err := user.Lookup(name)
		if errors.As(err, new(user.UnknownUserError)) {
			continue
		}
		if err != nil {
			return account{}, fmt.Errorf("look up the account %s: %w", name, err)
		}
		return parseAccount(found)
	}
	return account{}, errors.New("PostgreSQL refuses to run as root, and there is no account postgres or nobody: " +
		"run `make setup` as root, or run this as another user")
}

func parseAccount(u *user.User) (account, error) {
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return account{}, fmt.Errorf("account %s has no numeric id: %w", u.Username, err)
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return account{}, fmt.Errorf("account %s has no numeric group: %w", u.Username, err)
	}
	return account{uid: uid, gid: gid, other: true}, nil
}

// command prepares a program that runs as the account, in a session of its own, so that
// Ctrl-C at the caller's terminal does not reach it. All output goes to the file: the
// server outlives the caller, and an inherited pipe would keep the reader waiting.
func (a account) command(in string, output *os.File, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = in
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "TZ=UTC"}
	cmd.Stdout, cmd.Stderr = output, output
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if a.other {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	return cmd
}

// canEnter tries it: permissions, access lists and mounts all have a say.
func (a account) canEnter(folder string) bool {
	return a.command(folder, nil, "true").Run() == nil
}
