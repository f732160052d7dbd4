import { expect, onTestFinished, test } from "vitest";
import { createApp, defineComponent, h, nextTick, ref as reference } from "vue";
import { defineCounter } from "./counter.test-helper.ts";
import type { Counter, CounterValues } from "./counter.test-helper.ts";
import { useWcBindable } from "./vue.ts";
import type { WcBindableOfVue } from "./vue.ts";

function show(tag: string) {
  const shown = reference(true);
  const place = document.body.appendChild(document.createElement("div"));
  let element: WcBindableOfVue<Counter, CounterValues>["element"] | undefined;
  const app = createApp(
    defineComponent(() => {
      const bound = useWcBindable<Counter, CounterValues>({ count: -1 });
      const { ref, values } = bound;
      element = bound.element;
      return () => h("p", [shown.value ? h(tag, { ref }) : null, String(values.count)]);
    }),
  );
  app.mount(place);
  onTestFinished(() => place.remove());
  return {
    app,
    shown,
    element: () => element?.value,
    text: () => place.textContent,
    counter: () => place.querySelector<Counter>("p > *"),
  };
}

test("a Vue component has an element's values and renders with each change, bound once for as long as the element is there", async () => {
  const { app, shown, text, counter } = show(defineCounter());
  await nextTick();
  const element = counter();
  element?.add(2);
  await nextTick();
  element?.add(1);
  await nextTick();
  expect([text(), element?.listeners]).toEqual(["3", 1]);
  shown.value = false;
  await nextTick();
  expect(element?.listeners).toBe(0);
  shown.value = true;
  await nextTick();
  const next = counter();
  expect([next?.listeners, next === element]).toEqual([1, false]);
  app.unmount();
  expect(next?.listeners).toBe(0);
});

test("in Vue element.value is the element as long as it is there, for its methods to be called", async () => {
  const { app, shown, element, text, counter } = show(defineCounter());
  await nextTick();
  element()?.add(3);
  await nextTick();
  expect([text(), element()]).toEqual(["3", counter()]);
  shown.value = false;
  await nextTick();
  expect(element()).toBe(null);
  app.unmount();
});

test("an element whose class is defined later is bound then, for Vue too", async () => {
  const tag = defineCounter({ later: true });
  const { app, text } = show(tag);
  await nextTick();
  expect(text()).toBe("-1");
  defineCounter({ tag });
  await expect.poll(text).toBe("0");
  app.unmount();
});
