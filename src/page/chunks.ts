// Code that a page loads only when it is needed.
import { loadJsonSchemaValidator } from "../toolbox/index.ts";
import type { LoadValidator, MakeCalls, ValidateJson } from "../toolbox/index.ts";
import type { Refusal } from "./connection.ts";
import type { Session, SessionOptions } from "./create-session.ts";
import type { PageEnvironment } from "./environment.ts";
import type { WorkerCarrying, WorkerLinks } from "./worker-links.ts";
import type { Dialog } from "./dialog/dialog.ts";
import type { BrowserServing } from "./browser-calls.ts";

/** All that a page does for a hub. A page without one never needs it. */
export interface SessionPart {
  startSession(options: SessionOptions): Promise<Session>;
  readonly makeCalls: MakeCalls;
}

/** Finds out what keeps the hub out of reach, if it is not the hub. */
export interface UnreachablePart {
  whyUnreachable(hub: string): Promise<Refusal | undefined>;
}

/** The module that `loadJsonSchemaValidator` imports, as a script tag loads it. */
export interface ValidatorPart {
  readonly jsonSchemaValidator: ValidateJson;
}

/** Links that a worker carries. */
export interface WorkerPart {
  startWorkerLinks(options: WorkerCarrying): WorkerLinks;
}

/** What serves a browser that has an agent of its own. */
export interface ModelContextPart {
  serveModelContext(options: BrowserServing): void;
}

export interface Chunks {
  readonly session: () => Promise<SessionPart>;
  readonly validator: LoadValidator;
  readonly dialog: () => Promise<Dialog>;
  readonly worker: () => Promise<WorkerPart>;
  readonly unreachable: () => Promise<UnreachablePart>;
  readonly modelContext: () => Promise<ModelContextPart>;
}

/** What a page needs beside its options: the powers of the browser, and the code that is loaded only when needed. */
export interface PageParts {
  readonly environment: PageEnvironment;
  readonly chunks: Chunks;
}

/** The chunks as a bundler finds them. */
export const packageChunks: Chunks = {
  session: () => import("./chunks/session.ts"),
  validator: loadJsonSchemaValidator,
  dialog: () => import("./chunks/dialog.ts"),
  worker: () => import("./chunks/worker.ts"),
  unreachable: () => import("./chunks/unreachable.ts"),
  modelContext: () => import("./chunks/model-context.ts"),
};
