/** A small drawing on a field of 16 by 16; `icons` has the paths. */
export function Icon({ path }: { readonly path: string }) {
  return (
    <svg viewBox="0 0 16 16" class="icon" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}
