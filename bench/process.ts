// The entry of every process that the bench starts: it takes one role, and tells what it has used when asked.
import type { Memory, Parameters, Question, RoleName, Started } from "./harness/role.ts";

const roles: Record<RoleName, (parameters: Parameters) => Promise<Started>> = {
  floor: async () => (await import("./hubs/floor-hub.ts")).startFloorHub(),
  "floor-list": async (parameters) => (await import("./hubs/floor-list-hub.ts")).startFloorListHub(parameters),
  pagewire: async (parameters) => (await import("./hubs/pagewire-hub.ts")).startPagewireHub(parameters),
  "by-hand": async () => (await import("./hubs/by-hand-hub.ts")).startByHandHub(),
  birpc: async () => (await import("./hubs/birpc-hub.ts")).startBirpcHub(),
  express: async () => (await import("./hubs/express-hub.ts")).startExpressHub(),
  fastify: async () => (await import("./hubs/fastify-hub.ts")).startFastifyHub(),
  "sdk-v1": async (parameters) => (await import("./hubs/sdk-v1-server.ts")).startSdkV1Server(parameters),
  "sdk-v2": async (parameters) => (await import("./hubs/sdk-v2-server.ts")).startSdkV2Server(parameters),
  pages: async (parameters) => (await import("./pages/node-pages.ts")).openNodePages(parameters),
};

const answers: Record<Question, () => number | Memory> = {
  cpu() {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  memory() {
    globalThis.gc?.();
    const { rss, heapUsed, external } = process.memoryUsage();
    return { rssBytes: rss, heapBytes: heapUsed + external };
  },
};

const [, , role, parameters = "{}"] = process.argv;

process.on("disconnect", () => process.exit());
process.on("message", (question: Question) => process.send?.(answers[question]()));
process.send?.(await roles[role as RoleName](JSON.parse(parameters) as Parameters));
