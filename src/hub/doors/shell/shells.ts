// The endpoint for terminal views: authenticates them, and hands them to the terminal server, if there is one.
import type { Link } from "../../../link/index.ts";
import { PagewireError, messageOf } from "../../../wire/index.ts";
import { closeWith } from "../../sockets/closing.ts";
import { terminalsOff } from "../../guard/shell-credentials.ts";
import type { ShellCredentials } from "../../guard/shell-credentials.ts";
import { noteRefusedPage } from "../../guard/guard.ts";
import type { Terminals } from "../../terminals/terminals.ts";
import type { Door } from "../door.ts";
import type { ShellDoor, ShellHost, ShellInfo, ShellSwitch, ShellVisit } from "../../terminals/shell-door.ts";

/** A terminal in a user's list. */
interface ListedShell extends Omit<ShellInfo, "tab"> {
  /** The tab that shows it, while that is connected. */
  readonly tab: { readonly tabId: string; readonly title: string; readonly url: string } | undefined;
}

export interface Shells {
  /** Whether the hub has terminals. */
  readonly isOn: boolean;
  /** Has terminals from now on; rejects with why that cannot be. Can be called twice. */
  switchOn(principal: string): Promise<void>;
  /** Rejects while terminals are off. */
  list(principal: string): Promise<readonly ListedShell[]>;
  /** Rejects with `terminal-not-found`. */
  end(principal: string, id: string): Promise<void>;
  serve(visit: ShellVisit): void;
  /** Disconnects a view with the reason. */
  refuse(link: Link, error: PagewireError, origin: string | undefined): void;
  /** Ends shells whose credential derives from an earlier key. */
  review(): void;
  /** Ends, as far as possible, every shell that cannot continue without the hub. */
  close(): Promise<void>;
}

export interface ShellsOptions {
  readonly shell: ShellSwitch;
  readonly url: string;
  readonly terminals: Terminals;
  readonly shells: ShellCredentials;
}

/** Throws if the terminal server cannot be mounted. */
export function createShells(door: Door, { shell, url, terminals, shells }: ShellsOptions): Shells {
  const { limits, note, switchboard } = door;
  const host: ShellHost = {
    url,
    limits,
    note,
    terminals,
    signIn: shells.signIn,
    signOut: shells.signOut,
    hasTab: (principal, tabId, origin) => origin !== undefined && switchboard.hasTab(principal, tabId, origin),
  };
  let mounted = shell.mount?.(host);
  let switching: Promise<void> | undefined;

  async function load(principal: string): Promise<void> {
    if (!shell.load) throw terminalsOff(shell);
    const mount = await shell.load();
    if (door.refusal()) throw new PagewireError("going-away", "The hub is stopping. Try again in a moment.");
    mounted = mount(host);
    shell.isOn = true;
    note("warn", "terminals-switched-on", { principal });
    door.audit.record({ kind: "terminal", principal, outcome: "switched-on" });
  }

  function server(): ShellDoor {
    if (mounted) return mounted;
    throw terminalsOff(shell);
  }

  function refuse(link: Link, error: PagewireError, origin: string | undefined): void {
    link.start({ message: () => {}, closed: () => {} });
    noteRefusedPage(door, error.code, origin);
    closeWith(link, error);
  }

  return {
    get isOn() {
      return mounted !== undefined;
    },
    refuse,
    async switchOn(principal) {
      if (!mounted) await (switching ??= load(principal).finally(() => (switching = undefined)));
    },
    async list(principal) {
      const found = await server().list(principal);
      const tabs = tabsOf(door, principal);
      return found.map((each) => ({ ...each, tab: tabs.find(({ tabId }) => tabId === each.tab) }));
    },
    end: async (principal, id) => server().end(principal, id),
    serve(visit) {
      if (mounted) mounted.serve(visit);
      else refuse(visit.link, terminalsOff(shell), visit.origin);
    },
    review() {
      // A temporarily unreadable key is not a changed key, and no reason to end running shells.
      if (shell.key?.() !== "") mounted?.review();
    },
    async close() {
      try {
        await mounted?.close();
      } catch (error) {
        note("error", "shells-not-closed", { message: messageOf(error) });
      }
    },
  };
}

function tabsOf({ switchboard }: Door, principal: string): readonly NonNullable<ListedShell["tab"]>[] {
  const agent = switchboard.agent({ principal, identity: "shells", name: "terminal" });
  try {
    return agent.tabs().map(({ tabId, title, url }) => ({ tabId, title, url }));
  } finally {
    agent.close();
  }
}
