import { expect, onTestFinished, test, vi } from "vitest";
import { bind, getWcBindableDeclaration, isWcBindable } from "./index.ts";

const declared = (declaration: object) =>
  class extends EventTarget {
    static readonly wcBindable = { protocol: "wc-bindable", version: 1, properties: [], ...declaration };
  };

class Field extends declared({
  properties: [
    { name: "value", event: "field:value-changed" },
    { name: "length", event: "field:value-changed", getter: ({ detail }: CustomEvent<string>) => detail.length },
    { name: "missing", event: "field:missing-changed" },
    { name: "empty", event: "field:empty-changed" },
  ],
}) {
  value = "one";
  length = 3;
  empty = undefined;

  change(value: string): void {
    this.value = value;
    this.dispatchEvent(new CustomEvent("field:value-changed", { detail: value }));
  }
}

const property = { name: "value", event: "changed" };

test("an object is bindable when its class has a full declaration, which getWcBindableDeclaration returns", () => {
  expect(isWcBindable(new Field())).toBe(true);
  expect(getWcBindableDeclaration(new Field())).toBe(Field.wcBindable);
  expect(isWcBindable(new (declared({ commands: [{ name: "go", async: true }] }))())).toBe(true);
  expect(isWcBindable(new (declared({ inputs: [{ name: "value", attribute: "value" }] }))())).toBe(true);
});

test("a malformed declaration makes nothing bindable", () => {
  const wrong: object[] = [
    { protocol: "other" },
    { version: 2 },
    { version: "1" },
    { properties: undefined },
    { properties: null },
    { properties: "" },
    { properties: {} },
    { properties: [property, property] },
    { properties: [{ name: "value" }] },
    { properties: [{ event: "changed" }] },
    { properties: [{ ...property, name: "" }] },
    { properties: [{ ...property, event: "" }] },
    { properties: [{ ...property, getter: "detail" }] },
    { properties: [null] },
    { inputs: [{ name: "value", attribute: 42 }] },
    { inputs: [{ name: "value" }, { name: "value" }] },
    { inputs: null },
    { inputs: [{}] },
    { commands: [{ name: "go", async: "yes" }] },
    { commands: [{ name: "go" }, { name: "go" }] },
    { commands: "" },
  ];
  for (const declaration of wrong) {
    const target = new (declared(declaration))();
    expect([isWcBindable(target), getWcBindableDeclaration(target)], JSON.stringify(declaration)).toEqual([
      false,
      undefined,
    ]);
  }
  for (const target of [undefined, null, 1, "text", {}, new EventTarget(), Object.create(null) as object]) {
    expect(isWcBindable(target)).toBe(false);
  }
});

test("an object that throws when it is looked into is not bindable, and nothing is thrown", () => {
  const hostile = () => {
    throw new Error("hostile");
  };
  const targets = [
    { constructor: new Proxy(class {}, { get: hostile }) },
    { constructor: { wcBindable: Object.defineProperty({ version: 1 }, "protocol", { get: hostile }) } },
    new Proxy({}, { get: hostile }),
  ];
  for (const target of targets) {
    expect(isWcBindable(target)).toBe(false);
    expect(() => bind(target, () => {})()).not.toThrow();
  }
});

test("an observer gets the value of each property, also an undefined one, then every change, until it unbinds", () => {
  const field = new Field();
  const updates: [string, unknown][] = [];
  const unbind = bind(field, (name, value) => updates.push([name, value]));
  expect(updates.splice(0)).toEqual([
    ["value", "one"],
    ["length", 3],
    ["empty", undefined],
  ]);
  field.change("three");
  field.change("three");
  expect(updates.splice(0)).toEqual([
    ["value", "three"],
    ["length", 5],
    ["value", "three"],
    ["length", 5],
  ]);
  unbind();
  unbind();
  field.change("four");
  expect(updates).toEqual([]);
});

test("an object without properties, or that is not bindable, reports nothing", () => {
  for (const target of [new (declared({ commands: [{ name: "go" }] }))(), new EventTarget()]) {
    const listen = vi.spyOn(target, "addEventListener");
    const unbind = bind(target, () => expect.unreachable());
    unbind();
    unbind();
    expect(listen).not.toHaveBeenCalled();
  }
});

test("without a document there is nothing to wait for", () => {
  const updates: string[] = [];
  bind(new Field(), (name) => updates.push(name), { syncOn: "connect" });
  expect(updates).toEqual(["value", "length", "empty"]);
});

test("a failure once an element is in the document unbinds it, too", () => {
  let connect = () => {};
  vi.stubGlobal("document", {});
  vi.stubGlobal(
    "MutationObserver",
    class {
      constructor(changed: () => void) {
        connect = changed;
      }
      observe() {}
      disconnect() {}
    },
  );
  onTestFinished(() => void vi.unstubAllGlobals());
  const field = Object.assign(new Field(), { isConnected: false });
  const updates: unknown[] = [];
  const unbind = bind(
    field,
    (_name, value) => {
      updates.push(value);
      if (value === "two") throw new Error("observer");
    },
    { syncOn: "connect" },
  );
  expect(updates).toEqual([]);
  Object.assign(field, { isConnected: true, value: "two" });
  expect(connect).toThrow("observer");
  field.change("three");
  expect(updates).toEqual(["two"]);
  unbind();
});

test("an observer that is not a function is refused at once, for any object", () => {
  for (const target of [new Field(), new (declared({}))(), new EventTarget()]) {
    for (const observer of [undefined, null, "text", 42, {}, []]) {
      expect(() => bind(target, observer as never)).toThrow(TypeError);
    }
  }
});

test("when binding fails, nothing remains bound and the error is thrown", () => {
  const properties = ["a", "b", "c"].map((name) => ({ name, event: `changed-${name}` }));
  const target = new (declared({ properties }))();
  const add = target.addEventListener.bind(target);
  const added: string[] = [];
  const removed: string[] = [];
  target.addEventListener = (type: string, ...rest: [EventListener]) => {
    if (type === "changed-c") throw new Error("no more");
    added.push(type);
    add(type, ...rest);
  };
  target.removeEventListener = (type: string) => void removed.push(type);
  expect(() => bind(target, () => {})).toThrow("no more");
  expect([added, removed]).toEqual([
    ["changed-a", "changed-b"],
    ["changed-a", "changed-b"],
  ]);

  const updates: unknown[] = [];
  const field = new Field();
  const observer = (_name: string, value: unknown) => {
    updates.push(value);
    throw new Error("observer");
  };
  expect(() => bind(field, observer)).toThrow("observer");
  field.change("two");
  expect(updates).toEqual(["one"]);
});

test("a listener that cannot be removed does not keep the others", () => {
  const field = new Field();
  const updates: string[] = [];
  const unbind = bind(field, (name) => updates.push(name));
  const remove = field.removeEventListener.bind(field);
  let calls = 0;
  field.removeEventListener = (...args: Parameters<typeof remove>) => {
    if (++calls === 1) throw new Error("stuck");
    remove(...args);
  };
  expect(unbind).not.toThrow();
  updates.length = 0;
  field.change("two");
  expect(updates).toEqual(["value"]);
});

test("a change dispatched by a getter while it is read is reported first, then the value", () => {
  class Eager extends declared({ properties: [property] }) {
    get value(): number {
      this.dispatchEvent(new CustomEvent("changed", { detail: 1 }));
      return 2;
    }
  }
  const updates: unknown[] = [];
  bind(new Eager(), (_name, value) => updates.push(value));
  expect(updates).toEqual([1, 2]);
});
