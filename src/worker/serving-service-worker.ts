// The script of the ServiceWorker that also serves the tools of its tabs, as the serving SharedWorker does.
import { createServing } from "./create-serving.ts";
import { runService } from "./run-service.ts";

runService({ createServing });
