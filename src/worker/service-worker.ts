// The script of the ServiceWorker, for browsers without SharedWorker.
import { runService } from "./run-service.ts";

runService();
