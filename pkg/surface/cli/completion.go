package cli

import (
	"io"

	"github.com/spf13/cobra"
)

const completionLong = `Print a script that completes commands, flags and values. To load it now and always:

  bash   source <(assessctl completion bash)          in ~/.bashrc
  zsh    source <(assessctl completion zsh)           in ~/.zshrc, after compinit
  fish   assessctl completion fish > ~/.config/fish/completions/assessctl.fish`

func newCompletion(s *Shell) *cobra.Command {
	scripts := map[string]func(*cobra.Command, io.Writer) error{
		"bash": func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"zsh":  func(root *cobra.Command, w io.Writer) error { return root.GenZshCompletion(w) },
		"fish": func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
	}
	return &cobra.Command{
		Use:       "completion bash|zsh|fish",
		Short:     "Print a completion script for a shell",
		Long:      completionLong,
		ValidArgs: []string{"bash", "zsh", "fish"},
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			return scripts[args[0]](cmd.Root(), s.Screen)
		},
	}
}
