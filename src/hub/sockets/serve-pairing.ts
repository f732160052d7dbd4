// A link on which the browser extension pairs its browser, or ends that. The answer is the last frame of the link.
import type { Link } from "../../link/index.ts";
import { closeReason, encodeFrame } from "../../wire/index.ts";
import type { FrameFromExtension, FrameToExtension } from "../../wire/index.ts";
import type { Browsers } from "../guard/browsers.ts";

export type PairingFrame = Extract<FrameFromExtension, { type: "pair" | "unpair" }>;

export interface PairingOptions {
  /** The extension's. */
  readonly origin: string;
  readonly browsers: Pick<Browsers, "forget" | "page" | "pair">;
}

export async function servePairing(
  link: Link,
  frame: PairingFrame,
  { origin, browsers }: PairingOptions,
): Promise<void> {
  if (frame.type === "unpair") {
    await browsers.forget(await browsers.page(origin, frame.token));
  } else {
    const { text: token, expiresAt, admitted } = await browsers.pair(frame.code, frame.name, origin);
    if (!link.open) return browsers.forget(admitted);
    const { browser: name = frame.name } = admitted;
    const ends = expiresAt === Infinity ? {} : { expiresAt };
    const paired: FrameToExtension = { type: "paired", token, name, ...ends };
    link.send(encodeFrame(paired));
  }
  link.close(closeReason("normal"));
}
