import type { WorkerPortOptions } from "../page/index.ts";
import { PagewireError } from "../wire/index.ts";

export interface ServingWorkerOptions {
  /** The address of the script of the SharedWorker that serves; the one that the pages use. */
  readonly worker?: string;
  /** The address of the script of the ServiceWorker that serves, for browsers that have no SharedWorker. */
  readonly serviceWorker?: string;
  /** On whose behalf the client calls: it has the tools of the pages whose tokens have the same subject. */
  readonly token?: string;
}

/** What a page is asked for; throws where an option has the wrong form. */
export function portOptionsOf(options: ServingWorkerOptions): Omit<WorkerPortOptions, "onEnded"> {
  const { worker, serviceWorker, token } = options;
  if (worker === undefined && serviceWorker === undefined) throw invalid("worker", scriptForm);
  checkScript("worker", worker);
  checkScript("serviceWorker", serviceWorker);
  if (token !== undefined && (typeof token !== "string" || token === "" || token.length > longestToken)) {
    throw invalid("token", `a token of 1 to ${longestToken} characters`);
  }
  return { sharedUrl: worker, serviceUrl: serviceWorker, token };
}

/** As long as a token may be in a hello. */
const longestToken = 8192;

const scriptForm = "the address of a script that serves, such as /pagewire-serving-worker.js";

function checkScript(name: "worker" | "serviceWorker", url: unknown): void {
  if (url === undefined) return;
  // For pages "auto" is the workers that only carry links.
  if (typeof url !== "string" || url.trim() === "" || url === "auto") throw invalid(name, scriptForm);
}

function invalid(name: string, form: string): PagewireError {
  return new PagewireError("options-invalid", `The option "${name}" must be ${form}.`);
}
