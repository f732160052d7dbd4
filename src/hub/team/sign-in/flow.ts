// A sign-in that has begun. Its state is sealed in a cookie of its browser: no hub keeps anything for a person who has not
// signed in, so that no flood pushes others out, and any hub of a cluster can finish it.
import { isJsonObject, parseJsonObject } from "../../../wire/index.ts";
import type { Seal } from "../../common/seal.ts";

/** Max time from the start of a sign-in to the way back. */
export const flowTime = 10 * 60 * 1000;

export interface Flow {
  readonly provider: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** The address that the provider sends the browser back to. */
  readonly callback: string;
  /** The address of the own page to go on with. */
  readonly returnTo: string;
  readonly expiresAt: number;
}

const place = "flow";
const texts = ["provider", "state", "nonce", "verifier", "callback", "returnTo"] as const;

export function sealFlow(seal: Seal, flow: Flow): string {
  return seal.seal(JSON.stringify(flow), place);
}

/** Undefined for one that is not of this hub, or is too old. */
export function openFlow(seal: Seal, sealed: string | undefined, now: number): Flow | undefined {
  const text = sealed === undefined ? undefined : seal.open(sealed, place);
  const flow = text === undefined ? undefined : parseJsonObject(text, 1);
  if (!isJsonObject(flow) || !texts.every((name) => typeof flow[name] === "string")) return undefined;
  return Number(flow["expiresAt"]) > now ? (flow as unknown as Flow) : undefined;
}
