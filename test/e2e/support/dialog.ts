// The page's own dialog, as a person sees it. No script can enter its closed shadow root, but the debugger can.
import { clickAt } from "./input.ts";
import type { Tab } from "./tab.ts";
import { waitUntil } from "./wait.ts";

interface DomNode {
  readonly nodeId: number;
  readonly nodeName: string;
  readonly nodeValue: string;
  readonly attributes?: readonly string[];
  readonly children?: readonly DomNode[];
  readonly shadowRoots?: readonly DomNode[];
}

/** An open dialog. */
export interface ShownDialog {
  /** Its whole text, in one line. */
  readonly text: string;
  /** Types into its fields, starting with the first editable one. */
  fill(...values: readonly string[]): Promise<void>;
  /** Clicks the button or checkbox with this label. */
  click(words: string): Promise<void>;
}

/** The next new dialog of a tab, as soon as it can be answered. */
export async function dialogIn(tab: Tab): Promise<ShownDialog> {
  await tab.waitFor(
    `(() => {
      const next = document.querySelector("pagewire-dialog[ready]:not([data-given])");
      next?.setAttribute("data-given", "");
      return next !== null;
    })()`,
  );
  const found = waitUntil(
    () => findDialog(tab),
    () => "The dialog shows nothing.",
  );
  const dialog = (await found) as DomNode;
  const fields = nodesOf(dialog).filter((node) => node.nodeName === "INPUT" && isText(node));
  return {
    text: textOf(dialog),
    async fill(...values) {
      for (const [index, text] of values.entries()) {
        await tab.send("DOM.focus", { nodeId: fields[index]?.nodeId });
        await tab.send("Input.dispatchKeyEvent", { type: "rawKeyDown", commands: ["selectAll"] });
        await tab.send("Input.insertText", { text });
      }
    },
    click: (words) => clickWords(tab, dialog, words),
  };
}

/** Waits until a tab has no dialog. */
export async function noDialogIn(tab: Tab): Promise<void> {
  await tab.waitFor("document.querySelector('pagewire-dialog') === null");
}

async function findDialog(tab: Tab): Promise<DomNode | undefined> {
  const { root } = await tab.send<{ root: DomNode }>("DOM.getDocument", { depth: -1, pierce: true });
  return nodesOf(root).find(({ nodeName }) => nodeName === "PAGEWIRE-DIALOG");
}

async function clickWords(tab: Tab, dialog: DomNode, words: string): Promise<void> {
  const named = nodesOf(dialog).find(
    (node) => ["BUTTON", "LABEL"].includes(node.nodeName) && textOf(node).startsWith(words),
  );
  if (named === undefined) throw new Error(`The dialog has no "${words}": ${textOf(dialog)}`);
  await tab.send("DOM.scrollIntoViewIfNeeded", { nodeId: named.nodeId });
  const { quads } = await tab.send<{ quads: number[][] }>("DOM.getContentQuads", { nodeId: named.nodeId });
  const [left = 0, top = 0, right = 0, , , bottom = 0] = quads[0] ?? [];
  await clickAt(tab, { x: (left + right) / 2, y: (top + bottom) / 2 });
}

function nodesOf(node: DomNode): readonly DomNode[] {
  return [node, ...[...(node.shadowRoots ?? []), ...(node.children ?? [])].flatMap(nodesOf)];
}

function textOf(node: DomNode): string {
  const words = nodesOf(node).flatMap(({ nodeName, nodeValue }) => (nodeName === "#text" ? [nodeValue.trim()] : []));
  return words.join(" ").replaceAll(/\s+/g, " ");
}

function isText({ attributes = [] }: DomNode): boolean {
  const type = attributes[attributes.indexOf("type") + 1];
  return !attributes.includes("readonly") && type !== "checkbox";
}
