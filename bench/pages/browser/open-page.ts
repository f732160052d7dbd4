import { offeredTools } from "../offered-tools.ts";
import type { CreateSpeaker } from "../speaker.ts";

/** A page in a browser, with a socket of its own to the hub that the address of the page names. */
export function openPage(createSpeaker: CreateSpeaker): void {
  const port = new URLSearchParams(location.search).get("hub");
  const socket = new WebSocket(`ws://127.0.0.1:${port}/page`);
  const page = createSpeaker({
    tab: crypto.randomUUID(),
    tools: offeredTools(1),
    send: (message) => socket.send(message),
    ready: () => {},
  });
  socket.onopen = () => page.opened();
  socket.onmessage = ({ data }: MessageEvent<string>) => page.receive(data);
}
