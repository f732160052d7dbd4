import type { SizeName } from "../pages/answers.ts";
import type { SpeakerName } from "../pages/speaker.ts";
import type { ReaderParameters } from "../streams/reader.ts";
import type { ViewName } from "../terminals/views.ts";
import type { Caller } from "./caller.ts";
import type { WindowWay } from "./page-server.ts";

/** The kind of an attacker's flood. */
export type FloodName = "offers" | "readers" | "strangers" | "patterns";

/** Programs that run in a process of their own. */
export type RoleName =
  | "floor"
  | "batching-floor"
  | "floor-list"
  | "pagewire"
  | "by-hand"
  | "birpc"
  | "express"
  | "fastify"
  | "sdk-v1"
  | "sdk-v2"
  | "floor-window"
  | "agent-window"
  | "terminal-hub"
  | "byte-terminals"
  | "text-terminals"
  | "watching-agents"
  | "nats-caller"
  | "nats-answerer"
  | "flooder"
  | "returning-pages"
  | "pages"
  | "reader"
  | "typist";

export interface Parameters {
  /** Pagewire's hub: origins whose pages may connect, and the agents' token. */
  readonly allowedOrigins?: readonly string[];
  readonly agentToken?: string;
  /** Pagewire's hub: the database that it keeps things in; without, it keeps them in memory. */
  readonly database?: string;
  /** Pagewire's hub, for one that is one of several, and programs that use NATS alone: the server's address. */
  readonly nats?: string;
  /** Whether it keeps an audit; by default it does. */
  readonly hasAudit?: boolean;
  /** Pagewire's hub in jwt mode, and its peers: the secret that signs tokens. Such a hub has its default limits. */
  readonly secret?: string;
  /** Pagewire's hub in team mode: its identity provider, and the audience of access tokens. */
  readonly team?: { readonly issuer: string; readonly audience: string };
  /** Pages: what they bring, at a hub that wants more than their origin. */
  readonly token?: string;
  /** A flooder: what it does too much of; how much of it is `count`. */
  readonly flood?: FloodName;
  /** Pagewire's hub: whether it serves its demo. */
  readonly hasDemo?: boolean;
  /** Servers of the MCP SDK: whether their tool runs in a page; without, it runs on the spot. */
  readonly hasPages?: boolean;
  /** The hub's port: pages need it, and a hub that has none takes a free one. */
  readonly port?: number;
  /** Pages: how they speak, how many there are and what each offers. */
  readonly speaker?: SpeakerName;
  readonly count?: number;
  readonly toolCount?: number;
  /** Hubs with an agent's window: what is called, and how the floor's window speaks with its app. */
  readonly size?: SizeName;
  readonly way?: WindowWay;
  /** Readers: what they read, and by what. */
  readonly reader?: ReaderParameters;
  /** Servers of terminals, and their users. */
  readonly shell?: ShellParameters;
  readonly typist?: TypistParameters;
}

/** The home folder of shells, and whether they run in tmux. */
export interface ShellParameters {
  readonly home: string;
  readonly inTmux: boolean;
}

export interface TypistParameters {
  readonly view: ViewName;
  /** How many characters a terminal makes of the file that is printed. */
  readonly characters: number;
}

/** A role's message when it is ready. */
export interface Started {
  /** 0 for a role that listens at none. */
  readonly port: number;
  readonly window?: string;
  /** The address of the demo. */
  readonly demo?: string;
}

/** A role that works when it is asked to. */
export interface Worker {
  work(): void | Promise<void>;
}

/** A role that calls, as an agent in the hub does. */
export interface CallingRole extends Started {
  /** The address of its agent's window. */
  readonly window: string;
  readonly caller: Caller;
}

/** A role at a terminal: its work is to print a file, and its calls are keys. */
export interface Typist extends Started, Worker {
  readonly caller: Caller;
}

/** A request to call for a number of milliseconds, with a number of calls in flight. */
export interface Load {
  readonly milliseconds: number;
  readonly inFlight: number;
}

/** The result; the percentiles are of each call's duration, in µs. */
export interface LoadFigures {
  readonly calls: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
}

/** The questions that a process answers. */
export type Question = "cpu" | "main-thread-cpu" | "memory" | "longest-stall" | "work" | Load;

/** The memory in use after a garbage collection. */
export interface Memory {
  readonly rssBytes: number;
  /** The heap and what lies outside of it. */
  readonly heapBytes: number;
}
