import { messageOf } from "../../wire/index.ts";

/** What a browser says of a handler that threw, whatever it threw. */
const saysNothing = /invocation failed|promise was rejected|unknown transient reason/;

/** The error of a call that the browser ended with an error. `isThere` says whether the tool still is. */
export function browserToolFailure(name: string, error: unknown, isThere: boolean): Error {
  const said = messageOf(error);
  if (!isThere) {
    return new Error(
      `The tool "${name}" was taken away during the call, or its frame was closed or led to another page. It may have run.`,
    );
  }
  const kind = (Object(error) as { readonly name?: unknown }).name;
  if (kind === "DataError") return new Error(`The browser refused the arguments: ${said}`, { cause: error });
  if (kind !== "UnknownError" || !saysNothing.test(said)) return new Error(said, { cause: error });
  return new Error(
    `The tool "${name}" failed. The browser does not tell why: its console has the reason. ` +
      `A tool that returns {isError: true, content} can say it.`,
    { cause: error },
  );
}
