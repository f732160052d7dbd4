import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { hub, paired, showPage } from "../common/extension-under-test.test-helper.tsx";
import type { Start } from "../common/extension-under-test.test-helper.tsx";
import { OptionsPage } from "./options-page.tsx";

const showOptions = (start?: Start) => showPage((store) => <OptionsPage store={store} />, start);

test("the page shows the hub and this browser, unpairs, and pairs again under another name", async () => {
  const { text, button, sent, all } = await showOptions({
    settings: { ...paired, hub: { ...hub, pairedAt: Date.UTC(2026, 10, 28, 12) } },
  });
  await expect.poll(text).toContain("Chrome on Linux");
  expect(text()).toContain("2026");
  expect(text()).toContain("Pagewire 1.2.3");
  await userEvent.click(button("Unpair"));
  await userEvent.click(button("Pair again or rename"));
  await expect.poll(() => all("input").length).toBe(2);
  const [line, name] = all("input") as HTMLInputElement[];
  expect(name?.value).toBe("Chrome on Linux");
  await userEvent.fill(name as HTMLElement, "Home");
  await userEvent.fill(line as HTMLElement, "https://hub.example.com#K7QX-2MBA");
  await userEvent.click(button("Pair"));
  await expect.poll(() => all("form").length).toBe(0);
  expect(sent).toEqual([
    { type: "unpair" },
    { type: "pair", address: "https://hub.example.com", code: "K7QX-2MBA", browser: "Home" },
  ]);
});

test("sites with permission, with settings, or with both are listed once, and removed", async () => {
  const site = { calls: "all", polyfill: false, reading: true } as const;
  const { all, button, sent, fake, text } = await showOptions({
    settings: { ...paired, sites: { "https://shop.example": site, "http://localhost:3000": site } },
    granted: ["https://shop.example/*", "https://bank.example:443/*", "https://*/*"],
  });
  await expect.poll(() => all("h3").length).toBe(4);
  expect(all(".sites > li").map((item) => item.querySelector(".row")?.textContent)).toEqual([
    "https://*/*Many sitesRemove",
    "bank.exampleAlways allowedRemove",
    "localhost:3000Not allowed alwaysRemove",
    "shop.exampleAlways allowedRemove",
  ]);
  await userEvent.click(button("Remove https://bank.example"));
  expect(sent).toEqual([{ type: "remove-site", origin: "https://bank.example" }]);
  await userEvent.click(button("Remove https://*/*"));
  await expect.poll(() => all("h3").length).toBe(3);
  expect(fake.granted.has("https://*/*")).toBe(false);
  const switches = all(".sites > li")[2]?.querySelectorAll("input") as NodeListOf<HTMLInputElement>;
  expect([...switches].map(({ checked }) => checked)).toEqual([false, true]);
  await userEvent.click(switches[0] as HTMLElement);
  expect(sent.at(-1)).toEqual({ type: "site", origin: "https://shop.example", site: { polyfill: true } });
  expect(text()).toContain("Agents use every tool");
});

test("plain http to another computer, and what goes to another hub, are paired with only once that was read", async () => {
  const { text, button, sent, all } = await showOptions({
    settings: { ...paired, allowed: ["https://shop.example", "https://bank.example"] },
  });
  await expect.poll(text).toContain("Chrome on Linux");
  await userEvent.click(button("Pair again or rename"));
  await expect.poll(() => all("input").length).toBe(2);
  const [line] = all("input") as HTMLInputElement[];
  await userEvent.fill(line as HTMLElement, "http://192.168.1.7:7337#K7QX-2MBA");
  await userEvent.click(button("Pair"));
  await expect.poll(text).toContain("not encrypted");
  expect(text()).toContain("2 sites that you always allow go to http://192.168.1.7:7337 then");
  expect(sent).toEqual([]);
  // Another line is another question.
  await userEvent.fill(line as HTMLElement, "http://192.168.1.8:7337#K7QX-2MBA");
  await userEvent.click(button("Pair"));
  await userEvent.click(button("Pair all the same"));
  await expect.poll(() => sent).toMatchObject([{ type: "pair", address: "http://192.168.1.8:7337" }]);
});

test("without a hub the settings begin with the pairing, and without sites they say how to get one", async () => {
  const { all, text } = await showOptions({ settings: { paused: false, sites: {} }, session: {} });
  await expect.poll(text).toContain("Pair this browser");
  expect(all("form").length).toBe(1);
  expect(text()).toContain("None yet. Open a site, click the extension's button, and allow it there.");
});
