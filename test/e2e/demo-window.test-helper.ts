// The dashboard's assistant: its window and its conversation.
import type { Demo } from "./demo.test-helper.ts";
import type { Tab } from "./support/tab.ts";

const field = ".composer textarea";

/** Signs the browser in at the hub, with an address such as `pagewire open` shows. */
export async function signIn({ hub, browser }: Demo): Promise<void> {
  const headers = { Authorization: `Bearer ${await hub.token()}` };
  const response = await fetch(`${hub.url}/api/codes`, { method: "POST", headers });
  const { url } = (await response.json()) as { readonly url: string };
  const tab = await browser.open(url);
  await tab.waitFor((css) => document.querySelector(css), { values: [field] });
  await tab.close();
}

/** Opens the assistant by a click on the dashboard, and returns its window once it is connected. */
export async function openAssistant(dashboard: Tab, selector = "#assistant-open"): Promise<Tab> {
  const assistant = await dashboard.popup(() => dashboard.click(selector));
  await isStatus(dashboard, "Assistant connected");
  // After this text appears, the hub knows the tools.
  const standing = `${await dashboard.evaluate<string>("location.host")}, 11 tools`;
  await assistant.waitFor((text) => document.body.textContent?.includes(text), { values: [standing] });
  return assistant;
}

/** Waits until the dashboard shows this status of its assistant. */
export async function isStatus(dashboard: Tab, words: string): Promise<void> {
  await dashboard.waitFor((text) => document.getElementById("assistant-status")?.textContent === text, {
    values: [words],
  });
}

/** Asks a question in the assistant's window, and waits for the answer. */
export async function askAssistant(assistant: Tab, question: string): Promise<string> {
  await assistant.type(field, question);
  await assistant.press("Enter");
  return answerIn(assistant, question);
}

/** Allows the pending tool call, once its question has stopped moving: clicks on a moving question do not count. */
export async function allowOnce(assistant: Tab): Promise<void> {
  await assistant.waitFor(() => {
    const button = document.querySelector(".approval .strong");
    button?.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    return button?.ariaDisabled === "false";
  });
  await assistant.click(".approval .strong");
}

/** The answer to a message of the user's, once it is there. */
export async function answerIn(assistant: Tab, said: string): Promise<string> {
  const answer = assistant.waitFor(
    (text) => {
      const turns = [...document.querySelectorAll(".turn")];
      const asked = turns.findLastIndex((turn) => turn.querySelector(".said")?.textContent === text);
      const answer = turns.slice(asked + 1).findLast((turn) => turn.matches(".answer[aria-busy=false]"));
      return asked >= 0 && document.querySelector(".composer [aria-label=Send]:not([hidden])") !== null
        ? answer?.textContent
        : undefined;
    },
    { values: [said] },
  ) as Promise<string>;
  try {
    return await answer;
  } catch (error) {
    const shown = await assistant.evaluate<string>(
      "`${document.body.innerText}\\nIn the field: ${document.querySelector('.composer textarea')?.value}`",
    );
    throw new Error(`No answer came; the window shows: ${shown}`, { cause: error });
  }
}

/** The draft in the window's field, and the mark that names its author. */
export function draftIn(assistant: Tab): Promise<{ readonly text: string; readonly mark: string }> {
  return assistant.waitFor(
    (css) => {
      const text = document.querySelector<HTMLTextAreaElement>(css)?.value ?? "";
      const mark = document.querySelector(".composer .mark:not([hidden]) span")?.textContent ?? "";
      return text === "" ? undefined : { text, mark };
    },
    { values: [field] },
  ) as Promise<{ text: string; mark: string }>;
}
