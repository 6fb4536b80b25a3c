/** U+00A0 to U+00FF, in order (HTML 4, section 24.2). */
const LATIN_1 =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro ' +
  'para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil ' +
  'Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave ' +
  'Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml ' +
  'igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute ' +
  'thorn yuml'

/** The others that mail is seen to use. */
const OTHERS: readonly (readonly [string, string])[] = [
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['OElig', 'Œ'],
  ['oelig', 'œ'],
  ['Scaron', 'Š'],
  ['scaron', 'š'],
  ['Yuml', 'Ÿ'],
  ['ensp', '\u2002'],
  ['emsp', '\u2003'],
  ['thinsp', '\u2009'],
  ['zwnj', '\u200c'],
  ['zwj', '\u200d'],
  ['ndash', '–'],
  ['mdash', '—'],
  ['lsquo', '‘'],
  ['rsquo', '’'],
  ['sbquo', '‚'],
  ['ldquo', '“'],
  ['rdquo', '”'],
  ['bdquo', '„'],
  ['lsaquo', '‹'],
  ['rsaquo', '›'],
  ['bull', '•'],
  ['hellip', '…'],
  ['euro', '€'],
  ['trade', '™'],
  ['larr', '←'],
  ['rarr', '→'],
]

const NAMED = new Map([
  ...LATIN_1.split(' ').map((name, place) => [name, String.fromCharCode(0xa0 + place)] as const),
  ...OTHERS,
])

/** Character references decoded; names that we do not know stay as they are. */
export function decodeEntities(html: string): string {
  return html.includes('&') ? html.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+\d*));?/gi, reference) : html
}

function reference(whole: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return NAMED.get(name) ?? whole
  const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hex ?? '', 16)
  if (code >= 0x80 && code <= 0x9f) return WINDOWS_1252.decode(Uint8Array.of(code))
  const impossible = code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)
  return impossible ? '\ufffd' : String.fromCodePoint(code)
}

/** What references to C1 controls stand for (HTML, section 13.2.5.80). */
const WINDOWS_1252 = new TextDecoder('windows-1252')
