import { systemClock } from "../../link/index.ts";
import { browserEnvironment } from "../browser/browser-environment.ts";
import { browserTab } from "../browser/browser-tab.ts";
import type { WorkerPort, WorkerPowers } from "./worker-powers.ts";

export function browserWorker(): WorkerPowers {
  const { newId, takeLock } = browserTab();
  /** A copy of the stored count, for pages that cannot use storage. */
  let givenUp = 0;
  return {
    clock: systemClock,
    newId,
    locks: takeLock && { take: takeLock, untilFree },
    openSocket: browserEnvironment.openLink,
    makePorts() {
      const { port1, port2 } = new MessageChannel();
      return [port1, port2];
    },
    startWorker: (kind, url, name) => (kind === "shared-worker" ? startShared(url, name) : startService(url)),
    givenUp: {
      get: () => Math.max(givenUp, Number(stored(() => localStorage.getItem(givenUpName))) || 0),
      set(count) {
        givenUp = count;
        stored(() => localStorage.setItem(givenUpName, String(count)));
      },
    },
    hung: new Set(),
  };
}

/** A shared lock: all waiting pages get it at once, even those queued behind a frozen page. */
function untilFree(name: string, signal: AbortSignal): Promise<boolean> {
  return navigator.locks.request(name, { mode: "shared", signal }, () => true).catch(() => false);
}

const givenUpName = "pagewire workers given up";

function stored<Value>(use: () => Value): Value | undefined {
  try {
    return use();
  } catch {
    // Storage is disabled or full.
    return undefined;
  }
}

async function startShared(url: string, name: string): Promise<WorkerPort> {
  if (typeof SharedWorker === "undefined") throw new Error("This browser has no SharedWorker.");
  const worker = new SharedWorker(url, { name, type: "module" });
  return portTo(worker.port, {
    onFailed(listener) {
      worker.onerror = () => listener(`The script at ${url} could not be started. ${lookAt}`);
    },
  });
}

const lookAt =
  "See that this address serves it as JavaScript, and that the page's Content-Security-Policy allows it as worker-src.";

async function startService(url: string): Promise<WorkerPort> {
  const container = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  if (!container) throw new Error("This page has no ServiceWorker; a secure page has them.");
  // A scope without pages, so that the app's own ServiceWorker keeps controlling its pages.
  const registration = await container.register(url, { type: "module", scope: url });
  const worker = await activeIn(registration);
  const { port1, port2 } = new MessageChannel();
  worker.postMessage("pagewire", [port2]);
  return portTo(port1, {
    onFailed() {},
    onPing: () => worker.postMessage("pagewire"),
  });
}

function activeIn({ active, installing, waiting }: ServiceWorkerRegistration): Promise<ServiceWorker> {
  const worker = active ?? waiting ?? installing;
  return new Promise((resolve, reject) => {
    const look = () => {
      if (worker?.state === "activated") resolve(worker);
      else if (!worker || worker.state === "redundant") reject(new Error("The ServiceWorker was not activated."));
    };
    worker?.addEventListener("statechange", look);
    look();
  });
}

interface PortExtras {
  readonly onFailed: WorkerPort["onFailed"];
  /** Messages to a port do not keep a ServiceWorker alive, so pings are also sent to the worker itself. */
  readonly onPing?: () => void;
}

function portTo(port: MessagePort, { onFailed, onPing }: PortExtras): WorkerPort {
  return {
    onFailed,
    send(message, carried) {
      port.postMessage(message, carried ? [carried as MessagePort] : []);
      if (message.type === "ping") onPing?.();
    },
    listen(listener) {
      port.onmessage = ({ data }) => listener(data);
    },
    close: () => port.close(),
  };
}
