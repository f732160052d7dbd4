import { afterEach, expect, test, vi } from "vitest";
import { createMarkdown } from "./create-markdown.ts";

afterEach(() => {
  document.body.replaceChildren();
  vi.restoreAllMocks();
});

function showMarkdown(text = "", isDone = true) {
  const view = createMarkdown();
  document.body.append(view.element);
  view.update(text, isDone);
  return view;
}

const tagsIn = (element: Element): string[] => [...element.querySelectorAll("*")].map(({ localName }) => localName);

const everything = [
  "# One\n\n###### Six",
  "**a** *b* ~~c~~ `d` https://x.org",
  "> quote",
  "1. one\n2. two\n   - nested\n- [x] done",
  "```js\nlet a;\n```",
  "| a | b |\n|--:|---|\n| 1 | 2 |",
  "---",
].join("\n\n");

test("AW73: every sort of block has its element, and headings stand below the page's own", () => {
  const { element } = showMarkdown(everything);
  const wanted = "h3 h6 strong em del code a blockquote ol ul li input pre table th td hr p";
  for (const tag of wanted.split(" ")) expect(element.querySelector(tag), tag).not.toBeNull();
  expect(element.querySelector("h1, h2")).toBeNull();
  expect(element.querySelector<HTMLInputElement>("li input")).toMatchObject({ checked: true, disabled: true });
  expect(element.querySelector("td")?.className).toBe("end");
});

test("AW73: what scrolls is within reach of the keyboard and has a name", () => {
  const { element } = showMarkdown(everything);
  for (const part of element.querySelectorAll<HTMLElement>("pre, .table-scroll")) {
    expect([part.tabIndex, part.role]).toEqual([0, "group"]);
  }
  expect(element.querySelector("pre")?.ariaLabel).toBe("Code, js");
});

test("AW74: HTML in the text is shown as it is written, and becomes nothing else", () => {
  const hostile = [
    `<img src=x onerror="window.hit = 1"><svg onload="window.hit = 1">`,
    "```html\n<script>window.hit = 1</script>\n```",
    "| <b>x</b> |\n|---|\n| <iframe src='javascript:window.hit=1'> |",
    `[<img src=x onerror=1>](https://x.org "<b>")`,
  ].join("\n\n");
  const { element } = showMarkdown(hostile);
  expect(element.querySelector("img, svg, script, iframe, b, object, style, form")).toBeNull();
  expect(element.textContent).toContain('<img src=x onerror="window.hit = 1">');
  expect(Reflect.has(window, "hit")).toBe(false);
  for (const one of element.querySelectorAll("*")) {
    for (const name of one.getAttributeNames()) expect(name).not.toMatch(/^(on|style$|src)/);
  }
});

test("AW75: nothing is fetched for an image or a link", async () => {
  const before = performance.getEntriesByType("resource").length;
  const { element } = showMarkdown("![cat](https://x.invalid/cat.png) [a](https://x.invalid/) <https://x.invalid/b>");
  expect(tagsIn(element)).not.toContain("img");
  expect(element.querySelectorAll("a")).toHaveLength(3);
  await new Promise((resolve) => requestAnimationFrame(resolve));
  const fetched = performance.getEntriesByType("resource").slice(before);
  expect(fetched.filter(({ name }) => name.includes("x.invalid"))).toEqual([]);
});

test("AW76, AW77: a link opens elsewhere, tells that place nothing, and says where it leads", () => {
  const { element } = showMarkdown("[bank.com](https://evil.example/a)");
  const link = element.querySelector("a");
  expect(link).toMatchObject({ target: "_blank", rel: "noopener noreferrer nofollow", href: "https://evil.example/a" });
  expect(link?.textContent).toBe("bank.com (evil.example)");
});

test("AW81: while a text comes, what is finished keeps its nodes, and a selection in it stays", () => {
  let text = "First *words* here.\n\nSecond";
  const view = showMarkdown(text, false);
  const [first] = view.element.children;
  const words = first?.querySelector("em")?.firstChild;
  if (!first || !words) throw new Error("Nothing was drawn.");
  getSelection()?.selectAllChildren(first);
  for (const more of [" par", "agraph.\n\n- one", "\n- two\n\n```js\nlet a", ";\nlet b;"]) {
    text += more;
    view.update(text, false);
    expect(view.element.firstElementChild).toBe(first);
    expect(first.querySelector("em")?.firstChild).toBe(words);
    expect(getSelection()?.toString()).toBe("First words here.");
  }
  view.update(text, true);
  expect(tagsOf(view.element)).toEqual(["p", "p", "ul", "div"]);
});

const tagsOf = (element: Element): string[] => [...element.children].map(({ localName }) => localName);

test("AW81: code, lists and tables that grow keep the nodes that they have", () => {
  const start = "- one\n- two\n\n| a |\n|---|\n| 1 |\n\n```js\nlet a;";
  const list = showMarkdown("- one\n- two", false);
  const item = list.element.querySelector("li");
  list.update("- one\n- two and more\n- three", false);
  expect(list.element.querySelector("li")).toBe(item);

  const table = showMarkdown("| a |\n|---|\n| 1 |", false);
  const cell = table.element.querySelector("td");
  table.update("| a |\n|---|\n| 1 |\n| 2 |", false);
  expect(table.element.querySelector("td")).toBe(cell);

  const code = showMarkdown(start, false);
  const text = code.element.querySelector("pre code")?.firstChild;
  code.update(`${start}\nlet b;\n\`\`\``, true);
  expect(code.element.querySelector("pre code")?.firstChild).toBe(text);
  expect(text?.textContent).toBe("let a;\nlet b;");
});

test("AW82: another text takes the place of the one before, whole", () => {
  const view = showMarkdown(everything);
  view.update("Just *this*.", true);
  expect(view.element.innerHTML).toBe("<p>Just <em>this</em>.</p>");
});

test("AW83: code is copied as it is, and where the browser refuses that it is selected", async () => {
  const writeText = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValueOnce();
  const { element } = showMarkdown("```js\nlet a = `<b>`;\n```");
  const button = element.querySelector("button");
  button?.click();
  await expect.poll(() => button?.textContent).toBe("Copied the code");
  expect(writeText).toHaveBeenCalledExactlyOnceWith("let a = `<b>`;");

  writeText.mockRejectedValueOnce(new DOMException("No", "NotAllowedError"));
  button?.click();
  await expect.poll(() => element.querySelector("[role=status]")?.textContent).toContain("copy it with your keyboard");
  expect(getSelection()?.toString()).toBe("let a = `<b>`;");
});
