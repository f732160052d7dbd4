// The endpoint for terminal views: authenticates them, and hands them to the terminal server, if there is one.
import type { Link } from "../../../link/index.ts";
import { messageOf } from "../../../wire/index.ts";
import type { PagewireError } from "../../../wire/index.ts";
import { closeWith } from "../../sockets/closing.ts";
import { terminalsOff } from "../../guard/shell-credentials.ts";
import type { ShellCredentials } from "../../guard/shell-credentials.ts";
import { noteRefusedPage } from "../../guard/note-refused-page.ts";
import type { Terminals } from "../../terminals/terminals.ts";
import type { Door } from "../door.ts";
import type { ShellOptions, ShellVisit } from "../../terminals/shell-door.ts";

export interface Shells {
  /** Whether the hub has terminals. */
  readonly isOn: boolean;
  serve(visit: ShellVisit): void;
  /** Disconnects a view with the reason. */
  refuse(link: Link, error: PagewireError, origin: string | undefined): void;
  /** Ends shells whose credential derives from an earlier key. */
  review(): void;
  /** Ends, as far as possible, every shell that cannot continue without the hub. */
  close(): Promise<void>;
}

export interface ShellsOptions {
  /** Undefined for a hub without terminals. */
  readonly shell: ShellOptions | undefined;
  readonly url: string;
  readonly terminals: Terminals;
  readonly shells: ShellCredentials;
}

/** Throws if the terminal server cannot be mounted. */
export function createShells(door: Door, { shell, url, terminals, shells }: ShellsOptions): Shells {
  const { limits, note, switchboard } = door;
  const mounted = shell?.mount({
    url,
    limits,
    note,
    terminals,
    signIn: shells.signIn,
    signOut: shells.signOut,
    hasTab: (principal, tabId, origin) => origin !== undefined && switchboard.hasTab(principal, tabId, origin),
  });

  function refuse(link: Link, error: PagewireError, origin: string | undefined): void {
    link.start({ message: () => {}, closed: () => {} });
    noteRefusedPage(door, error.code, origin);
    closeWith(link, error);
  }

  return {
    isOn: mounted !== undefined,
    refuse,
    serve(visit) {
      if (mounted) mounted.serve(visit);
      else refuse(visit.link, terminalsOff(), visit.origin);
    },
    review() {
      // A temporarily unreadable key is not a changed key, and no reason to end running shells.
      if (shell?.key?.() !== "") mounted?.review();
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
