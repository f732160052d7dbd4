import { expect, test } from "vitest";
import { createFakeWorkers } from "../test-support/fake-worker.test-helper.ts";
import type { FakeWorkers } from "../test-support/fake-worker.test-helper.ts";
import { openWorkerPort } from "./open-worker-port.ts";

const urls = { sharedUrl: "/serving.js", serviceUrl: "/serving-service.js" };

function open(workers: FakeWorkers, { token, ...scripts }: Partial<typeof urls> & { readonly token?: string } = urls) {
  const errors: unknown[] = [];
  const events = new EventTarget();
  const opening = openWorkerPort(
    { sharedUrl: undefined, serviceUrl: undefined, ...scripts, token, onEnded: (error) => errors.push(error) },
    { ...workers.powers, events },
  );
  opening.catch(() => {});
  return { opening, errors, tell: (type: string) => events.dispatchEvent(new Event(type)) };
}

/** A port that the worker serves, and its other end. */
async function openServed(workers: FakeWorkers, scripts?: Parameters<typeof open>[1]) {
  const opened = open(workers, scripts);
  await workers.clock.advance(0);
  const asked = workers.worker.heard.find(({ type }) => type === "mcp");
  await workers.worker.say({ ...asked, type: "carried" });
  const served = await opened.opening;
  const [client] = workers.worker.clients as [MessagePort];
  return { ...opened, served, client };
}

/** The next message that a port receives. */
function heardAt(port: MessagePort): Promise<unknown> {
  return new Promise((resolve) => (port.onmessage = ({ data }) => resolve(data)));
}

test("a page has the SharedWorker serve a client at a port, on behalf of its token's bearer", async () => {
  const workers = createFakeWorkers();
  const { served, client, errors } = await openServed(workers, { ...urls, token: "ann" });
  const { worker } = workers;
  expect([worker.kind, worker.url]).toEqual(["shared-worker", "/serving.js"]);
  expect(worker.heard).toContainEqual({ type: "mcp", id: "id-2", token: "ann" });
  const heard = heardAt(client);
  served.port.postMessage("from the client");
  expect(await heard).toBe("from the client");
  served.close();
  expect(errors).toEqual([]);
});

test("where there is no SharedWorker, the ServiceWorker serves", async () => {
  const workers = createFakeWorkers();
  workers.manners["shared-worker"] = "missing";
  const { served } = await openServed(workers);
  expect([workers.worker.kind, workers.worker.url]).toEqual(["service-worker", "/serving-service.js"]);
  served.close();
});

test("where there is no worker, the reasons are told and nothing is left behind", async () => {
  const workers = createFakeWorkers();
  Object.assign(workers.manners, { "shared-worker": "fails", "service-worker": "missing" });
  const { opening, errors } = open(workers);
  await workers.clock.advance(0);
  await expect(opening).rejects.toMatchObject({
    code: "part-missing",
    message:
      "There is no worker for this client. shared-worker: The script at /serving.js is none. service-worker: There is no service-worker.",
  });
  expect([errors, workers.held(), workers.clock.pending]).toEqual([[], [], 0]);
});

test("a worker that serves nobody says so, and is let go of", async () => {
  const workers = createFakeWorkers();
  const { opening, errors } = open(workers);
  await workers.clock.advance(0);
  await workers.worker.say({ type: "failed", id: "id-2", message: "This worker carries links." });
  await expect(opening).rejects.toMatchObject({ code: "options-invalid", message: "This worker carries links." });
  expect([workers.worker.isLeft, errors, workers.clock.pending]).toEqual([true, [], 0]);
});

test("a worker that dies before it serves is told as dead, once", async () => {
  const workers = createFakeWorkers();
  const { opening, errors } = open(workers);
  await workers.clock.advance(0);
  await workers.worker.die();
  await expect(opening).rejects.toMatchObject({ code: "heartbeat-missed" });
  expect([errors, workers.held(), workers.clock.pending]).toEqual([[], [], 0]);
});

test.each(["dies", "hangs"])("a worker that %s ends its port, once, and the next one is found", async (how) => {
  const workers = createFakeWorkers();
  const { served, errors } = await openServed(workers);
  if (how === "dies") await workers.worker.die();
  else {
    workers.worker.isHanging = true;
    await workers.clock.advance(7500);
  }
  expect(errors).toMatchObject([{ code: "heartbeat-missed" }]);
  served.close();
  expect([errors.length, workers.worker.isLeft, workers.clock.pending]).toEqual([1, true, 0]);
  open(workers);
  await workers.clock.advance(0);
  expect(workers.workers).toHaveLength(2);
});

test("who closes a port tells the worker, and holds nothing of the page's any more", async () => {
  const workers = createFakeWorkers();
  const { served, client, errors, tell } = await openServed(workers);
  const heard = heardAt(client);
  served.close();
  served.close();
  expect(await heard).toEqual({ close: true });
  expect([workers.worker.isLeft, workers.held(), workers.clock.pending]).toEqual([true, ["pagewire-worker:1"], 0]);
  for (const type of ["pagehide", "pageshow"]) tell(type);
  await workers.worker.die();
  expect(errors).toEqual([]);
});

test("a page that goes into the back/forward cache lets go of the worker, and hears of it when it is back", async () => {
  const workers = createFakeWorkers();
  const { client, errors, tell } = await openServed(workers);
  const heard = heardAt(client);
  tell("pageshow");
  tell("pagehide");
  expect(await heard).toEqual({ close: true });
  expect([workers.worker.isLeft, workers.held(), errors]).toEqual([true, ["pagewire-worker:1"], []]);
  tell("pageshow");
  tell("pageshow");
  expect(errors).toMatchObject([{ code: "tab-suspended" }]);
});
