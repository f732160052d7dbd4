import { offeredTools } from "../offered-tools.ts";
import type { CreateSpeaker } from "../speaker.ts";
import { connectByHand } from "./connect-by-hand.ts";
import { openNext, opensNext } from "./open-next.ts";
import { query } from "./query.ts";

/** A page in a browser that the page's address connects: what it offers, to which hub, and by what. */
export function openPage(createSpeaker: CreateSpeaker): void {
  const send = connectByHand({
    opened: () => (opensNext ? openNext() : page.opened()),
    receive: (message) => page.receive(message),
  });
  const page = createSpeaker({
    tab: crypto.randomUUID(),
    tools: offeredTools(Number(query.get("tools") ?? 1), Number(query.get("from"))),
    send,
    ready: () => {},
  });
}
