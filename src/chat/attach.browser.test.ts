import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { exchange } from "./fake-agent.test-helper.ts";
import { button, find, shown, start } from "./talk.test-helper.ts";

function picture(name: string, type = "image/png"): File {
  return new File([new Uint8Array([1, 2, 3])], name, { type });
}

function transfer(...files: File[]): DataTransfer {
  const data = new DataTransfer();
  for (const file of files) data.items.add(file);
  return data;
}

const url = "data:image/png;base64,AQID";

test("pictures are pasted, dropped or chosen, shown with a button that removes them, and sent with the text", async () => {
  const { agent, element, field } = await start();
  const images = () => element.querySelectorAll(".thumbnails img").length;
  field.dispatchEvent(new ClipboardEvent("paste", { clipboardData: transfer(picture("a.png")), bubbles: true }));
  await expect.poll(images).toBe(1);
  const drop = { dataTransfer: transfer(picture("b.png"), picture("c.txt", "text/plain")), bubbles: true };
  element.dispatchEvent(new DragEvent("drop", { ...drop, cancelable: true }));
  await expect.poll(images).toBe(2);
  expect(find(element, ".composer [role=alert]", HTMLElement).textContent).toContain('"c.txt" cannot be sent');
  await userEvent.upload(find(element, "input[type=file]", HTMLInputElement), picture("d.png"));
  await expect.poll(images).toBe(3);
  await userEvent.click(button(element, "Remove picture 3"));
  await userEvent.click(button(element, "Remove picture 2"));
  await userEvent.fill(field, "Look");
  await userEvent.keyboard("{Enter}");
  expect(agent.asked[0]?.prompt).toEqual([
    { type: "text", text: "Look" },
    { type: "image", url },
  ]);
  await shown();
  expect(images()).toBe(0);
});

test("files are chosen, dropped or pasted, shown by name and size, taken out by keyboard, and sent; their turn shows them", async () => {
  const { agent, element, field } = await start();
  const chips = (within = ".thumbnails") =>
    [...element.querySelectorAll(`${within} .file-chip`)].map((chip) => chip.textContent);
  const notes = new File(["# Tea"], "notes.md");
  const report = new File(["%PDF-"], "report.pdf", { type: "application/pdf" });
  const memo = new File(["RIFF"], "memo.wav", { type: "audio/x-wav" });
  await userEvent.upload(find(element, "input[type=file]", HTMLInputElement), notes);
  await expect.poll(() => chips()).toEqual(["notes.md5 B"]);
  const drop = { dataTransfer: transfer(report, new File([new Uint8Array([0, 1])], "a.zip")), bubbles: true };
  element.dispatchEvent(new DragEvent("drop", { ...drop, cancelable: true }));
  await expect.poll(() => chips()).toEqual(["notes.md5 B", "report.pdf5 B"]);
  expect(find(element, ".composer [role=alert]", HTMLElement).textContent).toContain('"a.zip" cannot be sent');
  field.dispatchEvent(new ClipboardEvent("paste", { clipboardData: transfer(memo), bubbles: true }));
  await expect.poll(() => chips().length).toBe(3);
  button(element, "Remove report.pdf").focus();
  await userEvent.keyboard("{Enter}");
  expect([chips(), document.activeElement]).toEqual([["notes.md5 B", "memo.wav4 B"], field]);
  await userEvent.keyboard("{Enter}");
  const files = [
    { type: "file", name: "notes.md", url: "data:text/markdown;base64,IyBUZWE=" },
    { type: "file", name: "memo.wav", url: "data:audio/wav;base64,UklGRg==" },
  ];
  expect(agent.asked[0]?.prompt).toEqual(files);
  await shown();
  expect([chips(), chips(".turn")]).toEqual([[], ["notes.md5 B", "memo.wav4 B"]]);
  agent.answer("Read.");
  await userEvent.click(button(element, "Edit this message"));
  await userEvent.keyboard("Once more{Enter}");
  expect(agent.asked[1]?.prompt).toEqual([{ type: "text", text: "Once more" }, ...files]);
});

test("a message waits for files that are still read; they do not move into another conversation's draft", async () => {
  const { agent, element, field } = await start({ messages: exchange("1", "One?", "1") });
  const chips = () => element.querySelectorAll(".thumbnails .file-chip").length;
  const alert = () => find(element, ".composer [role=alert]", HTMLElement).textContent;
  const drop = () => {
    const dataTransfer = transfer(new File(["# Tea"], "notes.md"));
    element.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
  };
  await userEvent.fill(field, "Read it");
  drop();
  field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
  expect([agent.asked, alert()]).toEqual([[], "Your files are still being read. Send it in a moment."]);
  await expect.poll(chips).toBe(1);
  expect([field.value, alert()]).toEqual(["Read it", ""]);
  drop();
  agent.tell({ conversation: "c2", messages: [] });
  await expect.poll(alert).toContain("Another conversation was opened");
  expect(chips()).toBe(0);
});

test("text that a program copied with a picture of it is pasted as text", async () => {
  const { element, field } = await start();
  const data = transfer(picture("a.png"));
  data.setData("text/plain", "A cell");
  const paste = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
  expect(field.dispatchEvent(paste)).toBe(true);
  await shown();
  expect(element.querySelectorAll(".thumbnails img")).toHaveLength(0);
});
