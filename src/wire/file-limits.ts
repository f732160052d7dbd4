// The kinds of files in a message, and their max sizes. One table, for chats, which check before anything is sent,
// and for AiCore, which checks before it asks a model.

type FileKind = "picture" | "pdf" | "audio" | "text";

/** The media types of each kind, the first being the usual name. What is of none of these may be text. */
const types: Readonly<Record<Exclude<FileKind, "text">, readonly (readonly string[])[]>> = {
  picture: [["image/png"], ["image/jpeg"], ["image/gif"], ["image/webp"]],
  pdf: [["application/pdf", "application/x-pdf"]],
  audio: [
    ["audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave"],
    ["audio/mpeg", "audio/mp3"],
    ["audio/mp4", "audio/x-m4a", "audio/m4a"],
    ["audio/ogg"],
    ["audio/flac", "audio/x-flac"],
    ["audio/aac"],
    ["audio/aiff", "audio/x-aiff"],
    ["audio/webm"],
  ],
};

const MB = 1_000_000;

export const fileLimits = {
  /** Bytes of one file. A text of this size is a quarter of a million tokens. */
  bytes: { picture: 20 * MB, pdf: 20 * MB, audio: 20 * MB, text: MB },
  /** Files of one message of a chat, and their bytes together: in base64 they fit into a hub's `promptBytes`. */
  chatFiles: 8,
  chatBytes: 5 * MB,
  /** Pictures of one answer, and their bytes together: in base64 they fit into a hub's `conversationBytes`. */
  answerImages: 8,
  answerBytes: 8 * MB,
} as const satisfies { readonly bytes: Readonly<Record<FileKind, number>>; readonly [name: string]: unknown };

/** The usual name of a media type and its kind; without a kind where it is not in the table. */
export function mediaTypeOf(text: string): { readonly type: string; readonly kind: FileKind | undefined } {
  const type = (text.split(";")[0] ?? "").trim().toLowerCase();
  for (const [kind, groups] of Object.entries(types)) {
    const group = groups.find((names) => names.includes(type));
    if (group) return { type: group[0] ?? type, kind: kind as FileKind };
  }
  return { type, kind: type.startsWith("text/") || textTypes.test(type) ? "text" : undefined };
}

const textTypes =
  /^application\/(json|xml|yaml|x-yaml|toml|javascript|typescript|x-javascript|sql|graphql|x-sh|x-python|x-ndjson)$|\+(json|xml|yaml)$/;

/** Such as `5 MB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const [size, unit] = bytes < MB ? [bytes / 1000, "KB"] : [bytes / MB, "MB"];
  return `${size < 10 ? Number(size.toFixed(1)) : Math.round(size)} ${unit}`;
}
