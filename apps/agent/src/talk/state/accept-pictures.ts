/** What models read. */
export const pictureTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"];

const mostPictures = 8;
/** As `data:` URLs, all of a message's together: a hub takes prompts of 8 MB. */
const mostBytes = 7_000_000;

export interface Chosen {
  readonly accepted: readonly File[];
  /** Why the others were not. */
  readonly problems: readonly string[];
}

/** Which of some files can be sent as pictures, beside those that are there already. */
export function acceptPictures(files: readonly File[], there: readonly string[]): Chosen {
  const accepted: File[] = [];
  const problems: string[] = [];
  let bytes = there.reduce((sum, url) => sum + url.length, 0);
  for (const file of files) {
    const size = Math.ceil(file.size / 3) * 4;
    const problem = problemWith(file, { count: there.length + accepted.length, bytes: bytes + size });
    if (problem === undefined) {
      accepted.push(file);
      bytes += size;
    } else problems.push(problem);
  }
  return { accepted, problems };
}

function problemWith({ name, type }: File, { count, bytes }: { count: number; bytes: number }): string | undefined {
  if (!pictureTypes.includes(type)) return `"${name}" cannot be sent: choose a PNG, JPEG, GIF or WebP picture.`;
  if (count >= mostPictures) return `"${name}" was left out: a message takes ${mostPictures} pictures.`;
  if (bytes > mostBytes) return `"${name}" was left out: the pictures of a message may have 5 MB together.`;
  return undefined;
}
