// The script of the SharedWorker that also serves the tools of its tabs to MCP clients of its origin. An app switches
// that on by using this file: what runs in a page cannot.
import { createServing } from "./local/create-serving.ts";
import { runShared } from "./run-shared.ts";

runShared({ createServing });
