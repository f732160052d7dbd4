// The rehearsal's own thread: the schemas and patterns of strangers that it works with hold up nothing else.
import { parentPort, workerData } from "node:worker_threads";
import { createAnswerer } from "./create-answerer.ts";
import type { FromRehearsal, RehearsalThreadData, ToRehearsal } from "./thread-messages.ts";

const aliveTime = 500;

const port = parentPort;
if (!port) throw new Error("This module is a thread's.");
const post = (message: FromRehearsal) => port.postMessage(message);
const answer = createAnswerer({
  ...(workerData as RehearsalThreadData),
  onError: (error) => post({ failure: String(error) }),
});

let working = 0;
let telling: NodeJS.Timeout | undefined;

port.on("message", ({ id, question }: ToRehearsal) => {
  working++;
  telling ??= setInterval(() => post("alive"), aliveTime);
  void answer(question).then((reply) => {
    post({ id, reply });
    if (--working > 0) return;
    clearInterval(telling);
    telling = undefined;
  });
});
