// Serves terminals in a hub. Each view has a socket of its own: it is authenticated, and its frames are handled one after the
// other.
import type { Clock } from "../link/index.ts";
import { systemClock } from "../link/index.ts";
import { closeWith } from "../hub/index.ts";
import type { MountShell, ShellHost, ShellPass, ShellVisit, TerminalInfo } from "../hub/index.ts";
import {
  PagewireError,
  closeReason,
  encodeFrame,
  fromView,
  isErrorCode,
  messageOf,
  parseFrame,
  shortMessage,
  sizeOf,
} from "../wire/index.ts";
import type { FrameFromView, FrameToView, Message, Payload } from "../wire/index.ts";
import type { OpenTerminal, TerminalView } from "./open-terminal.ts";
import { createShellRecords } from "./shell/shell-records.ts";
import { createShells } from "./shells.ts";
import type { TerminalDoorOptions } from "./shells.ts";
import { TerminalKeeper } from "./terminal-keeper.ts";
import { listed } from "./terminal-names.ts";

/** Serves terminals in a hub: pass it to `createHub` as `shell.mount`. */
export function createTerminalDoor(options: TerminalDoorOptions): MountShell {
  const { stateDirectory, klangk } = options;
  const clock = systemClock;
  return (host) => {
    async function start(): Promise<Started> {
      const records = createShellRecords(stateDirectory);
      const shells = await createShells(options, records.folder, clock);
      const keeper = new TerminalKeeper({ host, shells, records, klangk, clock });
      // Revokes the tokens of terminals that ended while no hub was running.
      await keeper.review();
      return { keeper, inTmux: shells.inTmux };
    }
    const report = (what: string) => (error: unknown) => host.note("error", what, { message: messageOf(error) });
    const ready = start();
    ready.catch(report("terminals-unavailable"));
    return {
      serve: (visit) => new ViewConnection(visit, { host, clock, ready }).start(),
      has: async (id) => (await ready).keeper.has(id),
      list: async (principal) => (await ready).keeper.describe(principal),
      end: async (principal, id) => (await ready).keeper.end(principal, id),
      review: () => void ready.then(({ keeper }) => keeper.review()).catch(report("terminals-not-reviewed")),
      async close() {
        await ready.then(
          ({ keeper }) => keeper.close(),
          () => {},
        );
      },
    };
  };
}

interface Started {
  readonly keeper: TerminalKeeper;
  readonly inTmux: boolean;
}

interface ViewOptions {
  readonly host: ShellHost;
  readonly clock: Clock;
  /** Rejects if no terminal can be opened. */
  readonly ready: Promise<Started>;
}

type Frame<Type extends FrameFromView["type"]> = Extract<FrameFromView, { type: Type }>;

const viewVersion = 1;
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The connection of a view, which may not have sent its hello yet. */
class ViewConnection implements TerminalView {
  tab: string | undefined;
  size = { columns: 80, rows: 24 };
  readonly #visit: ShellVisit;
  readonly #options: ViewOptions;
  /** Undefined until the view has signed in. */
  #pass: ShellPass | undefined;
  #shown: OpenTerminal | undefined;
  #waitingBytes = 0;
  #queue: Promise<unknown> = Promise.resolve();
  readonly #onClosed: (() => void)[] = [];

  constructor(visit: ShellVisit, options: ViewOptions) {
    this.#visit = visit;
    this.#options = options;
  }

  start(): void {
    this.#visit.link.start({
      message: (message) => this.#receive(message),
      closed: () => {
        this.#leave();
        for (const run of this.#onClosed) run();
      },
    });
  }

  send(frame: FrameToView, payload?: Payload): void {
    this.#visit.link.send(encodeFrame(frame, payload));
  }

  ended(): void {
    this.#shown = undefined;
  }

  #receive(message: Message): void {
    const { limits } = this.#options.host;
    const { link } = this.#visit;
    const parsed = parseFrame(fromView, message, limits);
    if (parsed.kind === "unknown") return;
    if (parsed.kind === "refused") return this.#refuse(new PagewireError(parsed.close, parsed.message));
    const bytes = sizeOf(message);
    this.#waitingBytes += bytes;
    if (this.#waitingBytes > limits.queuedBytes) return link.close(closeReason("too-slow"));
    const { frame, payload } = parsed;
    this.#queue = this.#queue
      // A view that signs out may disconnect before its frame is handled.
      .then(() => (link.open || frame.type === "sign-out" ? this.#handle(frame, payload) : undefined))
      .catch((error: unknown) => this.#fail(error))
      .finally(() => (this.#waitingBytes -= bytes));
  }

  async #handle(frame: FrameFromView, payload: Payload): Promise<void> {
    if ((frame.type === "hello") === (this.#pass !== undefined)) {
      const problem = "The first frame of a view is its hello, and only that.";
      return closeWith(this.#visit.link, new PagewireError("hello-expected", problem));
    }
    if (frame.type === "hello") return this.#welcome(frame).catch((error: unknown) => this.#refuse(error));
    const { host, ready } = this.#options;
    const { keeper } = await ready;
    const { principal = "" } = this.#pass?.admitted ?? {};
    switch (frame.type) {
      case "open":
        return this.#open(keeper, principal, frame);
      case "input":
        return this.#input(payload);
      case "resize":
        this.size = { columns: frame.columns, rows: frame.rows };
        return this.#shown?.update(this, false);
      case "here":
        return this.#here(principal, frame);
      case "seen":
        return this.#shown?.seen(this, frame.at);
      case "end":
        // Not awaited: ending may take a while.
        return void keeper.endAnywhere(principal, frame.terminal).catch((error: unknown) => this.#fail(error));
      case "rename":
        return keeper.rename(principal, frame.terminal, frame.name);
      case "sign-out":
        return this.#pass && host.signOut(this.#pass.admitted);
      case "heartbeat":
        return undefined;
    }
  }

  async #welcome({ version, code, token, key }: Frame<"hello">): Promise<void> {
    if (version !== viewVersion) {
      throw new PagewireError("version-unsupported", `This hub speaks version ${viewVersion}. Update the older side.`);
    }
    const { host, ready } = this.#options;
    const { link, origin, known } = this.#visit;
    // Before the one-time code is consumed.
    const { keeper, inTmux } = await ready;
    const found = await host.signIn({ code, token, key }, origin);
    if (!link.open) return;
    this.#pass = found;
    // Before the next await: the credential may be revoked in the meantime.
    this.#onClosed.push(known(found.admitted, link));
    const { principal } = found.admitted;
    let isWelcome = false;
    let newest: readonly TerminalInfo[] | undefined;
    const stopListening = keeper.onChange((whose, terminals) => {
      if (whose !== principal) return;
      newest = terminals;
      if (isWelcome) this.send({ type: "terminals", terminals: listed(terminals) });
    });
    this.#onClosed.push(stopListening);
    const first = await keeper.listAll(principal);
    if (!link.open) return;
    const { token: newToken, expiresAt } = found;
    const heartbeat = host.limits.heartbeatTime;
    const terminals = listed(newest ?? first);
    this.send({ type: "welcome", version, token: newToken, expiresAt, terminals, tmux: inTmux, heartbeat });
    isWelcome = true;
    this.#beat(heartbeat);
    host.note("info", "view-connected", { origin });
  }

  #beat(interval: number): void {
    let stop = (): void => {};
    const next = () => {
      stop = this.#options.clock.after(interval, () => {
        this.send({ type: "heartbeat" });
        next();
      });
    };
    next();
    this.#onClosed.push(() => stop());
  }

  async #open(keeper: TerminalKeeper, principal: string, frame: Frame<"open">): Promise<void> {
    const { columns, rows, terminal: id } = frame;
    this.#leave();
    this.size = { columns, rows };
    // The view comes again, and names the terminal: then the hub serves it beside which the shell runs.
    if (id !== undefined && (await keeper.isElsewhere(principal, id)))
      return this.#visit.link.close(closeReason("going-away"));
    const { tokenId, allowed, ofToken } = this.#pass?.admitted ?? {};
    const { terminal, isNew } = await keeper.open(principal, { ...frame, tokenId, allowed, ofToken });
    if (!this.#visit.link.open) return isNew ? keeper.end(principal, terminal.id) : undefined;
    this.#shown = terminal;
    terminal.join(this, { stream: id && frame.stream, from: frame.from, isNew });
  }

  #leave(): void {
    this.#shown?.leave(this);
    this.#shown = undefined;
  }

  #here(principal: string, { tab, focused }: Frame<"here">): void {
    const isOpen = tab !== undefined && this.#options.host.hasTab(principal, tab, this.#visit.origin);
    this.tab = isOpen ? tab : undefined;
    this.#shown?.update(this, focused);
    if (tab === undefined || isOpen) return;
    throw new PagewireError("tab-not-found", `No page of this origin is the tab "${tab}". Connect it first.`);
  }

  #input(payload: Payload): void {
    const text = typeof payload === "string" ? payload : decoder.decode(payload);
    if (this.#shown?.write(text) !== false) return;
    throw new PagewireError("too-slow", "The program in the terminal does not read what is typed. Nothing was added.");
  }

  #refuse(error: unknown): void {
    const named = PagewireError.isInstance(error) ? error : new PagewireError("internal-error", messageOf(error));
    this.#options.host.note("warn", "view-refused", { code: named.code });
    closeWith(this.#visit.link, named);
  }

  /** Reports a failed request to the view, whose connection stays open. */
  #fail(error: unknown): void {
    const { code } = Object(error) as { readonly code?: unknown };
    const named = isErrorCode(code) ? code : "internal-error";
    this.send({ type: "failed", code: named, message: shortMessage(messageOf(error)) });
    if (named === "internal-error") this.#options.host.note("error", "view-failed", { message: messageOf(error) });
  }
}
