// Code that a page loads on demand.
import { loadJsonSchemaValidator } from "../toolbox/index.ts";
import type { LoadValidator } from "../toolbox/index.ts";
import type { UnreachablePart } from "./connection/connection.ts";
import type { SessionPart } from "./connection/create-session.ts";
import type { PageEnvironment } from "./browser/environment.ts";
import type { WorkerPart } from "./via-worker/worker-links.ts";
import type { Dialog } from "./dialog/dialog.ts";
import type { ModelContextPart } from "./browser-agent/browser-calls.ts";

export interface Chunks {
  readonly session: () => Promise<SessionPart>;
  readonly validator: LoadValidator;
  readonly dialog: () => Promise<Dialog>;
  readonly worker: () => Promise<WorkerPart>;
  readonly unreachable: () => Promise<UnreachablePart>;
  readonly modelContext: () => Promise<ModelContextPart>;
}

/** A page's dependencies: browser features, and code that is loaded on demand. */
export interface PageParts {
  readonly environment: PageEnvironment;
  readonly chunks: Chunks;
}

/** The chunks as dynamic imports, for bundlers. */
export const packageChunks: Chunks = {
  session: () => import("./chunks/session.ts"),
  validator: loadJsonSchemaValidator,
  dialog: () => import("./chunks/dialog.ts"),
  worker: () => import("./chunks/worker.ts"),
  unreachable: () => import("./chunks/unreachable.ts"),
  modelContext: () => import("./chunks/model-context.ts"),
};
