// The script of the ServiceWorker: for browsers that have no SharedWorker, it does the same.
import { runService } from "./run-service.ts";

runService();
