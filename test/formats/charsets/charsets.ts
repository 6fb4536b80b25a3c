/** The charsets of the Encoding Standard (section 4.2), with their other labels. Those that it has only to refuse them are left out. */
export const charsets: Readonly<Record<string, string>> = {
  'utf-8': 'unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf8 x-unicode20utf8',
  'utf-16be': 'unicodefffe',
  'utf-16le': 'csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16',
  'iso-8859-2': 'iso-ir-101 iso_8859-2:1987 iso8859-2 iso88592 iso_8859-2 csisolatin2 l2 latin2',
  'iso-8859-3': 'iso-ir-109 iso_8859-3:1988 iso8859-3 iso88593 iso_8859-3 csisolatin3 l3 latin3',
  'iso-8859-4': 'iso-ir-110 iso_8859-4:1988 iso8859-4 iso88594 iso_8859-4 csisolatin4 l4 latin4',
  'iso-8859-5': 'csisolatincyrillic cyrillic iso-ir-144 iso_8859-5:1988 iso8859-5 iso88595 iso_8859-5',
  'iso-8859-6':
    'arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6-e iso-8859-6-i iso-ir-127 iso_8859-6:1987 iso8859-6 iso88596 iso_8859-6',
  'iso-8859-7':
    'csisolatingreek ecma-118 elot_928 greek greek8 iso-ir-126 sun_eu_greek iso_8859-7:1987 iso8859-7 iso88597 iso_8859-7',
  'iso-8859-8':
    'csiso88598e csisolatinhebrew hebrew iso-8859-8-e iso-ir-138 visual iso_8859-8:1988 iso8859-8 iso88598 iso_8859-8',
  'iso-8859-8-i': 'csiso88598i logical',
  'iso-8859-16': '',
  'koi8-r': 'cskoi8r koi koi8 koi8_r',
  'koi8-u': 'koi8-ru',
  'windows-874': 'dos-874 iso-8859-11 iso8859-11 iso885911 tis-620',
  ibm866: '866 cp866 csibm866',
  'x-mac-cyrillic': 'x-mac-ukrainian',
  macintosh: 'csmacintosh mac x-mac-roman',
  gbk: 'chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 iso-ir-58 x-gbk',
  gb18030: '',
  big5: 'big5-hkscs cn-big5 csbig5 x-x-big5',
  'euc-jp': 'cseucpkdfmtjapanese x-euc-jp',
  shift_jis: 'csshiftjis ms932 ms_kanji shift-jis sjis windows-31j x-sjis',
  'euc-kr': 'cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949',
  'iso-2022-jp': 'csiso2022jp',
  'x-user-defined': '',
  'iso-8859-10': 'iso8859-10 iso885910 csisolatin6 iso-ir-157 l6 latin6',
  'iso-8859-13': 'iso8859-13 iso885913',
  'iso-8859-14': 'iso8859-14 iso885914',
  'iso-8859-15': 'iso8859-15 iso885915 csisolatin9 iso_8859-15 l9',
  'windows-1250': 'cp1250 x-cp1250',
  'windows-1251': 'cp1251 x-cp1251',
  'windows-1252':
    'cp1252 x-cp1252 ansi_x3.4-1968 ascii cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii',
  'windows-1253': 'cp1253 x-cp1253',
  'windows-1254':
    'cp1254 x-cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5',
  'windows-1255': 'cp1255 x-cp1255',
  'windows-1256': 'cp1256 x-cp1256',
  'windows-1257': 'cp1257 x-cp1257',
  'windows-1258': 'cp1258 x-cp1258',
}

const ascii = [0x1b, 0x28, 0x42]

/** Octets in which each character of a charset stands by itself, and each sequence of its length that is none. */
export function sequencesOf(name: string): number[][] {
  const octets = range(0, 0xff).map((octet) => [octet])
  if (name === 'iso-2022-jp') {
    const single = ['(J', '(I', '$@'].flatMap((set) => octets.map((octet) => [...switchTo(set), ...octet, ...ascii]))
    return [
      ...octets,
      ...single,
      ...pairs(0x21, 0x7e, 0x21, 0x7e).map((pair) => [...switchTo('$B'), ...pair, ...ascii]),
    ]
  }
  if (name.startsWith('utf-16')) return pairs(0x00, 0xff, 0x00, 0xff)
  if (!/^(?:gb|big5|euc|shift)/.test(name)) return octets
  const two = [...octets, ...pairs(0x80, 0xff, 0x00, 0xff)]
  if (name === 'euc-jp') return [...two, ...pairs(0xa1, 0xfe, 0xa1, 0xfe).map((pair) => [0x8f, ...pair])]
  if (name !== 'gb18030' && name !== 'gbk') return two
  // Of four octets: the part of the table, and one of each hundred characters beyond it.
  const table = pairs(0x81, 0x84, 0x30, 0x39).flatMap((first) =>
    pairs(0x81, 0xfe, 0x30, 0x39).map((last) => [...first, ...last]),
  )
  const beyond = pairs(0x85, 0xfe, 0x30, 0x30).flatMap((first) =>
    pairs(0x81, 0xfe, 0x33, 0x33).map((last) => [...first, ...last]),
  )
  return [...two, ...table, ...beyond]
}

function switchTo(set: string): number[] {
  return [0x1b, ...Buffer.from(set)]
}

function pairs(firstFrom: number, firstTo: number, secondFrom: number, secondTo: number): [number, number][] {
  return range(firstFrom, firstTo).flatMap((first) =>
    range(secondFrom, secondTo).map((second): [number, number] => [first, second]),
  )
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, place) => from + place)
}
