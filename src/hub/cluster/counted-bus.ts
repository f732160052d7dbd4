// A bus that counts what goes over it.
import type { Bus } from "./bus.ts";

export interface Traffic {
  messages: number;
  bytes: number;
}

export interface CountedBus extends Bus {
  readonly sent: Readonly<Traffic>;
  readonly received: Readonly<Traffic>;
}

export function countBus(bus: Bus): CountedBus {
  const sent = { messages: 0, bytes: 0 };
  const received = { messages: 0, bytes: 0 };
  return {
    ...{ sent, received },
    get maxBytes() {
      return bus.maxBytes;
    },
    get isUp() {
      return bus.isUp;
    },
    publish(subject, message) {
      const isSent = bus.publish(subject, message);
      if (isSent) count(sent, message);
      return isSent;
    },
    afterTurn: (run) => bus.afterTurn(run),
    subscribe: (subject, listener) =>
      bus.subscribe(subject, (message) => {
        count(received, message);
        listener(message);
      }),
    onState: (listener) => bus.onState(listener),
    close: () => bus.close(),
  };
}

function count(traffic: Traffic, message: Uint8Array): void {
  traffic.messages++;
  traffic.bytes += message.length;
}
