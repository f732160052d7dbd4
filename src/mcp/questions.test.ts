import { expect, test } from "vitest";
import type { CallRequest } from "../switchboard/index.ts";
import { AskingCall } from "./questions.ts";
import type { AskablePeer, Asker } from "./questions.ts";

test("only the first question in a page is told at once, and only to followers that keep up", () => {
  const peer = { agent: { call: () => ({}) } } as unknown as AskablePeer;
  const call = new AskingCall(peer, {} as CallRequest);
  const beats: string[] = [];
  const follow = (name: string, isBehind: boolean) =>
    call.followers.add({ beat: () => beats.push(name), isBehind: () => isBehind } as unknown as Asker);
  follow("slow", true);
  follow("quick", false);
  for (let count = 0; count < 10; count++) call.askedInPage(true);
  expect([beats, call.isAskedInPage]).toEqual([["quick"], true]);
  call.askedInPage(false);
  call.askedInPage(false);
  expect([beats, call.isAskedInPage]).toEqual([["quick"], false]);
  call.askedInPage(true);
  expect(beats).toEqual(["quick", "quick"]);
});
