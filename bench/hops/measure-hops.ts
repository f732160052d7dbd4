// One warm call at a time, with a hub in this process and a page in Chromium, and V8 counting on both sides.
import { Session } from "node:inspector";
import { openChromium } from "../harness/chromium.ts";
import { createClosingList } from "../harness/closing-list.ts";
import { median } from "../harness/statistics.ts";
import { agentToken, prepareCallers } from "../harness/prepare-callers.ts";
import { debugPage } from "../harness/debugged-page.ts";
import type { Journey, JourneyWorld } from "./journeys.ts";
import { serveModules } from "./module-server.ts";
import { countsOf, distFolder, touchedIn } from "./touched.ts";
import type { ScriptCoverage, TouchedFile } from "./touched.ts";

/** How often a journey is made before it is counted, and how often it is counted. */
const warmUps = 10;
const windows = 5;

/** The files and functions that one journey ran, by side. */
export interface Hops {
  readonly journey: Journey;
  readonly hub: readonly TouchedFile[];
  readonly page: readonly TouchedFile[];
}

/** Counts what each of these journeys touches. */
export async function measureHops(
  journeys: readonly Journey[],
  chromium: string | undefined,
): Promise<readonly Hops[]> {
  const running = createClosingList();
  try {
    const takeHub = startCoverage();
    // V8 counts from here on, the hub's modules from their first line.
    const { createHub } = await import("pagewire/hub");
    const modules = running.add(await serveModules());
    const { port } = running.add(
      await createHub({ port: 0, agentToken: () => agentToken, allowedOrigins: () => [modules.origin] }),
    );
    const browser = running.add(await openChromium(chromium, `${modules.origin}/?hub=${port}`, { isDebuggable: true }));
    await prepareCallers({ port, size: "200 B", inFlight: 1 });
    const page = running.add(await debugPage(await browser.address(), modules.origin));
    await page.startCoverage();
    const world: JourneyWorld = { port, evaluate: page.evaluate };
    const takePage = async () => touchedIn(await page.takeCoverage(), `${modules.origin}/dist/`);

    const measured: Hops[] = [];
    for (const journey of journeys) {
      const { make, close } = await journey.prepare(world);
      for (let count = 0; count < warmUps; count++) await make();
      const counted: Hops[] = [];
      for (let count = 0; count < windows; count++) {
        await takePage();
        takeHub();
        await make();
        const hub = takeHub();
        counted.push({ journey, hub: touchedIn(hub, distFolder()), page: await takePage() });
      }
      await close();
      measured.push(middleOf(counted));
    }
    return measured;
  } finally {
    await running.close();
  }
}

/** Timers and heartbeats fall into a window now and then; the middle one is a window without. */
function middleOf(counted: readonly Hops[]): Hops {
  const sizeOf = ({ hub, page }: Hops) => countsOf(hub).functions + countsOf(page).functions;
  const middle = median(counted.map(sizeOf));
  const found = counted.find((one) => sizeOf(one) === middle);
  if (!found) throw new Error("A journey was counted an even number of times.");
  return found;
}

/** Starts to count in this process; returns how to take what ran since the last time. */
function startCoverage(): () => readonly ScriptCoverage[] {
  const session = new Session();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  return () => {
    let taken: readonly ScriptCoverage[] = [];
    // In this process, the answer comes before `post` returns.
    session.post("Profiler.takePreciseCoverage", (error, { result }) => {
      if (error) throw error;
      taken = result;
    });
    return taken;
  };
}
