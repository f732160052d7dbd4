import { expect, test } from "vitest";
import { pasteLong } from "./paste-long.ts";

test("what is typed while a long text is pasted comes after it, also where pasting fails", async () => {
  for (const fails of [false, true]) {
    const written: string[] = [];
    let done = (): void => {};
    const pasted = new Promise<void>((resolve, reject) => {
      done = () => (fails ? reject(new Error("tmux refused")) : resolve());
    });
    const pty = { pid: 1, device: undefined, waitingBytes: 0, resize() {}, pause() {}, resume() {} };
    const write = (text: string) => void written.push(text.slice(0, 5));
    const own = pasteLong({ ...pty, write }, async (text) => {
      await pasted;
      write(text);
    });
    own.write("first");
    own.write("long ".repeat(1000));
    own.write("then");
    expect([written, own.waitingBytes]).toEqual([["first"], 5004]);
    done();
    await expect.poll(() => written).toEqual(["first", "long ", "then"]);
    expect(own.waitingBytes).toBe(0);
    own.write("last");
    expect(written.at(-1)).toBe("last");
  }
});
