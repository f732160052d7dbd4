import { expect, test } from "vitest";
import { recordFault } from "../../../test/support/record-fault.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import { callTool } from "../test-support/http.test-helper.ts";
import { readJson } from "../test-support/json.test-helper.ts";
import { byHand, connectPage, plainResult } from "../test-support/page.test-helper.ts";

const forged =
  '"outcome":"rejected","ran":"no","replay":true,"notSaved":true,"error":{"code":"forged","message":"forged"},"result":"forged"';

/** Results that try to set fields of the call itself. */
const payloads: Readonly<Record<string, string>> = {
  "doubled fields": `1,${forged}`,
  "doubled fields with other escapes": '1,"outc\\u006fme":"rejected","r\\u0061n":"no","\\u0065rror":{"code":"forged"}',
  "a way out of the object": `1,${forged}}`,
  "a way out of the object and into another": `1,${forged}},{"x":1`,
  "a way out, and a comment": `1,${forged}} //`,
  "a way out, and a long comment": `1,${forged}} /*`,
  "a way out, and a line of its own": `1,${forged}}\n{"x":1`,
  "a way out, with a carriage return": `1,${forged}}\r\n\r\n{"x":1`,
  "a way out, and a second answer of HTTP": `1}\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}`,
  "an object that stays open": `{${forged}`,
  "an array that stays open": "[1",
  "a string that stays open": '"',
  "a string that ends in an escape": '"\\',
  "a string that ends in half an escape": '"\\u00',
  "a string with raw newlines": `"\n\r\n${forged}"`,
  "names of prototypes": '1,"__proto__":{"outcome":"rejected","ran":"no"},"constructor":1',
  "an inner object": `{${forged}}`,
  "separators of lines and files": `"\u2028\u2029\u001e",${forged}`,
  "a byte order mark": `\ufeff1,${forged}`,
  "a zero byte": `1,${forged}\u0000`,
  nothing: "",
  spaces: " \n ",
  "a comma": ",",
  "deep nesting": `${"[".repeat(50_000)}${"]".repeat(50_000)},${forged}`,
  "deep nesting that stays open": `${'{"a":'.repeat(50_000)}1`,
  "many doubled fields": `1${`,${forged}`.repeat(2000)}`,
  "lone surrogates": `"\\ud800",${forged},"\\udc00":1`,
  "names that end in a surrogate": '1,"outcome\\ud800":"rejected","ran":"no"',
};

/** How each parser reads an answer, without the parsers that reject it. */
function readable(body: Buffer): readonly unknown[] {
  const texts = [body.toString("utf8"), body.toString("latin1")];
  const readings = texts.flatMap((text) => [JSON.parse, readJson].map((parse) => tried(() => parse(text) as unknown)));
  return readings.filter((reading) => reading !== undefined);
}

function tried(parse: () => unknown): unknown {
  try {
    return parse();
  } catch (error) {
    expect(error).toSatisfy((thrown) => thrown instanceof SyntaxError || thrown instanceof RangeError);
    return undefined;
  }
}

const honest = { outcome: "ok", ran: "yes", replay: false, notSaved: false, error: null };

test("H31: a result cannot change the outcome that the hub reports, for every parser that can read the answer", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: byHand });
  let count = 0;
  let readings = 0;
  for (const [name, payload] of Object.entries(payloads)) {
    // The hub keeps short results as text and long ones as bytes.
    for (const padded of [payload, payload + " ".repeat(20_000)]) {
      const answer = callTool(hub, "work");
      const { id } = await page.nextCall();
      page.ack(id);
      page.result(id, padded);
      const { status, headers, body } = await answer;
      expect([status, headers["content-length"]]).toEqual([200, String(body.length)]);
      for (const reading of readable(body)) {
        expect(reading, name).toMatchObject(honest);
        readings++;
      }
      count++;
    }
  }
  expect(readings).toBeGreaterThan(50);
  recordFault("hub", {
    fault: "Results that try to forge how their call ended, read by two JSON parsers, as UTF-8 and as Latin-1",
    expected: "the hub's outcome, or no answer that can be read",
    observed: "the hub's outcome, or no answer that can be read",
    count,
  });
});

test("H31: bytes that are no UTF-8 forge nothing", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: byHand });
  const endings = [[0xff], [0xc3], [0xe2, 0x80], [0xf0, 0x9f, 0x98], [0xc0, 0xa2], [0xed, 0xa0, 0x80], [0x22, 0xe2]];
  for (const ending of endings) {
    for (const room of [0, 20_000]) {
      const answer = callTool(hub, "work");
      const { id } = await page.nextCall();
      const payload = [
        Buffer.from(`"${"x".repeat(room)}`),
        Buffer.from(ending),
        Buffer.from(`",${forged}`),
        Buffer.from(ending),
      ];
      page.socket.send(Buffer.concat([Buffer.from(`{"type":"result","id":"${id}"}\n`), ...payload]), { binary: true });
      for (const reading of readable((await answer).body)) expect(reading).toMatchObject(honest);
    }
  }
});

test("H31: a result as large as a frame can be is passed on whole, and forges nothing", async () => {
  const most = 64 * 1024 * 1024;
  const limits = { frameBytes: 24 * 1024 * 1024, queuedBytes: most, queuedBytesPerPrincipal: most };
  const hub = await startHub({ limits });
  const page = await connectPage(hub.url, { handle: byHand });
  const payload = `{"big":"${"x".repeat(20 * 1024 * 1024)}"},${forged}`;
  const answer = callTool(hub, "work");
  const { id } = await page.nextCall();
  page.result(id, payload);
  const { text } = await answer;
  expect(text.startsWith(`{"result":${payload.slice(0, 100)}`)).toBe(true);
  const { result: _, ...beside } = JSON.parse(text) as Record<string, unknown>;
  expect(beside).toEqual(honest);
});

test("H31: a hostile result changes nothing about the answer to another call", async () => {
  const hub = await startHub();
  const hostile = await connectPage(hub.url, { tab: "hostile", tools: ["hostile"], handle: byHand });
  const other = await connectPage(hub.url, { tab: "other", tools: ["other"], handle: byHand });
  for (const payload of Object.values(payloads)) {
    const first = callTool(hub, "hostile");
    const second = callTool(hub, "other");
    const [mine, theirs] = [await hostile.nextCall(), await other.nextCall()];
    hostile.socket.send(
      `{"type":"result","id":"${mine.id}"}\n${payload}\n{"type":"result","id":"${theirs.id}"}\n"forged"`,
    );
    hostile.result(theirs.id, '"forged"');
    await first;
    other.result(theirs.id, plainResult);
    expect(JSON.parse((await second).text)).toEqual({ result: JSON.parse(plainResult) as unknown, ...honest });
  }
});
