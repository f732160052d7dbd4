// Assembles a view: its visible part, its session with the hub, and the page that its programs act in.
import { connectSocket, systemClock } from "../link/index.ts";
import { PagewireError, messageOf } from "../wire/index.ts";
import { copyText, createClipboardTaker } from "./clipboard.ts";
import { createFace } from "./create-face.ts";
import type { Face } from "./create-face.ts";
import { createLook } from "./create-look.ts";
import type { Look } from "./create-look.ts";
import { joinPage } from "./join-page.ts";
import type { JoinedPage } from "./join-page.ts";
import { openLink } from "./screen/check-link.ts";
import { maxPaste } from "./screen/create-screen.ts";
import { LazyScreen } from "./screen/lazy-screen.ts";
import { createViewKeys } from "./screen/view-keys.ts";
import { createShellCredentials, createTokenStorage } from "./session/shell-credentials.ts";
import type { TokenStorage } from "./session/shell-credentials.ts";
import { refusedState } from "./session/shell-state.ts";
import type { Target } from "./session/shown-terminal.ts";
import type { Size } from "./session/stream-reader.ts";
import { TerminalSession } from "./session/terminal-session.ts";
import type { TerminalInfo, TerminalState, TerminalView } from "./session/terminal-view.ts";
import { checkTerminalOptions } from "./terminal-options.ts";
import type { CheckedOptions, TerminalOptions } from "./terminal-options.ts";

/** Shows a terminal of a hub in an element. Its programs can act in this tab. */
export function mountTerminal(element: HTMLElement, options: TerminalOptions = {}): TerminalView {
  return new MountedTerminal(element, checkTerminalOptions(options));
}

/** Public methods are bound, so that an app can pass them on as functions. */
class MountedTerminal implements TerminalView {
  readonly #options: CheckedOptions;
  readonly #listeners: Set<(state: TerminalState) => void>;
  readonly #face: Face;
  readonly #screen: LazyScreen;
  readonly #look: Look;
  readonly #session: TerminalSession;
  readonly #page: JoinedPage;
  readonly #stopListening: () => void;
  /** Why the screen failed to load. */
  #failure: TerminalState | undefined;

  constructor(element: HTMLElement, options: CheckedOptions) {
    const { hub, page, actions, onError, onState } = options;
    const storage = createTokenStorage(hub);
    this.#options = options;
    this.#listeners = new Set(onState && [onState]);
    this.#face = this.#createFace(element);
    this.#screen = this.#createScreen();
    this.#look = createLook(this.#face.view, options, () => this.#screen.drawn);
    this.#session = this.#createSession(storage);
    this.#page = joinPage({
      ...{ hub, page, actions },
      onTab: () => this.#session.sendPlace(),
      onError: (error) => onError(error, { stage: "page" }),
    });
    this.#stopListening = storage.onElsewhere(() => this.#session.signedInElsewhere());
    this.#screen.load();
  }

  get state(): TerminalState {
    const { state } = this.#session;
    return state.status === "closed" ? state : (this.#failure ?? state);
  }

  get terminal(): string | undefined {
    return this.#session.terminal;
  }

  get terminals(): readonly TerminalInfo[] {
    return this.#session.terminals;
  }

  onState = (listener: (state: TerminalState) => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  open = (terminal?: string, { name }: { readonly name?: string } = {}) =>
    this.#session.open(targetOf({ terminal, name }));

  rename = (terminal: string, name: string) => this.#session.send({ type: "rename", terminal, name });

  end = (terminal: string) => this.#session.send({ type: "end", terminal });

  signOut = () => this.#session.signOut();

  focus = () => this.#face.focus();

  search = async (text: string, { backwards = false }: { readonly backwards?: boolean } = {}) => {
    await this.#screen.loading;
    this.#face.bar.open(text);
    return this.#screen.drawn?.search.find(text, { backwards }) ?? false;
  };

  clear = () => this.#screen.drawn?.clear();

  paste = (text: string) => {
    if (text.length <= maxPaste) this.#screen.paste(text);
    else this.#face.notes.say("What you pasted is too long for a terminal: it was not sent.");
  };

  copySelection = async () => {
    const text = this.#screen.drawn?.selection ?? "";
    if (text === "") return false;
    const isCopied = await copyText(text, this.#options.hub);
    this.#face.notes.say(isCopied ? "Copied." : "The browser does not let this page copy.");
    return isCopied;
  };

  setTheme = (theme: "auto" | "light" | "dark") => this.#look.setTheme(theme);

  setFontSize = (pixels: number) => this.#look.setFontSize(pixels);

  setScreenReaderMode = (on: boolean) => this.#screen.setScreenReaderMode(on);

  close = () => {
    if (this.#session.state.status === "closed") return;
    this.#stopListening();
    this.#page.close();
    this.#look.close();
    this.#session.close();
    this.#screen.close();
    this.#face.close();
    this.#listeners.clear();
  };

  #createFace(element: HTMLElement): Face {
    const { hub, label } = this.#options;
    return createFace(element, {
      label,
      copy: (text) => copyText(text, hub),
      codeCommand: codeCommandFor(hub),
      onCode: (code) => this.#session.useCode(code),
      onRetry: () => (this.#failure ? this.#loadAgain() : this.#session.retry()),
      onDiscard: () => this.#session.discard(),
      onFocus: () => this.#session.sendPlace(),
    });
  }

  #createScreen(): LazyScreen {
    const { hub, actions, label, screenReaderMode } = this.#options;
    const { notes, bar, holder } = this.#face;
    return new LazyScreen(holder, {
      ...{ label, screenReaderMode },
      look: () => this.#look,
      onDrawn: (screen) => this.#face.take(screen),
      onFailed: (error) => this.#failed(error),
      onInput: (text, isAnswer) => this.#onInput(text, isAnswer),
      onRoom: (size) => this.#onRoom(size),
      onKey: createViewKeys({
        copySelection: () => void this.copySelection(),
        search: () => bar.open(this.#screen.drawn?.selection),
        stepFontSize: (step) => this.#look.stepFontSize(step),
        say: notes.say,
      }),
      onPaste: this.paste,
      onLink: (link, isMeant) => openLink(link, isMeant, notes),
      onClipboard: createClipboardTaker({ hub, actions, notes }),
    });
  }

  #createSession(storage: TokenStorage): TerminalSession {
    const { hub, code, token, key } = this.#options;
    const onSignedIn: JoinedPage["signedIn"] = (accepted) => this.#page.signedIn(accepted);
    return new TerminalSession(
      {
        hub,
        origin: location.origin,
        clock: systemClock,
        date: Date.now,
        random: Math.random,
        openLink: () => {
          const { terminal } = this.#session ?? targetOf(this.#options);
          // Of several hubs that one serves it which has the shell.
          const query = terminal ? `?terminal=${terminal}` : "";
          return connectSocket({ url: `${hub.replace("http", "ws")}/ws/terminal${query}`, WebSocket });
        },
        credentials: createShellCredentials({ code, token, key, storage, onSignedIn }),
        screen: this.#screen,
        place: () => ({
          ...{ tab: this.#page.tabId, isConnected: this.#page.isConnected },
          focused: this.#face.hasFocus,
        }),
        onChange: () => this.#draw(),
        onNote: this.#face.notes.say,
      },
      targetOf(this.#options),
    );
  }

  #draw(): void {
    const { state } = this;
    this.#face.draw(state, { isBlank: this.#screen.isBlank, waiting: this.#session.waiting });
    for (const listener of [...this.#listeners]) listener(state);
  }

  #failed(error: unknown): void {
    const problem = PagewireError.isInstance(error) ? error : new PagewireError("internal-error", messageOf(error));
    this.#failure = refusedState(problem, location.origin);
    this.#options.onError(error, { stage: "terminal" });
    this.#draw();
  }

  #loadAgain(): void {
    this.#failure = undefined;
    this.#draw();
    this.#screen.load();
  }

  #onInput(text: string, isAnswer: boolean): void {
    const { status } = this.#session.state;
    // An unreachable program does not wait for answers to its queries.
    if (status === "connected" || (status !== "ended" && !isAnswer)) this.#session.input(text);
    else if (text === "\r") this.#session.retry();
  }

  /** With several views, the hub decides the size; the focused view resizes at once, without lag. */
  #onRoom(size: Size): void {
    if (this.#face.hasFocus || this.#session.state.status !== "connected") this.#screen.resize(size);
    this.#session.resize(size);
  }
}

/** Codes are valid for the hub's own pages, or for the one origin they were made for. */
function codeCommandFor(hub: string): string {
  const isOwn = new URL(hub).origin === location.origin;
  return `npx pagewire terminal ${isOwn ? "--code" : `--for ${location.origin}`}`;
}

function targetOf({ terminal, name }: { terminal?: string | undefined; name?: string | undefined }): Target {
  return { ...(terminal === undefined ? {} : { terminal }), ...(name === undefined ? {} : { name }) };
}
