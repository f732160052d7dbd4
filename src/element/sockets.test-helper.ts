import { onTestFinished, vi } from "vitest";

const tasks: (() => void)[] = [];
const { port1, port2 } = new MessageChannel();
port1.onmessage = () => tasks.shift()?.();

/** Network events happen one after another, each in its own task. */
function later(task: () => void): void {
  tasks.push(task);
  port2.postMessage(null);
}

export class SocketEnd extends EventTarget {
  readyState = 0;
  bufferedAmount = 0;
  binaryType = "blob";
  peer: SocketEnd | undefined;
  readonly sent: unknown[] = [];

  open(): void {
    this.readyState = 1;
    this.dispatchEvent(new Event("open"));
  }

  send(data: string): void {
    if (this.readyState !== 1) throw new DOMException("The socket is not open.", "InvalidStateError");
    this.sent.push(JSON.parse(data));
    const { peer } = this;
    later(() => {
      if (peer?.readyState === 1) peer.dispatchEvent(new MessageEvent("message", { data }));
    });
  }

  /** Messages that were sent before arrive first. */
  close(code = 1000, reason = ""): void {
    this.readyState = 2;
    for (const end of [this, this.peer]) later(() => end?.ended(code, reason));
  }

  ended(code: number, reason: string): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.dispatchEvent(new CloseEvent("close", { code, reason }));
  }
}

export interface Dialled {
  readonly url: string;
  readonly protocols: readonly string[];
  readonly client: SocketEnd;
  /** Simulates a network failure. */
  cut(): void;
}

/** Replaces the network until the test ends: passes each opened socket to `serve`, unless the network is down. */
export function createNetwork(serve: (end: SocketEnd) => void) {
  const dialled: Dialled[] = [];
  const network = { dialled, isDown: false, serve };
  class NetworkSocket extends SocketEnd {
    constructor(url: string | URL, protocols: string[] = []) {
      super();
      dialled.push({ url: String(url), protocols, client: this, cut: () => this.cut() });
      later(() => {
        if (network.isDown) return this.ended(1006, "");
        const end = new SocketEnd();
        this.peer = end;
        end.peer = this;
        end.open();
        this.open();
        network.serve(end);
      });
    }

    cut(): void {
      for (const end of [this, this.peer]) end?.ended(1006, "");
    }
  }
  vi.stubGlobal("WebSocket", NetworkSocket);
  onTestFinished(() => void vi.unstubAllGlobals());
  return network;
}
