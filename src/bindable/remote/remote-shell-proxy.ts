import type { ServerTransport } from "./messages.ts";
import { createShell } from "./shell.ts";
import type { ShellOptions } from "./shell.ts";
import type { ShellCall } from "./shell-context.ts";

export interface RemoteShellProxyOptions extends ShellOptions {
  /** Runs a command. Left out, the core's method is called; a cancelled one calls the core's `abort`, if it declares one. */
  readonly call?: (core: EventTarget, call: ShellCall) => unknown;
}

/** Shows one core to one client, for as long as the transport lasts. See `createShellSessions` for clients that resume. */
export class RemoteShellProxy {
  readonly #detach: () => void;

  constructor(core: EventTarget, transport: ServerTransport, options: RemoteShellProxyOptions = {}) {
    const { call } = options;
    const shell = createShell(core, options, {
      call: call && ((asked) => call(core, asked)),
      causes: true,
      detached: () => shell.close(),
    });
    const attachment = shell.attach(transport);
    this.#detach = () => shell.detach(attachment);
    transport.onMessage((message) => attachment.receive(message));
    transport.onClose?.(this.#detach);
  }

  /** Lets go of the core and of the transport, and leaves both as they are. Can be called twice. */
  dispose(): void {
    this.#detach();
  }
}
