// Pages without a browser: sockets of one Node process that speak as pages do.
import { randomUUID } from "node:crypto";
import { WebSocket } from "ws";
import type { Parameters, Started } from "../harness/role.ts";
import { createBatchingFloorSpeaker } from "./batching-floor-speaker.ts";
import { createBirpcSpeaker } from "./birpc-speaker.ts";
import { createFloorSpeaker } from "./floor-speaker.ts";
import { createJsonSpeaker } from "./json-speaker.ts";
import { offeredTools } from "./offered-tools.ts";
import type { CreateSpeaker, SpeakerName, SpeakerOptions } from "./speaker.ts";
import { createWireSpeaker } from "./wire-speaker.ts";

const speakers: Record<SpeakerName, CreateSpeaker> = {
  floor: createFloorSpeaker,
  "batching-floor": createBatchingFloorSpeaker,
  json: createJsonSpeaker,
  birpc: createBirpcSpeaker,
  wire: createWireSpeaker,
};

/** How many sockets say hello at the same time; a hub bounds the strangers at its door. */
const atOnce = 32;

/** Opens pages at the hub on this port, and resolves when all of them have said what they offer. */
export async function openNodePages(parameters: Parameters): Promise<Started> {
  const { port = 0, speaker = "wire", count = 1, toolCount = 1, token } = parameters;
  const offered = { tools: offeredTools(toolCount), token };
  let left = count;
  const openSome = async () => {
    while (left-- > 0) await openPage(port, speakers[speaker], offered);
  };
  await Promise.all(Array.from({ length: atOnce }, openSome));
  return { port };
}

function openPage(
  port: number,
  createSpeaker: CreateSpeaker,
  offered: Pick<SpeakerOptions, "tools" | "token">,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/page`, {
      perMessageDeflate: false,
      origin: `http://127.0.0.1:${port}`,
    });
    const send = (message: string) => socket.send(message);
    const page = createSpeaker({ ...offered, tab: randomUUID(), send, ready: resolve });
    socket.on("open", () => page.opened());
    socket.on("message", (data: Buffer) => page.receive(data.toString()));
    socket.on("error", reject);
    socket.on("close", (code) => reject(new Error(`The hub closed a page's socket with ${code}.`)));
  });
}
