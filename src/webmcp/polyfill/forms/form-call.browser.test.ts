import { describe, expect, inject, onTestFinished, test } from "vitest";
import { contextOf, drawn, ending, formTool, frame, newName, next, put } from "../polyfill.test-helper.ts";

const isNative = inject("native");
const refused = { error: "UnknownError" };

type AgentEvent = SubmitEvent & { agentInvoked?: boolean; respondWith(answer: unknown): void };

/** A form that is a tool, and its events. */
async function formOf({ inside = "<input name=a><button id=go>Go</button>", attributes = "" } = {}) {
  const name = newName();
  const html = `<form toolname="${name}" tooldescription="d" ${attributes}>${inside}</form><iframe name=aside></iframe>`;
  const [element] = put(html).children;
  const form = element as HTMLFormElement;
  const tool = await formTool(name);
  const log: string[] = [];
  const context = contextOf();
  for (const type of ["toolactivated", "toolcancel"] as const) {
    const listener = () => log.push(`${type} ${isActive(form)}`);
    context.addEventListener(type, listener);
    onTestFinished(() => context.removeEventListener(type, listener));
  }
  const call = (input: object = { a: "v" }, signal?: AbortSignal) =>
    ending(context.executeTool(tool, input, signal ? { signal } : {}));
  return { form, log, call, name };
}

/** Calls a form that waits for its user, until it does. */
async function waiting(options: Parameters<typeof formOf>[0] = {}) {
  const made = await formOf(options);
  const caller = new AbortController();
  const activated = next("toolactivated");
  const ended = made.call({ a: "v" }, caller.signal);
  await activated;
  return { ...made, caller, ended };
}

function isActive(element: Element | null): boolean | undefined {
  const kind = element?.matches("form") ? "form" : "submit";
  return element?.matches(isNative ? `:tool-${kind}-active` : `[data-tool-${kind}-active]`);
}

/** The attribute that makes a form submit itself. */
const auto = "toolautosubmit";
/** The target of a form that must not navigate away from the test. */
const elsewhere = 'target=aside action="about:blank"';
/** Handles a form's submit event, as a page's script does. */
function onSubmit(form: HTMLFormElement, listener: (event: AgentEvent) => void): void {
  form.addEventListener("submit", (event) => listener(event as AgentEvent));
}
const answering = (answer: unknown) => (event: AgentEvent) => {
  event.preventDefault();
  event.respondWith(answer);
};

describe("a form that submits itself", () => {
  test("is filled, submitted by its button, and answered by the page; toolactivated is dispatched", async () => {
    const { form, log, call } = await formOf({ attributes: auto });
    const button = form.querySelector("button");
    form.addEventListener("change", () => log.push(`change ${isActive(form)}`));
    onSubmit(form, (event) => {
      log.push(`submit ${event.agentInvoked} ${event.submitter?.id} ${isActive(form)} ${isActive(button)}`);
      answering({ found: 3 })(event);
    });
    expect(await call()).toBe('{"found":3}');
    expect(log).toEqual(["change false", "submit true go true true", "toolactivated true"]);
    expect([isActive(form), isActive(button)]).toEqual([false, false]);
  });

  test.each<[string, unknown, string]>([
    ["text", "x", "x"],
    ["no text", "", ""],
    ["nothing", undefined, "undefined"],
    ["null", null, "null"],
    ["a number", 5, "5"],
    ["a BigInt", 1n, "1"],
    ["a date", new Date(0), '"1970-01-01T00:00:00.000Z"'],
    ["a promise", Promise.resolve({ a: 1 }), '{"a":1}'],
    ["a promise that takes a while", drawn().then(() => "late"), "late"],
  ])("respondWith takes %s", async (_, answer, expected) => {
    const { form, call } = await formOf({ attributes: auto });
    onSubmit(form, answering(answer));
    expect(await call()).toBe(expected);
  });

  test("the last answer counts, and what cannot be one is an UnknownError", async () => {
    const { form, call } = await formOf({ attributes: auto });
    onSubmit(form, (event) => {
      answering("first")(event);
      event.respondWith("second");
    });
    expect(await call()).toBe("second");
    const circular: Record<string, unknown> = {};
    circular["itself"] = circular;
    for (const answer of [circular, drawn().then(() => circular)]) {
      const { form: another, call: callAnother } = await formOf({ attributes: auto });
      onSubmit(another, answering(answer));
      expect(await callAnother()).toEqual(refused);
    }
  });

  test("respondWith is for listeners of an agent's submit that prevented it", async () => {
    const { form, log, call } = await formOf({ attributes: `${auto} ${elsewhere}` });
    const attempt = (event: AgentEvent) => {
      try {
        event.respondWith("x");
        log.push("fine");
      } catch (error) {
        log.push((error as Error).name);
      }
    };
    let late: AgentEvent | undefined;
    onSubmit(form, (event) => {
      attempt(event);
      event.preventDefault();
      late = event;
    });
    expect(await call()).toEqual(refused);
    if (late) attempt(late);
    form.querySelector("button")?.click();
    const untrusted = new SubmitEvent("submit", { cancelable: true }) as AgentEvent;
    form.dispatchEvent(untrusted);
    expect(untrusted.agentInvoked).toBe(false);
    expect(log.filter((line) => !line.startsWith("tool"))).toEqual(Array(4).fill("InvalidStateError"));
  });

  test("what the page does not prevent leads elsewhere, and is null; so is form.submit() in its place", async () => {
    const { call } = await formOf({ attributes: `${auto} ${elsewhere}` });
    expect(await call()).toBe(null);
    const dialog = await formOf({ attributes: `${auto} method=dialog` });
    expect(await dialog.call()).toBe(null);
    const { form, call: callOther } = await formOf({ attributes: `${auto} ${elsewhere}` });
    onSubmit(form, (event) => {
      event.preventDefault();
      form.submit();
    });
    expect(await callOther()).toBe(null);
  });

  test("what it prevents and does not answer is an UnknownError", async () => {
    const { form, call } = await formOf({ attributes: auto });
    onSubmit(form, (event) => event.preventDefault());
    expect(await call()).toEqual(refused);
    expect(isActive(form)).toBe(false);
  });

  test.each<[string, string, string | undefined]>([
    ["no button", "<input name=a>", undefined],
    ["several", "<input name=a><button type=button></button><button id=one></button><button id=two></button>", "one"],
    ["one that is disabled", "<input name=a><button disabled></button><button id=two></button>", "two"],
    ["an input", "<input name=a><input type=submit id=one>", "one"],
    ["an image", "<input name=a><input type=image id=one><button></button>", "one"],
    [
      "fields of the form's own names",
      "<input name=a><input name=requestSubmit><input name=elements><input name=submit>",
      undefined,
    ],
  ])("with %s", async (_, inside, expected) => {
    const { form, call } = await formOf({ inside, attributes: auto });
    onSubmit(form, (event) => answering(`${event.submitter?.id}`)(event));
    expect(await call()).toBe(`${expected}`);
  });

  test("an answer counts that was given before the form went", async () => {
    const { form, call } = await formOf({ attributes: auto });
    onSubmit(form, (event) => {
      answering("done")(event);
      form.remove();
    });
    expect(await call()).toBe("done");
  });

  test.each<[string, (form: HTMLFormElement) => void]>([
    ["goes", (form) => form.remove()],
    ["has another field", (form) => form.append(Object.assign(document.createElement("input"), { name: "b" }))],
    ["is described in another way", (form) => form.setAttribute("tooldescription", "other")],
    ["is reset", (form) => HTMLFormElement.prototype.reset.call(form)],
  ])("a form that %s before its answer ends the call with an UnknownError", async (_, change) => {
    const { form, log, call } = await formOf({ attributes: auto });
    onSubmit(form, (event) => {
      answering(new Promise(() => {}))(event);
      setTimeout(() => change(form));
    });
    expect(await call()).toEqual(refused);
    expect([isActive(form), log]).toEqual([false, ["toolactivated true"]]);
  });
});

describe("a form that its user submits", () => {
  test("is filled, its button has the focus, and the call waits", async () => {
    const { form, log, ended } = await waiting({ inside: "<input name=a><button>One</button><button>Two</button>" });
    const [one, two] = form.querySelectorAll("button");
    expect([isActive(form), isActive(one ?? null), isActive(two ?? null)]).toEqual([true, true, false]);
    expect([document.activeElement === one, form.querySelector("input")?.value, log]).toEqual([
      true,
      "v",
      ["toolactivated true"],
    ]);
    onSubmit(form, (event) => answering(`${event.agentInvoked} ${event.submitter?.textContent}`)(event));
    two?.click();
    expect(await ended).toBe("true Two");
    expect([isActive(form), isActive(one ?? null)]).toEqual([false, false]);
  });

  test("a script may submit it, too, with an event or without", async () => {
    const first = await waiting();
    onSubmit(first.form, (event) => answering(event.agentInvoked)(event));
    first.form.requestSubmit();
    expect(await first.ended).toBe("true");
    const second = await waiting({ attributes: elsewhere });
    second.form.submit();
    expect(await second.ended).toBe(null);
    const third = await waiting({ attributes: elsewhere });
    third.form.querySelector("button")?.click();
    expect(await third.ended).toBe(null);
  });

  test("without a button the call fails, and nothing is filled", async () => {
    const { form, log, call } = await formOf({ inside: "<input name=a>" });
    expect(await call()).toEqual(refused);
    expect([form.querySelector("input")?.value, log]).toEqual(["", ["toolactivated false"]]);
  });

  test("an invalid submission ends the call with the reason", async () => {
    const { form, ended } = await waiting({ inside: "<input name=a><input name=b required><button>Go</button>" });
    form.querySelector("button")?.click();
    expect(await ended).toEqual(refused);
    expect(isActive(form)).toBe(false);
  });

  test("a reset ends the call, and there is no toolcancel; a prevented one does nothing", async () => {
    const { form, log, ended } = await waiting({ inside: "<input name=a value=x><button>Go</button>" });
    const prevent = (event: Event) => event.preventDefault();
    form.addEventListener("reset", prevent);
    form.reset();
    await drawn();
    expect(isActive(form)).toBe(true);
    form.removeEventListener("reset", prevent);
    form.reset();
    expect(await ended).toEqual(refused);
    expect([form.querySelector("input")?.value, isActive(form), log]).toEqual(["x", false, ["toolactivated true"]]);
  });

  test.each<[string, (form: HTMLFormElement) => void]>([
    ["goes", (form) => form.remove()],
    ["has another name", (form) => form.setAttribute("toolname", newName())],
    ["is no tool any more", (form) => form.removeAttribute("toolname")],
    ["has another field", (form) => form.insertAdjacentHTML("beforeend", "<input name=b>")],
    ["submits itself from now on", (form) => form.setAttribute("toolautosubmit", "")],
  ])("a form that %s ends the call", async (_, change) => {
    const { form, ended } = await waiting();
    onTestFinished(() => form.remove());
    change(form);
    expect(await ended).toEqual(refused);
    expect(isActive(form)).toBe(false);
  });

  test("a form that moves keeps its call; Chromium 156 ends it", async () => {
    const { form, ended } = await waiting();
    onTestFinished(() => form.remove());
    document.body.append(form);
    await drawn();
    onSubmit(form, (event) => (event.agentInvoked ? answering("done")(event) : event.preventDefault()));
    form.querySelector("button")?.click();
    expect(await ended).toEqual(isNative ? refused : "done");
  });

  test("what has nothing to do with the tool does not, nor does a submit event of the page's own making", async () => {
    const { form, ended } = await waiting();
    form.className = "x";
    form.dispatchEvent(new SubmitEvent("submit", { cancelable: true }));
    await drawn();
    expect(isActive(form)).toBe(true);
    onSubmit(form, answering("done"));
    form.querySelector("button")?.click();
    expect(await ended).toBe("done");
  });

  test("an abort leaves the form unchanged and inactive, and dispatches toolcancel", async () => {
    const { form, log, caller, ended } = await waiting();
    const cancelled = next("toolcancel");
    caller.abort("enough");
    expect(await ended).toEqual({ rejected: "enough" });
    await cancelled;
    expect(log).toEqual(["toolactivated true", "toolcancel false"]);
    expect([form.querySelector("input")?.value, isActive(form)]).toEqual(["v", false]);
    const events: (boolean | undefined)[] = [];
    onSubmit(form, (event) => {
      event.preventDefault();
      events.push(event.agentInvoked);
    });
    form.querySelector("button")?.click();
    expect(events).toEqual([false]);
  });

  test("another call takes the place of one that waits, which ends; Chromium 156 forgets it", async () => {
    const { form, call, ended } = await waiting();
    onSubmit(form, answering("done"));
    const activated = next("toolactivated");
    const second = call({ a: "w" });
    await activated;
    expect(form.querySelector("input")?.value).toBe("w");
    form.querySelector("button")?.click();
    expect(await second).toBe("done");
    expect(await Promise.race([ended, drawn().then(() => "waits")])).toEqual(isNative ? "waits" : refused);
  });
});

test("a frame's form is called where it is, and what leads its frame to another page is null", async () => {
  const { window: inside, document: owner } = await frame();
  const name = newName();
  owner.body.innerHTML = `<form toolname="${name}" tooldescription="d" toolautosubmit action="about:srcdoc"></form>`;
  const tool = await formTool(name);
  expect(tool.window === inside).toBe(true);
  expect(await contextOf().executeTool(tool)).toBe(null);
});
