import type { SpeakerName } from "../pages/speaker.ts";
import type { ReaderParameters } from "../streams/reader.ts";

/** Programs that run in a process of their own. */
export type RoleName =
  | "floor"
  | "floor-list"
  | "pagewire"
  | "by-hand"
  | "birpc"
  | "express"
  | "fastify"
  | "sdk-v1"
  | "sdk-v2"
  | "pages"
  | "reader";

export interface Parameters {
  /** Pagewire's hub: origins whose pages may connect, and the agents' token. */
  readonly allowedOrigins?: readonly string[];
  readonly agentToken?: string;
  /** Servers of the MCP SDK: whether their tool runs in a page; without, it runs on the spot. */
  readonly hasPages?: boolean;
  /** The hub's port: pages need it, and a hub that has none takes a free one. */
  readonly port?: number;
  /** Pages: how they speak, how many there are and what each offers. */
  readonly speaker?: SpeakerName;
  readonly count?: number;
  readonly toolCount?: number;
  /** Readers: what they read, and by what. */
  readonly reader?: ReaderParameters;
}

/** What a role says when it is ready. */
export interface Started {
  /** 0 for a role that listens at none. */
  readonly port: number;
}

/** A role that works when it is asked to. */
export interface Worker {
  work(): void | Promise<void>;
}

/** What a process can be asked. */
export type Question = "cpu" | "memory" | "work";

/** The memory in use after a garbage collection. */
export interface Memory {
  readonly rssBytes: number;
  /** The heap and what lies outside of it. */
  readonly heapBytes: number;
}
