import { defineCommand, usageError } from "../command.ts";
import type { CommandContext } from "../command.ts";
import { createInterrupts } from "../console/interrupts.ts";
import type { ExitCode } from "../exit-codes.ts";
import { answerGit, isOperation } from "../git/answer-git.ts";
import type { Operation } from "../git/answer-git.ts";
import { findAsker, wordsOfProcess } from "../git/asking-command.ts";
import { findRepository } from "../git/find-repository.ts";
import { createRunGit } from "../git/run-git.ts";
import { setUp } from "../git/set-up.ts";
import { setupOptions } from "../git/setup-options.ts";
import { watchProcesses } from "../git/watch-processes.ts";
import { openDelegate } from "../terminal-identity/open-delegate.ts";
import { findProcess } from "../../state/index.ts";

export const gitCredential = defineCommand({
  name: "git-credential",
  summary: "Let git ask for passwords in the tab of this terminal.",
  usage: "get|store|erase|setup",
  positionals: { least: 1, most: 1 },
  options: setupOptions,
  notes: [
    "A credential helper of git's: git itself writes and reads the rest. With setup it is written into git's config.",
    "git's get opens a dialog in the tab that shows this terminal. What is entered there goes to git; it stays in the tab's memory where that was chosen, and nowhere else. Who cancels stops git. Where no tab can be asked, git goes on to its next helper, or asks on the terminal. PAGEWIRE_DEBUG=1 shows what is said, with passwords masked.",
    "--use-http-path is for hosts where you have several accounts, by repository. Accounts that differ by name need none of it: write https://ada@git.example.com/…",
  ],
  examples: [
    "pagewire git-credential setup",
    "pagewire git-credential setup --host https://git.example.com --use-http-path",
    "pagewire git-credential setup --local --print",
    `printf "protocol=https\\nhost=git.example.com\\n\\n" | pagewire git-credential get`,
  ],
  async run(context) {
    const [operation = ""] = context.positionals;
    if (operation === "setup") return setUp(context);
    const stray = Object.entries(context.values).find(([, value]) => value !== false && value !== undefined);
    if (stray) throw usageError(`--${stray[0]} is for: npx pagewire git-credential setup`);
    // Git wants helpers to keep quiet about what newer versions of it may ask.
    return isOperation(operation) ? answer(operation, context) : 0;
  },
});

async function answer(operation: Operation, { io }: CommandContext): Promise<ExitCode> {
  const interrupts = createInterrupts(io);
  const asker = findAsker(process.ppid, {
    find: findProcess(io.platform),
    wordsOf: (id) => wordsOfProcess(id, io.platform),
  });
  const watch = watchProcesses(asker.ids);
  try {
    return await answerGit(operation, {
      io,
      openDelegate: () => openDelegate(io),
      describe: async (host) => {
        const repository = await findRepository(createRunGit(io), host);
        return { command: asker.command, ...(repository === undefined ? {} : { repository }) };
      },
      signal: AbortSignal.any([interrupts.signal, watch.signal]),
    });
  } finally {
    watch.stop();
    interrupts.stop();
  }
}
