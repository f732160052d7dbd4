#!/usr/bin/env node
import { processIo } from "./common/io.ts";
import { runCli } from "./run-cli.ts";

const io = processIo();

// A reader such as `head` may stop before the end of the output.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
}

const code = await runCli(process.argv.slice(2), io);
// A socket that is still closing, or a pipe that is still read, is no reason to stay.
await new Promise((resolve) => process.stdout.write("", resolve));
process.exit(code);
