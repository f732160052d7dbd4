// What a bridge asks of its connection with the agent's window, and hears of it.
import type { AgentSaid, AgentSender } from "./agent-channel.ts";
import type { CheckedConfig } from "./bridge-config.ts";
import type { BridgeEnvironment } from "./bridge-environment.ts";
import type { ConnectionReason, ConnectionState } from "./bridge-states.ts";
import type { Envelope, FromParent } from "./messages.ts";

export interface ConnectionOptions {
  readonly config: CheckedConfig;
  readonly environment: BridgeEnvironment;
  changed(state: ConnectionState, previous: ConnectionState, reason: ConnectionReason | undefined): void;
  /** The window was closed, or looks so. */
  closed(): void;
  /** The window that was found again answers. */
  recovered(window: Window): void;
  /** What the window is told first, whenever it may show another page than before. */
  greeting(): Envelope<FromParent>;
  heard(said: AgentSaid, sender: AgentSender): void;
  /** Whatever is done for the window is done for nobody any more. */
  left(reason: ConnectionReason): void;
  /** The page is reloaded, left or closed. */
  leaving(): void;
}

export interface Connection {
  readonly state: ConnectionState;
  readonly reason: ConnectionReason | undefined;
  /** Whether there is a window. */
  readonly isOpen: boolean;
  open(): Window | null;
  mount(element: Element): HTMLIFrameElement;
  /** Closes the window. */
  closeWindow(): void;
  /** Asks the window that there is, or finds the one that this tab had opened; whether there is one. */
  reconnect(): boolean;
  /** Finds the window that this tab had opened. */
  recover(): boolean;
  /** Sends a message now, if the window answers. */
  post(message: Envelope<FromParent>): void;
  /** Sends a message as soon as the window answers. Throws where too many wait. */
  deliver(message: Envelope<FromParent>): void;
  /** Lets go of the window, and leaves it open. */
  close(): void;
}
