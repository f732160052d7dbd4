// Pages that come back by themselves to a hub that was killed, and wait for that as the SDK's page does.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { signPageToken } from "pagewire/hub";
import { createReconnect, createSocketLink, systemClock } from "pagewire/link";
import { WebSocket } from "ws";
import type { Parameters, Started, Worker } from "../harness/role.ts";
import { offeredTools } from "../pages/offered-tools.ts";

const toolCount = 10;
const pagesOfOne = 100;
const offer = `{"type":"offer"}\n${JSON.stringify({ tools: offeredTools(toolCount) })}`;

/** Opens `count` pages, a hundred of each user; its work ends when each of them has returned to the hub once more. */
export async function startReturningPages({ port = 0, secret = "", count = 1 }: Parameters): Promise<Started & Worker> {
  let back = 0;
  let allAreBack = () => {};
  const arrived = () => ++back === count && allAreBack();
  const arrival = async () => {
    await new Promise<void>((resolve) => (allAreBack = resolve));
    back = 0;
  };
  const first = arrival();
  for (let user = 0; user * pagesOfOne < count; user++) {
    const token = await signPageToken({ secret, subject: `user-${user}` });
    const pages = Math.min(pagesOfOne, count - user * pagesOfOne);
    for (let page = 0; page < pages; page++) keepPage({ port, token, arrived });
    // They come as people do, not all at once.
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await first;
  return { port, work: arrival };
}

interface ReturningPage {
  readonly port: number;
  readonly token: string;
  /** To be called when the hub has taken its offer. */
  arrived(): void;
}

function keepPage({ port, token, arrived }: ReturningPage): void {
  const tab = randomUUID();
  let socket: WebSocket;
  const reconnect = createReconnect({
    clock: systemClock,
    random: Math.random,
    async connect() {
      socket = new WebSocket(`ws://127.0.0.1:${port}/page`, {
        origin: `http://127.0.0.1:${port}`,
        perMessageDeflate: false,
      });
      const link = createSocketLink(socket);
      await once(socket, "open");
      return link;
    },
    onLink(link) {
      const hello = { type: "hello", versions: [1], tab, app: "bench", focused: false, running: [], token };
      link.send(JSON.stringify(hello));
      return {
        message(message) {
          const frame = JSON.parse(String(message).split("\n", 1)[0] ?? "") as { type: string; within?: number };
          if (frame.within !== undefined) reconnect.retryWithin(frame.within);
          if (frame.type === "heartbeat") link.send(JSON.stringify(frame));
          if (frame.type !== "welcome") return;
          link.send(offer);
          socket.once("pong", arrived);
          socket.ping();
        },
        closed() {},
      };
    },
    onWaiting() {},
  });
}
