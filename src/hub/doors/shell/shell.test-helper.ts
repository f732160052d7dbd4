// A hub with terminals but without shells: the fake terminal server only tells a view its admitted identity.
import { PagewireError, closeNameOf, messageOf, textOf } from "../../../wire/index.ts";
import { closeWith } from "../../sockets/closing.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import type { TestHub } from "../../test-support/hub.test-helper.ts";
import type { HubOptions } from "../../options/options.ts";
import { askOwn } from "../../test-support/own.test-helper.ts";
import type { OwnAnswer } from "../../test-support/own.test-helper.ts";
import { openSocket } from "../../test-support/peer.test-helper.ts";
import type {
  MountShell,
  ShellHost,
  ShellInfo,
  ShellPass,
  ShellProof,
  ShellVisit,
} from "../../terminals/shell-door.ts";

export interface ShellHub extends TestHub {
  /** The current shell key. */
  readonly key: string;
  /** The options that the hub passes to the terminal server. */
  readonly host: ShellHost;
  /** The terminals of each principal, which can be listed and ended. */
  readonly shells: Record<string, ShellInfo[]>;
  /** How often the terminal server was closed. */
  readonly closes: number;
  /** How often the terminal server was asked to review its shells. */
  readonly reviews: number;
  rotateKey(next: string): void;
}

interface ShellHubOptions extends Partial<HubOptions> {
  /** The hub starts without terminals. Runs when they are switched on, before they are. */
  readonly whenLoaded?: () => Promise<void>;
}

export async function startShellHub({ whenLoaded, ...options }: ShellHubOptions = {}): Promise<ShellHub> {
  let key = "shell-key-of-this-test";
  let host: ShellHost | undefined;
  let [closes, reviews] = [0, 0];
  const shells: ShellHub["shells"] = {};
  const mount: MountShell = (given) => {
    host = given;
    return {
      serve: (visit: ShellVisit) => serve(visit, given),
      has: async (id) => Object.values(shells).some((list) => list.some((each) => each.id === id)),
      list: async (principal) => shells[principal] ?? [],
      async end(principal, id) {
        const index = shells[principal]?.findIndex((each) => each.id === id) ?? -1;
        if (index < 0) throw new PagewireError("terminal-not-found", `There is no terminal "${id}".`);
        shells[principal]?.splice(index, 1);
      },
      review: () => void reviews++,
      close: async () => void closes++,
    };
  };
  const later = whenLoaded && { load: () => whenLoaded().then(() => mount), key: () => key };
  const shell = later ?? { mount, ...(options.jwt ? {} : { key: () => key }) };
  const hub = await startHub({ shell, ...options });
  return Object.defineProperties(hub, {
    key: { get: () => key },
    shells: { value: shells },
    host: { get: () => host },
    closes: { get: () => closes },
    reviews: { get: () => reviews },
    rotateKey: {
      value(next: string) {
        key = next;
        hub.rotate(hub.token);
      },
    },
  }) as ShellHub;
}

function serve({ link, origin, known }: ShellVisit, host: ShellHost): void {
  let leave = () => {};
  link.start({
    message(message) {
      host.signIn(JSON.parse(textOf(message)) as ShellProof, origin).then(
        (pass) => {
          leave = known(pass.admitted, link);
          link.send(JSON.stringify(pass));
        },
        (error: unknown) => {
          closeWith(
            link,
            PagewireError.isInstance(error) ? error : new PagewireError("internal-error", messageOf(error)),
          );
        },
      );
    },
    closed: () => leave(),
  });
}

/** Asks for a terminal code, as a program does. */
export function askForCode(hub: ShellHub, token: string | undefined = hub.key, origin?: string): Promise<OwnAnswer> {
  return askOwn(hub, "POST /api/shell-codes", {
    origin: undefined,
    ...(token === "" ? {} : { token }),
    ...(origin === undefined ? {} : { body: JSON.stringify({ origin }) }),
  });
}

/** A terminal code, for the hub's own pages or those of another origin. */
export async function mintShellCode(hub: ShellHub, token?: string, origin?: string): Promise<string> {
  const { body } = await askForCode(hub, token, origin);
  return String(body?.["code"]);
}

export interface TestView {
  /** The admission; undefined if the view was refused. */
  readonly pass: ShellPass | undefined;
  /** The name of the close code and the reason; pending while the view is open. */
  readonly closed: Promise<readonly [name: string | undefined, reason: string]>;
}

/** Opens a view in a page of an origin (null: without a page), and waits until it is admitted or refused. */
export async function openView(hub: TestHub, proof: ShellProof, origin: string | null = hub.url): Promise<TestView> {
  const headers = origin === null ? {} : { Origin: origin };
  const { link } = await openSocket(`${hub.url}/ws/terminal`, { headers });
  return new Promise((resolve) => {
    const closed = new Promise<readonly [string | undefined, string]>((tell) => {
      link.start({
        message: (message) => resolve({ pass: JSON.parse(textOf(message)) as ShellPass, closed }),
        closed({ code, reason }) {
          tell([closeNameOf(code), reason]);
          resolve({ pass: undefined, closed });
        },
      });
    });
    link.send(JSON.stringify(proof));
  });
}

/** Signs a view in; returns the token for its next connection. */
export async function signInView(hub: ShellHub, origin: string = hub.url): Promise<string> {
  const code = await mintShellCode(hub, hub.key, origin);
  return String((await openView(hub, { code }, origin)).pass?.token);
}
