import { normalizeEncoding, TextDecoder } from '@exodus/bytes/encoding.js'
import iconv from 'iconv-lite'

/** The name that the Encoding Standard gives to the charset of a label, in lower case; undefined for a charset that it does not have.
 *  Its names for what browsers do not decode (`replacement`) count as none. */
export function standardName(label: string): string | undefined {
  if (label === lastLabel) return lastName
  const name = normalizeEncoding(label) ?? ALIASES.get(plain(label)) ?? numbered(plain(label))
  lastLabel = label
  lastName = name === 'replacement' ? undefined : name
  return lastName
}

/** A header may have thousands of words, nearly always in one charset. */
let lastLabel = ''
let lastName: string | undefined

/** Decodes by the tables of the Encoding Standard. The platform has others for Korean, Big5 and Shift_JIS: 8,822 of 11,172 syllables
 *  of `euc-kr` come out wrong. */
export function decodeStandard(bytes: Buffer, name: string): string {
  const known = decoders.get(name)
  if (known) return known.decode(bytes)
  const decoder = new TextDecoder(name, { ignoreBOM: true })
  decoders.set(name, decoder)
  return decoder.decode(bytes)
}

/** Decoders by name, of which there are some forty. */
const decoders = new Map<string, { decode(bytes: Uint8Array): string }>()

/** Decodes a charset that the Encoding Standard lacks: UTF-7, UTF-32, code pages of DOS and others. Undefined if nobody knows it. */
export function decodeRare(bytes: Buffer, label: string): string | undefined {
  const name = plain(label.replace(/:\d{4}$/, ''))
  // Looked up here, since the library throws for a name that it lacks, and a header may have thousands.
  if (!rareNames().has(name)) return undefined
  try {
    return iconv.decode(bytes, name)
  } catch {
    return undefined
  }
}

let rare: ReadonlySet<string> | undefined

/** The names that the library knows, but for those that are no charsets. It loads them at its first use. */
function rareNames(): ReadonlySet<string> {
  if (rare) return rare
  iconv.encodingExists('utf7')
  const names = new Set(Object.keys(iconv.encodings ?? {}))
  for (const name of ['base64', 'hex', 'binary', 'utf7imap']) names.delete(name)
  rare = names
  return names
}

/** Names of charsets that the Encoding Standard does not list, without their punctuation. */
const ALIASES = new Map(
  Object.entries({
    'utf-8': 'cp65001 utf8mb4 utf8n',
    gbk: 'cp936 ms936 windows936 euccn xeuccn gb231280 gb23121980 cp1386',
    gb18030: 'cp54936 gb180302000 gb180302005 gb180302022',
    big5: 'cp950 ms950 windows950 big5eten cp951 big5hkscs big5hkscs2001 big5hkscs2004 big5hkscs2008',
    'euc-kr': 'cp949 ms949 uhc xwindows949 mswindows949 ksc5601 ksc56011992 euckr xeuckr cp51949 cp1363 cp970',
    'euc-jp': 'eucjp xeucjp eucjpms eucjpwin cp51932 cp33722 ujis',
    shift_jis: 'cp932 cp943 xmscp932 sjiswin shiftjis windows932 mscp932',
    'iso-2022-jp': 'iso2022jp iso2022jp1 iso2022jp2 iso2022jp3 iso2022jpms cp50220 cp50221 cp50222 jis',
    'koi8-u': 'koi8ru',
    'windows-874': 'tis620 tis6200 tis62025291 iso885911',
    macintosh: 'macroman xmacroman',
  }).flatMap(([name, labels]) => labels.split(' ').map((label) => [label, name] as const)),
)

/** `windows1252`, `cp-1252`, `ISO 8859-15`, `iso_8859-2:1987`, with any punctuation. */
function numbered(label: string): string | undefined {
  const [, windows] = /^x?(?:ms)?(?:windows|win|cp|ansi)?(125[0-8]|874)$/.exec(label) ?? []
  if (windows !== undefined) return `windows-${windows}`
  const [, part] = /^x?iso8859(1[0-6]|[1-9])(?:19\d\d|20\d\d)?$/.exec(label) ?? []
  return part === undefined ? undefined : (normalizeEncoding(`iso-8859-${part}`) ?? undefined)
}

function plain(label: string): string {
  return label.replace(/[^a-z0-9]+/g, '')
}
