/** A text that is a path of this app, and no address elsewhere, however a browser reads it (`//`, `/\\`, a tab within). */
export function ownPath(text: unknown): string | undefined {
  if (typeof text !== 'string' || !/^\/(?![/\\])[^\p{Cc}]*$/u.test(text)) return undefined
  return URL.canParse(text, 'https://here.invalid') &&
    new URL(text, 'https://here.invalid').origin === 'https://here.invalid'
    ? text
    : undefined
}

type Given = Readonly<Record<string, unknown>>

/** What a page accepts of the search in its address. The router would pass on all else as it arrived, so that is made undefined. */
export const strictSearch =
  <T extends object>(accept: (given: Given) => T) =>
  (given: Given): T => ({
    ...Object.fromEntries(Object.keys(given).map((name) => [name, undefined])),
    ...accept(given),
  })
