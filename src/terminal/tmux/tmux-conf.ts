import { quote } from "../shell/quote.ts";

export interface TmuxConfOptions {
  /** The script that runs shells. */
  readonly run: string;
  readonly shell: string;
  readonly platform: string;
}

/**
 * The configuration of the server of our sessions: first defaults that suit a browser, then the user's own
 * configuration, and last the settings that must not be changed.
 */
export function tmuxConf({ run, shell, platform }: TmuxConfOptions): string {
  // The old library of macOS does not know the better one.
  const terminal = platform === "darwin" ? "screen-256color" : "tmux-256color";
  return [
    `set -g default-terminal ${terminal}`,
    `set -g default-shell ${quote(shell)}`,
    "set -asq terminal-features ',xterm-256color:RGB'",
    "set -g mouse on",
    "set -g history-limit 50000",
    "set -s escape-time 10",
    "set -s focus-events on",
    // The page has a frame of its own around it.
    "set -g status off",
    "source-file -q /etc/tmux.conf",
    "source-file -q ~/.tmux.conf",
    "source-file -q ~/.config/tmux/tmux.conf",
    // A shell outlives the page that shows it, and starts as the hub configures it.
    "set -s exit-unattached off",
    "set -g destroy-unattached off",
    // Otherwise a view whose shell ended would show another terminal.
    "set -g detach-on-destroy on",
    "set -g remain-on-exit off",
    "set -g window-size latest",
    `set -g default-command ${quote(`exec sh ${quote(run)}`)}`,
    // Copied text reaches the page.
    "set -s set-clipboard on",
    "set -gq allow-passthrough on",
    "",
  ].join("\n");
}
