// The script of the SharedWorker: all tabs of its origin share one socket.
import { runShared } from "./run-shared.ts";

runShared();
