// The page's connection to the agent's window: opens, shows, finds and closes the window.
import { isGone, mountFrame, placeInFrame } from "./agent-place.ts";
import type { ConnectionReason, ConnectionState } from "./bridge-states.ts";
import type { Envelope, FromParent } from "./messages.ts";
import type { WindowKeeper } from "./window-keeper.ts";
import { WindowLife } from "./window-life.ts";
import type { ConnectionOptions } from "./window-life.ts";

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #life: WindowLife;
  readonly #keeper: WindowKeeper;
  readonly #stopWatching: () => void;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#life = new WindowLife(options);
    this.#keeper = this.#life.keeper;
    this.#stopWatching = watchPage(options.environment.self, this.#life);
  }

  get state(): ConnectionState {
    return this.#life.states.now;
  }

  get reason(): ConnectionReason | undefined {
    return this.#life.states.why;
  }

  get isOpen(): boolean {
    const { place } = this.#keeper;
    return place !== undefined && !isGone(place);
  }

  open(): Window | null {
    const keeper = this.#keeper;
    keeper.check();
    if (keeper.place && this.state !== "disconnected") {
      keeper.place.focus();
      return keeper.target();
    }
    // Replaces a frame that was given up.
    if (keeper.place?.kind === "frame") this.closeWindow();
    if (keeper.open()) {
      this.#life.enter(false);
      return keeper.target();
    }
    this.#life.blocked();
    return null;
  }

  mount(element: Element): HTMLIFrameElement {
    const keeper = this.#keeper;
    const { agentUrl } = this.#options.config;
    keeper.check();
    const frame = mountFrame(element, agentUrl, keeper.name);
    const isSame = keeper.place !== undefined && keeper.target() === frame.contentWindow;
    if (isSame && this.state !== "disconnected") return frame;
    // Reloads a frame that was given up.
    if (isSame) frame.src = agentUrl;
    else this.closeWindow();
    keeper.keep(placeInFrame(frame));
    this.#life.enter(false);
    return frame;
  }

  closeWindow(): void {
    if (!this.#keeper.place) return;
    this.#keeper.place.close();
    this.#life.leave("closed");
    this.#options.closed();
  }

  /** Sends a ping to the current window, or finds the one that this tab opened; returns whether there is one. */
  reconnect(): boolean {
    this.#keeper.check();
    if (!this.#keeper.place) return this.recover();
    this.#life.ask();
    return true;
  }

  /** Finds the window that this tab opened. */
  recover(): boolean {
    this.#keeper.check();
    if (this.#keeper.place) return true;
    if (!this.#keeper.find()) return false;
    this.#life.enter(true);
    return true;
  }

  /** Sends a message now, if the window answers. */
  post(message: Envelope<FromParent>): void {
    this.#life.post(message);
  }

  /** Sends a message as soon as the window answers. Throws if too many wait. */
  deliver(message: Envelope<FromParent>): void {
    this.#life.deliver(message);
  }

  /** Releases the window, and leaves it open. */
  close(): void {
    this.#life.leave("destroyed");
    this.#stopWatching();
    this.#life.close();
  }
}

/** Watches the page until the returned function is called. */
function watchPage(self: Window, life: WindowLife): () => void {
  const goAway = () => life.goAway();
  const show = ({ persisted }: PageTransitionEvent) => {
    if (persisted) life.comeBack();
  };
  self.addEventListener("pagehide", goAway);
  self.addEventListener("pageshow", show);
  return () => {
    self.removeEventListener("pagehide", goAway);
    self.removeEventListener("pageshow", show);
  };
}
