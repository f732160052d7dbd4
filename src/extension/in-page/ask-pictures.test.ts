import { expect, test } from "vitest";
import { createPictures } from "./ask-pictures.ts";

function start() {
  const posted: unknown[] = [];
  let count = 0;
  return {
    posted,
    ...createPictures(
      (message) => posted.push(message),
      () => `id-${++count}`,
    ),
  };
}

test("each picture is given to the one who asked for it, once", async () => {
  const { capture, captured, posted } = start();
  const both = [capture(), capture()];
  expect(posted).toEqual([
    { type: "capture", capture: "id-1" },
    { type: "capture", capture: "id-2" },
  ]);
  captured("unknown", { message: "no" });
  captured("id-2", { message: "second" });
  captured("id-2", { message: "late" });
  captured("id-1", { picture: "first" });
  expect(await Promise.all(both)).toEqual([{ picture: "first" }, { message: "second" }]);
});

test("a worker that was stopped is asked again, for what it has not answered", () => {
  const { capture, captured, repeat, posted } = start();
  void capture();
  void capture();
  captured("id-1", {});
  posted.length = 0;
  repeat();
  expect(posted).toEqual([{ type: "capture", capture: "id-2" }]);
});

test("none is waited for when the extension ends in the page", async () => {
  const { capture, end } = start();
  const picture = capture();
  end();
  expect(await picture).toEqual({ message: "The extension was switched off for this page." });
});
