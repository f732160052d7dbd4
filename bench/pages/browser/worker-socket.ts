// Puts the worker by hand beneath a page of Pagewire: what the page takes for a WebSocket of its own is a port to it.
import { connectByHand } from "./connect-by-hand.ts";

class WorkerSocket extends EventTarget {
  readonly bufferedAmount = 0;
  binaryType = "blob";
  readyState: number = WebSocket.CONNECTING;
  onopen: (() => void) | undefined;
  onclose: (() => void) | undefined;
  readonly send = connectByHand({
    opened: () => {
      this.readyState = WebSocket.OPEN;
      this.onopen?.();
    },
    receive: (data) => this.dispatchEvent(new MessageEvent("message", { data })),
  });

  close(): void {
    throw new Error("The page gave up the link of the worker by hand.");
  }
}

Object.assign(window, { WebSocket: Object.assign(WorkerSocket, { CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3 }) });
