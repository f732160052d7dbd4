// The page's connection to the agent's window: opens, shows, finds and closes the window.
import { isGone, mountFrame, placeInFrame } from "./agent-place.ts";
import type { ConnectionReason, ConnectionState } from "./bridge-states.ts";
import type { Envelope, FromParent } from "./messages.ts";
import { createWindowLife } from "./window-life.ts";
import type { ConnectionOptions, WindowLife } from "./window-life.ts";

export interface Connection {
  readonly state: ConnectionState;
  readonly reason: ConnectionReason | undefined;
  /** Whether there is a window. */
  readonly isOpen: boolean;
  open(): Window | null;
  mount(element: Element): HTMLIFrameElement;
  /** Closes the window. */
  closeWindow(): void;
  /** Sends a ping to the current window, or finds the one that this tab opened; returns whether there is one. */
  reconnect(): boolean;
  /** Finds the window that this tab opened. */
  recover(): boolean;
  /** Sends a message now, if the window answers. */
  post(message: Envelope<FromParent>): void;
  /** Sends a message as soon as the window answers. Throws if too many wait. */
  deliver(message: Envelope<FromParent>): void;
  /** Releases the window, and leaves it open. */
  close(): void;
}

export function createConnection(options: ConnectionOptions): Connection {
  const { config, environment } = options;
  const life = createWindowLife(options);
  const { keeper, states } = life;
  const stopPage = watchPage(environment.self, life);

  function recover(): boolean {
    keeper.look();
    if (keeper.place) return true;
    if (!keeper.find()) return false;
    life.enter(true);
    return true;
  }

  function open(): Window | null {
    keeper.look();
    if (keeper.place && states.now !== "disconnected") {
      keeper.place.focus();
      return keeper.target();
    }
    // Replaces a frame that was given up.
    if (keeper.place?.kind === "frame") closeWindow();
    if (keeper.open()) {
      life.enter(false);
      return keeper.target();
    }
    life.blocked();
    return null;
  }

  function mount(element: Element): HTMLIFrameElement {
    keeper.look();
    const frame = mountFrame(element, config.agentUrl, keeper.name);
    const isSame = keeper.place !== undefined && keeper.target() === frame.contentWindow;
    if (isSame && states.now !== "disconnected") return frame;
    // Reloads a frame that was given up.
    if (isSame) frame.src = config.agentUrl;
    else closeWindow();
    keeper.keep(placeInFrame(frame));
    life.enter(false);
    return frame;
  }

  function closeWindow(): void {
    if (!keeper.place) return;
    keeper.place.close();
    life.leave("closed");
    options.closed();
  }

  return {
    get state() {
      return states.now;
    },
    get reason() {
      return states.why;
    },
    get isOpen() {
      return keeper.place !== undefined && !isGone(keeper.place);
    },
    open,
    mount,
    recover,
    closeWindow,
    reconnect() {
      keeper.look();
      if (!keeper.place) return recover();
      life.ask();
      return true;
    },
    post: life.post,
    deliver: life.deliver,
    close() {
      life.leave("destroyed");
      stopPage();
      life.close();
    },
  };
}

/** Watches the page until the returned function is called. */
function watchPage(self: Window, { goAway, comeBack }: WindowLife): () => void {
  const show = ({ persisted }: PageTransitionEvent) => {
    if (persisted) comeBack();
  };
  self.addEventListener("pagehide", goAway);
  self.addEventListener("pageshow", show);
  return () => {
    self.removeEventListener("pagehide", goAway);
    self.removeEventListener("pageshow", show);
  };
}
