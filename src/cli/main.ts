#!/usr/bin/env node
import { processIo } from "./common/io.ts";
import { runCli } from "./run-cli.ts";

const io = processIo();

// A reader such as `head` may stop before the end of the output.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
}

const code = await runCli(process.argv.slice(2), io);
// Do not wait for sockets that are still closing, or pipes that are still read.
await new Promise((resolve) => process.stdout.write("", resolve));
process.exit(code);
