import { render } from "preact";
import { expect, onTestFinished, test } from "vitest";
import { useList } from "./rows.tsx";
import type { List } from "./rows.tsx";

test("a later page that comes after the first was read again is not put below the new first one", async () => {
  const asked: [path: string, answer: (page: object) => void][] = [];
  const session = {
    request: (_: string, path: string) => new Promise((resolve) => asked.push([path, resolve])),
  };
  const root = document.createElement("div");
  onTestFinished(() => render(null, root));
  let list: List<string> | undefined;
  const View = () => <p>{(list = useList<string>(session, "/api/things", "things")).rows?.join(" ")}</p>;
  render(<View />, root);
  await expect.poll(() => asked.length).toBe(1);
  asked[0]?.[1]({ things: ["a", "b"], next: "b" });
  await expect.poll(() => root.textContent).toBe("a b");
  list?.more?.();
  list?.read();
  asked[2]?.[1]({ things: ["b"], next: "b" });
  await expect.poll(() => root.textContent).toBe("b");
  asked[1]?.[1]({ things: ["c"] });
  await expect.poll(() => list?.busy).toBe(false);
  expect(root.textContent).toBe("b");
  list?.more?.();
  expect(asked[3]?.[0]).toBe("/api/things?after=b");
  asked[3]?.[1]({ things: ["c", "d"] });
  await expect.poll(() => root.textContent).toBe("b c d");
  expect(list?.more).toBeUndefined();
});
