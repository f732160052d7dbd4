// The entry of every process that the bench starts: it takes one role, and tells what it has used when asked.
import { readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type {
  CallingRole,
  Load,
  LoadFigures,
  Memory,
  Parameters,
  Question,
  RoleName,
  Started,
  Typist,
  Worker,
} from "./harness/role.ts";
import { runLoad } from "./harness/run-load.ts";

const roles: Record<RoleName, (parameters: Parameters) => Promise<Started | CallingRole | Worker | Typist>> = {
  floor: async () => (await import("./hubs/floor-hub.ts")).startFloorHub(),
  "batching-floor": async () => (await import("./hubs/batching-floor-hub.ts")).startBatchingFloorHub(),
  "floor-list": async (parameters) => (await import("./hubs/floor-list-hub.ts")).startFloorListHub(parameters),
  pagewire: async (parameters) => (await import("./hubs/pagewire-hub.ts")).startPagewireHub(parameters),
  "by-hand": async () => (await import("./hubs/by-hand-hub.ts")).startByHandHub(),
  birpc: async () => (await import("./hubs/birpc-hub.ts")).startBirpcHub(),
  express: async () => (await import("./hubs/express-hub.ts")).startExpressHub(),
  fastify: async () => (await import("./hubs/fastify-hub.ts")).startFastifyHub(),
  "sdk-v1": async (parameters) => (await import("./hubs/sdk-v1-server.ts")).startSdkV1Server(parameters),
  "sdk-v2": async (parameters) => (await import("./hubs/sdk-v2-server.ts")).startSdkV2Server(parameters),
  "floor-window": async (parameters) => (await import("./hubs/floor-window-hub.ts")).startFloorWindowHub(parameters),
  "agent-window": async (parameters) => (await import("./hubs/agent-window-hub.ts")).startAgentWindowHub(parameters),
  "terminal-hub": async (parameters) => (await import("./terminals/terminal-hub.ts")).startTerminalHub(parameters),
  "byte-terminals": async (parameters) =>
    (await import("./terminals/terminals-by-hand.ts")).startByteTerminals(parameters),
  "text-terminals": async (parameters) =>
    (await import("./terminals/terminals-by-hand.ts")).startTextTerminals(parameters),
  typist: async (parameters) => (await import("./terminals/start-typist.ts")).startTypist(parameters),
  "watching-agents": async (parameters) => (await import("./hubs/watching-agents.ts")).startWatchingAgents(parameters),
  "nats-caller": async (parameters) => (await import("./hubs/nats-round-trip.ts")).startNatsCaller(parameters),
  "nats-answerer": async (parameters) => (await import("./hubs/nats-round-trip.ts")).startNatsAnswerer(parameters),
  flooder: async (parameters) => (await import("./floods/flooder.ts")).startFlooder(parameters),
  "returning-pages": async (parameters) =>
    (await import("./floods/returning-pages.ts")).startReturningPages(parameters),
  pages: async (parameters) => (await import("./pages/node-pages.ts")).openNodePages(parameters),
  reader: async ({ reader }) => {
    if (!reader) throw new Error("A reader is told what it reads.");
    return (await import("./streams/start-reader.ts")).startReader(reader);
  },
};

const answers: Record<Exclude<Question, Load>, () => number | Memory | Promise<number>> = {
  cpu: cpuSoFar,
  "main-thread-cpu": mainThreadCpuSoFar,
  memory() {
    globalThis.gc?.();
    const { rss, heapUsed, external } = process.memoryUsage();
    return { rssBytes: rss, heapBytes: heapUsed + external };
  },
  "longest-stall": () => {
    const longest = delays.max / 1e6 - look;
    delays.reset();
    return longest;
  },
  async work() {
    if (!worker) throw new Error(`The role "${role}" has no work of its own.`);
    const before = cpuSoFar();
    await worker.work();
    return cpuSoFar() - before;
  },
};

async function answer(question: Question): Promise<void> {
  process.send?.(await (typeof question === "string" ? answers[question]() : load(question)));
}

function load({ milliseconds, inFlight }: Load): Promise<LoadFigures> {
  if (!caller) throw new Error(`The role "${role}" makes no calls.`);
  return runLoad(
    Array.from({ length: inFlight }, () => caller),
    milliseconds,
  );
}

function cpuSoFar(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** In µs, by Linux: Node 20 knows that of all threads together only. */
function mainThreadCpuSoFar(): number {
  const [nanoseconds] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ");
  return Number(nanoseconds) / 1000;
}

/** How often the event loop is looked at, in ms. */
const look = 10;
const delays = monitorEventLoopDelay({ resolution: look });
const [, , role, parameters = "{}"] = process.argv;

process.on("disconnect", () => process.exit());
process.on("message", (question: Question) => void answer(question));
const started = await roles[role as RoleName](JSON.parse(parameters) as Parameters);
delays.enable();
const worker = "work" in started ? started : undefined;
const caller = "caller" in started ? started.caller : undefined;
process.send?.("port" in started ? started : { port: 0 });
