// The endpoint for terminal views: authenticates them, and hands them to the terminal server, if there is one.
import type { IncomingMessage } from "node:http";
import type { Link } from "../../../link/index.ts";
import { PagewireError, messageOf } from "../../../wire/index.ts";
import { closeWith } from "../../sockets/closing.ts";
import { terminalsOff } from "../../guard/shell-credentials.ts";
import type { ShellCredentials } from "../../guard/shell-credentials.ts";
import { noteRefusedPage } from "../../guard/guard.ts";
import type { Terminals } from "../../terminals/terminals.ts";
import type { Door } from "../door.ts";
import { createShellsElsewhere, hubOfView } from "./shells-elsewhere.ts";
import type { ShellDoor, ShellHost, ShellInfo, ShellSwitch, ShellVisit } from "../../terminals/shell-door.ts";

/** A terminal in a user's list. */
interface ListedShell extends Omit<ShellInfo, "tab"> {
  /** The name of the hub beside which it runs, where there are several. */
  readonly hub?: string | undefined;
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
  /** The other hub that is to serve a view. */
  hubOf(request: IncomingMessage): Promise<string | undefined> | undefined;
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
  const { limits, note, switchboard, cluster } = door;
  const elsewhere = cluster && createShellsElsewhere(cluster, () => mounted);
  const host: ShellHost = {
    url,
    limits,
    note,
    terminals,
    elsewhere,
    async signIn(proof, origin) {
      const pass = await shells.signIn(proof, origin);
      await cluster?.know(pass.admitted.principal);
      return pass;
    },
    signOut: shells.signOut,
    hasTab: (principal, tabId, origin) => origin !== undefined && switchboard.hasTab(principal, tabId, origin),
  };
  let mounted: ShellDoor | undefined = shell.mount?.(host);
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
      const [own, others = []] = await Promise.all([server().list(principal), elsewhere?.list(principal)]);
      const tabs = tabsOf(door, principal);
      const named = cluster ? own.map((each) => ({ ...each, hub: cluster.self.name })) : own;
      return [...named, ...others].map((each) => ({ ...each, tab: tabs.find(({ tabId }) => tabId === each.tab) }));
    },
    async end(principal, id) {
      const isElsewhere = elsewhere && !(await server().has?.(id));
      await (isElsewhere ? elsewhere : server()).end(principal, id);
    },
    hubOf: (request) => cluster && hubOfView(request, cluster, mounted),
    serve(visit) {
      if (mounted) mounted.serve(cluster ? following(visit, switchboard) : visit);
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

/** While a view is there, its principal's tabs at other hubs are known: one of them may show it. */
function following(visit: ShellVisit, switchboard: Door["switchboard"]): ShellVisit {
  return {
    ...visit,
    known(admitted, link) {
      const leave = visit.known(admitted, link);
      const agent = switchboard.agent({ principal: admitted.principal, identity: "shells", name: "terminal" });
      return () => {
        leave();
        agent.close();
      };
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
