/** The first column of the glossary's table of words not to use. */
export function bannedIn(glossary: string): string[] {
  const [, section = ''] = glossary.split(/^## Words not to use$/m)
  const [table = ''] = section.split(/^## /m)
  return [...table.matchAll(/^\| ([^|]+) \|/gm)]
    .slice(1)
    .flatMap(([, words = '']) => words.split(','))
    .map((word) => word.trim())
    .filter((word) => !/^-+$/.test(word))
}

/** The titles of the tests in a source. */
export function titlesIn(source: string): string {
  const titles = source.matchAll(/\b(?:test|testIt|it)\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g)
  return [...titles].map(([, , title = '']) => title).join('\n')
}

/** The words that a text has, in any case. Words in code, as `trouble`, are names that cannot change, and are left out. */
export function usesIn(text: string, words: readonly string[]): string[] {
  const prose = text.replace(/`[\w="{} -]+`|'\w+'/g, '')
  // A comment may break a line between two words.
  const pattern = (word: string) => new RegExp(`\\b${word.replaceAll(' ', '[\\s*/]+')}\\b`, 'i')
  return words.filter((word) => pattern(word).test(prose))
}
