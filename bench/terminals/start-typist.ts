// The user of a terminal: prints a file, and presses keys.
import type { Parameters, Typist } from "../harness/role.ts";
import { textFile } from "./terminal-home.ts";
import { views } from "./views.ts";

/** How long anything may take that is waited for. */
const patience = 60_000;

/** A letter, and what takes it back, so that the line never grows; and what the shell prints of each. */
const letter = { key: "x", shown: /x/ };
// oxlint-disable-next-line no-control-regex -- it clears the rest of the line
const backspace = { key: "\u007f", shown: /\u001b\[K/ };

/** Opens a terminal of the server on this port, by a view of this name, and resolves when its shell is there. */
export async function startTypist({ port = 0, typist, shell }: Parameters): Promise<Typist> {
  if (!typist || !shell) throw new Error("A typist is told what to look at, and what is printed there.");
  const { inTmux } = shell;
  let tail = "";
  let received = 0;
  let look = (): void => {};

  function onOutput(text: string): void {
    received += text.length;
    tail = tail.slice(-64) + text;
    look();
  }

  /** Resolves when this was printed, of which nothing is there yet. */
  function printed(wanted: RegExp): Promise<void> {
    tail = "";
    return new Promise((resolve, reject) => {
      const stopWaiting = setTimeout(() => {
        reject(new Error(`${String(wanted)} was not printed, but ${JSON.stringify(tail.slice(-500))}.`));
      }, patience);
      look = () => {
        if (!wanted.test(tail)) return;
        look = () => {};
        clearTimeout(stopWaiting);
        resolve();
      };
    });
  }

  const prompt = printed(/\$ /);
  const view = await views[typist.view]({ port, inTmux, onOutput });
  await prompt;
  let isLetter = false;
  let files = 0;

  return {
    port,
    async work() {
      const before = received;
      const ended = printed(new RegExp(`END${++files}\\.[^]*\\$ `));
      // The line that is typed is printed as well, and must not be taken for the end. First it is emptied of keys.
      view.type(`\u0015cat ${textFile}; echo E''ND${files}.\r`);
      isLetter = false;
      await ended;
      const missing = typist.characters - (received - before);
      if (!inTmux && missing > 0) throw new Error(`${missing} of ${typist.characters} characters were not printed.`);
    },
    caller: {
      call() {
        isLetter = !isLetter;
        const { key, shown } = isLetter ? letter : backspace;
        const answered = printed(shown);
        view.type(key);
        return answered;
      },
      close: view.close,
    },
  };
}
