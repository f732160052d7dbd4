import { fromWorker, messageOf, parseWorkerMessage, workerVersions } from "../wire/index.ts";
import type { WorkerKind, WorkerPort, WorkerPowers } from "./worker-powers.ts";

/** A worker that said hello. */
export interface GreetedWorker {
  readonly port: WorkerPort;
  /** The name of the lock that it holds for as long as it lives. */
  readonly lock: string;
}

interface Greeting {
  readonly kind: WorkerKind;
  readonly url: string;
  /** How many workers were given up before this one. */
  readonly generation: number;
  /** The name of the lock that this page holds. */
  readonly page: string;
}

const sameVersion = "Serve the worker's file and the page's script from the same version of Pagewire.";

/** How long a worker's script may take to come and say hello. */
const helloTime = 5000;

/** Starts or finds a worker and says hello to it. Rejects when it cannot be had; resolves with undefined when it is silent. */
export function greetWorker(
  { kind, url, generation, page }: Greeting,
  { clock, startWorker }: Pick<WorkerPowers, "clock" | "startWorker">,
): Promise<GreetedWorker | undefined> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    let port: WorkerPort | undefined;

    function end(settle: () => void): void {
      isOver = true;
      stopWaiting();
      settle();
    }

    function fail(problem: string): void {
      if (isOver) return;
      port?.close();
      end(() => reject(new Error(problem)));
    }

    function hear(data: unknown): void {
      const message = parseWorkerMessage(fromWorker, data);
      if (message?.type === "hello" && port) {
        const greeted = { port, lock: message.worker };
        end(() => resolve(greeted));
      } else if (message?.type === "refused") {
        const [theirs, ours] = [message.versions, workerVersions].map((versions) => versions.join(", "));
        fail(`The worker speaks versions ${theirs} and this page ${ours}. ${sameVersion}`);
      }
    }

    const stopWaiting = clock.after(helloTime, () => {
      port?.close();
      end(() => resolve(undefined));
    });
    // Whoever speaks other versions first and foremost finds another worker, with the script that is served by now.
    startWorker(kind, url, `pagewire-${workerVersions[0]}-${generation}`).then(
      (started) => {
        if (isOver) return started.close();
        port = started;
        port.onFailed(fail);
        port.listen(hear);
        port.send({ type: "hello", versions: workerVersions, page });
      },
      (error: unknown) => fail(messageOf(error)),
    );
  });
}
