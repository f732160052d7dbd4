// The script of the SharedWorker: every tab of its origin that uses it is carried over one socket.
import { runShared } from "./run-shared.ts";

runShared();
