// A view's session with its hub: whether the user is signed in and connected, the list of terminals, and the state of
// the one that is shown.
import type { Clock, Link } from "../../link/index.ts";
import type { FrameFromView, FrameToView, PagewireError } from "../../wire/index.ts";
import type { TerminalInfo, TerminalState } from "./terminal-view.ts";
import type { ShellCredentials } from "./shell-credentials.ts";
import { connectShell, hubError } from "./shell-connection.ts";
import type { ShellConnection, Welcome } from "./shell-connection.ts";
import { exitedState, reconnectingState, refusedState, signedOutState } from "./shell-state.ts";
import { ShownTerminal } from "./shown-terminal.ts";
import type { Place, ShownTerminalParts, Target } from "./shown-terminal.ts";
import type { Size, TerminalScreen } from "./stream-reader.ts";

export interface TerminalSessionOptions {
  readonly hub: string;
  /** The origin of the page that the view is in. */
  readonly origin: string;
  readonly clock: Clock;
  date(): number;
  random(): number;
  openLink(): Promise<Link>;
  readonly credentials: ShellCredentials;
  readonly screen: TerminalScreen;
  place(): Place;
  /** The state, the list of terminals, or the pending input has changed. */
  onChange(): void;
  /** A transient notification for the user. */
  onNote(text: string): void;
}

const removed: TerminalState = { status: "ended", message: "This terminal is not there any more." };
const connecting: TerminalState = { status: "connecting", message: "Connecting to the hub." };

export class TerminalSession {
  state = connecting;
  terminals: readonly TerminalInfo[] = [];
  readonly #options: TerminalSessionOptions;
  readonly #shown: ShownTerminal;
  #connection: ShellConnection | undefined;
  #isWelcome = false;

  constructor(options: TerminalSessionOptions, first: Target) {
    const { screen, place, onNote } = options;
    this.#options = options;
    const sendFrame: ShownTerminalParts["sendFrame"] = (frame, payload) => this.#connection?.send(frame, payload);
    this.#shown = new ShownTerminal({ screen, sendFrame, place, onNote }, first);
    this.#connect();
  }

  get terminal(): string | undefined {
    return this.#shown.target?.terminal;
  }

  /** Number of characters queued until the shell is reachable. */
  get waiting(): number {
    return this.#shown.waiting;
  }

  open(next: Target): void {
    const { target } = this.#shown;
    const isTarget = target !== undefined && next.terminal === target.terminal;
    if (!isTarget || (next.terminal === undefined && this.state.status !== "connecting")) this.#begin(next);
  }

  input(text: string): void {
    this.#shown.input(text);
    if (!this.#shown.isOpen) this.#options.onChange();
  }

  /** Drops pending input. */
  discard(): void {
    this.#shown.discard();
    this.#options.onChange();
  }

  resize(size: Size): void {
    if (this.#shown.resize(size)) this.#requestOpen();
  }

  /** Reports the user's tab to the hub, even if it has not changed. */
  sendPlace(): void {
    this.#shown.sendPlace();
    this.#showConnected();
  }

  /** Sends the hub a request that only makes sense now. */
  send(frame: Extract<FrameFromView, { type: "rename" | "end" }>): void {
    if (this.#connection?.send(frame)) return;
    this.#options.onNote("There is no connection to the hub. Try again when it is back.");
  }

  useCode(code: string): void {
    this.#options.credentials.useCode(code);
    this.#reconnect();
  }

  /** Tries again now, after any failure. */
  retry(): void {
    if (this.state.status === "signed-out") return this.#reconnect();
    if (!this.#shown.target) this.#begin({});
    // A double click must not open two.
    else if (this.#isWelcome && !this.#shown.isOpen && !this.#shown.isRequested) this.#requestOpen();
    this.#connection?.retryNow();
  }

  signOut(): void {
    this.#connection?.send({ type: "sign-out" });
    this.#options.credentials.forget();
    this.#leave();
    this.terminals = [];
    this.#setState({ status: "signed-out", message: "A code is needed to open a terminal." });
  }

  /** The user entered a code in another tab. */
  signedInElsewhere(): void {
    if (this.state.status === "signed-out") this.#reconnect();
  }

  close(): void {
    this.#leave();
    this.#setState({ status: "closed", message: "This view of a terminal is closed." });
  }

  #setState(next: TerminalState): void {
    if (this.state.status === "closed") return;
    this.state = next;
    this.#options.onChange();
  }

  #connect(): void {
    this.#leave();
    this.#connection = connectShell({
      ...this.#options,
      prove: this.#options.credentials.prove,
      onWelcome: (frame) => this.#onWelcome(frame),
      onFrame: (frame, payload) => this.#onFrame(frame, payload),
      onWaiting: (milliseconds, problem) => this.#onWaiting(milliseconds, problem),
      onRefused: (problem) => this.#onRefused(problem),
    });
  }

  #reconnect(): void {
    this.#connect();
    this.#setState(connecting);
  }

  #leave(): void {
    this.#connection?.close();
    this.#isWelcome = false;
    this.#shown.away();
  }

  #onWelcome(frame: Welcome): void {
    this.#options.credentials.accepted(frame.token);
    this.terminals = frame.terminals;
    this.#isWelcome = true;
    this.#requestOpen();
  }

  #requestOpen(): void {
    if (this.#isWelcome) this.#shown.request();
    this.#options.onChange();
  }

  #begin(next: Target): void {
    this.#shown.leave(next);
    // The reason why the hub is unreachable still applies.
    if (this.#isWelcome || this.state.status === "ended") {
      this.#setState({ status: "connecting", message: "Opening the terminal." });
    }
    this.#requestOpen();
  }

  #onWaiting(milliseconds: number, problem: PagewireError | undefined): void {
    const { hub, origin, date } = this.#options;
    this.#isWelcome = false;
    this.#shown.disconnected();
    if (problem?.code === "terminal-not-found") return this.#ended(removed);
    // A shell that ended remains ended, connected or not.
    if (this.state.status === "ended") return;
    const isRefused = problem?.code === "origin-not-allowed" || problem?.code === "terminal-unavailable";
    if (problem && isRefused) this.#setState(refusedState(problem, origin));
    else this.#setState(reconnectingState({ hub, milliseconds, problem, retryAt: date() + milliseconds }));
  }

  #onRefused(problem: PagewireError): void {
    if (this.#options.credentials.refused()) return this.#reconnect();
    this.#leave();
    this.terminals = [];
    this.#setState(signedOutState(problem));
  }

  #onFrame(frame: FrameToView, payload: string): void {
    const shown = this.#shown;
    shown.confirmInput();
    switch (frame.type) {
      case "opened":
        shown.opened(frame);
        return this.#showConnected();
      case "output":
      case "size":
        return shown.receive(frame, payload);
      case "attached":
        shown.attached(frame.tab);
        return this.#showConnected();
      case "terminals":
        return this.#listed(frame.terminals);
      case "exited":
        return shown.isOpen ? this.#ended(exitedState(frame)) : undefined;
      case "failed":
        return this.#failed(hubError(frame.code, frame.message));
      // The connection's own.
      case "welcome":
      case "heartbeat":
        return undefined;
    }
  }

  #listed(terminals: readonly TerminalInfo[]): void {
    this.terminals = terminals;
    const info = terminals.find(({ id }) => id === this.terminal);
    if (info) this.#shown.renamed(info.name);
    this.#showConnected();
  }

  #ended(how: TerminalState): void {
    this.#shown.leave();
    this.#setState(how);
  }

  #failed(problem: PagewireError): void {
    if (this.#shown.isOpen || !this.#shown.target) return this.#options.onNote(problem.message);
    if (problem.code === "terminal-not-found") return this.#ended(removed);
    this.#shown.failed();
    this.#setState(refusedState(problem, this.#options.origin));
  }

  #showConnected(): void {
    const { isOpen, target, attachment } = this.#shown;
    const { terminal, name = "" } = target ?? {};
    if (!isOpen || terminal === undefined) return this.#options.onChange();
    const message = `Connected to ${this.#options.hub}.`;
    this.#setState({ status: "connected", message, terminal, name, attachment });
  }
}
