import type { SpeakerName } from "../pages/speaker.ts";
import type { RoleName } from "./role.ts";

/** One way to build the chain: a hub, and how its pages speak. */
export interface Variant {
  /** As it stands in the rows. */
  readonly name: string;
  readonly hub: RoleName;
  readonly speaker: SpeakerName;
  /** The script of its page in a browser. */
  readonly script: string;
}

/** The floor, Pagewire and the peers, in the order of their turns. */
export const variants: readonly Variant[] = [
  { name: "floor", hub: "floor", speaker: "floor", script: "floor.js" },
  { name: "pagewire", hub: "pagewire", speaker: "wire", script: "pagewire.js" },
  { name: "batching floor", hub: "batching-floor", speaker: "batching-floor", script: "batching-floor.js" },
  { name: "hand-written ws", hub: "by-hand", speaker: "json", script: "json.js" },
  { name: "birpc", hub: "birpc", speaker: "birpc", script: "birpc.js" },
  { name: "express", hub: "express", speaker: "json", script: "json.js" },
  { name: "fastify", hub: "fastify", speaker: "json", script: "json.js" },
];

/** The variants with these names. */
export function variantsOf(...names: readonly string[]): readonly Variant[] {
  return variants.filter(({ name }) => names.includes(name));
}
