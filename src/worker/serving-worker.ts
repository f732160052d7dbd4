// The script of the SharedWorker that also serves the tools of its tabs to MCP clients of its origin. It is a separate
// file so that only the app can enable that, and no script in a page.
import { createServing } from "./create-serving.ts";
import { runShared } from "./run-shared.ts";

runShared({ createServing });
