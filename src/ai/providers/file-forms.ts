// The parts of the built-in APIs' requests that hold a file.
import type { AiFile, AiFileForm } from "../provider.ts";
import type { AiRequestOptions } from "../types.ts";

/** A part; undefined for a text that is given as text; or why it cannot be given, and what to do. */
type Form = (file: AiFile, options: AiRequestOptions) => object | string | undefined;

export const fileForms: Readonly<Record<Extract<AiFileForm, string>, Form>> = {
  openai(file, options) {
    const { kind, mediaType, name, data } = file;
    if (kind === "text") return undefined;
    if (kind === "picture") return { type: "image_url", image_url: { url: addressOf(file) } };
    if (data === undefined) return byAddress;
    if (kind === "pdf") {
      if (blindModels.test(options.model)) return noPdf(options.model);
      return { type: "file", file: { filename: named(name, ".pdf"), file_data: addressOf(file) } };
    }
    const format = { "audio/wav": "wav", "audio/mpeg": "mp3" }[mediaType];
    if (!format) return `The API takes audio as WAV or MP3, not as ${mediaType}: convert it.`;
    if (isOpenAiItself(options) && !/audio/.test(options.model))
      return `The model ${options.model} takes no audio: choose one that does, such as gpt-audio.`;
    return { type: "input_audio", input_audio: { data, format } };
  },

  "openai-responses"(file, options) {
    const { kind, name, url, data } = file;
    if (kind === "text") return undefined;
    if (kind === "picture") return { type: "input_image", image_url: addressOf(file), detail: "auto" };
    if (kind === "audio")
      return 'OpenAI\'s responses take no audio: use the provider "openai" with a model for audio, such as gpt-audio.';
    if (blindModels.test(options.model)) return noPdf(options.model);
    if (data === undefined) return { type: "input_file", file_url: url };
    return { type: "input_file", filename: named(name, ".pdf"), file_data: addressOf(file) };
  },

  anthropic({ kind, mediaType, name, url, data, text }) {
    if (kind === "audio") return "Claude takes no audio: transcribe it, or use a model that takes it, such as Gemini.";
    const bytes = data === undefined ? { type: "url", url } : { type: "base64", media_type: mediaType, data };
    if (kind === "picture") return { type: "image", source: bytes };
    // The API refuses an empty one.
    if (kind === "text" && !text?.trim()) return undefined;
    const source = kind === "text" ? { type: "text", media_type: "text/plain", data: text } : bytes;
    return { type: "document", source, title: name };
  },

  google({ kind, mediaType, data }) {
    if (kind === "text") return undefined;
    if (data === undefined) return byAddress;
    return { inlineData: { mimeType: mediaType === "audio/mpeg" ? "audio/mp3" : mediaType, data } };
  },
};

/** A file's own data: URL may have no media type, or another than the part. */
function addressOf({ mediaType, url, data }: AiFile): string {
  return data === undefined ? url : `data:${mediaType};base64,${data}`;
}

const byAddress = "The API takes no address of a file: fetch it, and give it as a data: URL.";

/** OpenAI's models that see nothing: a PDF is read as pictures of its pages, too. */
const blindModels = /^(gpt-3|gpt-4(-\d.*|-32k.*)?$|o1-mini|o3-mini)/;

function noPdf(model: string): string {
  return `The model ${model} takes no PDF: choose one that does, such as gpt-4o.`;
}

/** The API reads the kind of a file from its name. */
function named(name: string, ending: string): string {
  return name.toLowerCase().endsWith(ending) ? name : `${name}${ending}`;
}

function isOpenAiItself({ baseUrl = "" }: AiRequestOptions): boolean {
  return baseUrl === "" || baseUrl.startsWith("https://api.openai.com");
}
