import { query } from "./query.ts";

export interface ByHandEvents {
  /** The hub is there, for the first time or again. */
  opened(): void;
  receive(message: string): void;
}

/** Connects to the hub that the page's address names, by what it names; returns how to send. */
export function connectByHand(events: ByHandEvents): (message: string) => void {
  const via = query.get("via");
  if (via === "shared-worker" || via === "service-worker") return connectWorker(via, events);
  return connectSocket(events);
}

function connectSocket({ opened, receive }: ByHandEvents): (message: string) => void {
  let socket = open();

  function open(): WebSocket {
    const made = new WebSocket(`ws://127.0.0.1:${query.get("hub")}/page`);
    made.onopen = () => opened();
    made.onmessage = ({ data }: MessageEvent<string>) => receive(data);
    made.onclose = () => setTimeout(() => (socket = open()), 250);
    return made;
  }

  return (message) => socket.send(message);
}

function connectWorker(via: "shared-worker" | "service-worker", { opened, receive }: ByHandEvents) {
  const url = `/floor-${via}.js?hub=${query.get("hub")}`;
  const port = via === "shared-worker" ? new SharedWorker(url).port : portToService(url);
  port.onmessage = ({ data }: MessageEvent<string>) => (data === "" ? opened() : receive(data));
  return (message: string) => port.postMessage(message);
}

function portToService(url: string): MessagePort {
  const { port1, port2 } = new MessageChannel();
  void navigator.serviceWorker.register(url, { scope: url }).then(({ installing, waiting, active }) => {
    const worker = installing ?? waiting ?? active;
    worker?.postMessage("", [port2]);
    setInterval(() => worker?.postMessage(""), 10_000);
  });
  return port1;
}
