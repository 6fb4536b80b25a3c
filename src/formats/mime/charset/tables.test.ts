import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { charsets, sequencesOf } from '#test/formats/charsets/charsets.ts'
import { decodeStandard, standardName } from './tables.ts'

/** The digest of all characters of each charset, as Chromium reads them: `test/web/app/charsets.peer.ts` compares one by one. */
const digests: Readonly<Record<string, string>> = {
  'utf-8': '73c846214d7915ea',
  'utf-16be': 'f855a45c9a7be3e7',
  'utf-16le': '27fa745c55b8dbe8',
  'iso-8859-2': 'f06000761c8bcf26',
  'iso-8859-3': '202a1b363622d2ae',
  'iso-8859-4': 'f7076eceae60e496',
  'iso-8859-5': '93b826201406f5c1',
  'iso-8859-6': '7bd8ab9b93da30d5',
  'iso-8859-7': '6990b4f2c0f41585',
  'iso-8859-8': '3fece254a648dccd',
  'iso-8859-8-i': '3fece254a648dccd',
  'iso-8859-16': '1695e6848a2fa540',
  'koi8-r': '4864274e118185ef',
  'koi8-u': '0fdfdda8e9261a58',
  'windows-874': '17408160a539642a',
  ibm866: 'e4d6ff5ca5ada13a',
  'x-mac-cyrillic': 'ce302a812a98d7f3',
  macintosh: '07da6af6067c9558',
  gbk: '671d77e49e5d2889',
  gb18030: '671d77e49e5d2889',
  big5: '3089c866310b5788',
  'euc-jp': 'c3acd506455f7288',
  shift_jis: 'afe61df68127c081',
  'euc-kr': 'f421ebee147d7d3f',
  'iso-2022-jp': 'd0ccbccded97c140',
  'x-user-defined': 'eeb486ac8bd5c248',
  'iso-8859-10': '4f9e6ea68a80234a',
  'iso-8859-13': 'e0dc2e83c4600e7f',
  'iso-8859-14': 'cc0467a122c68308',
  'iso-8859-15': '02da73e6cb687359',
  'windows-1250': '01dd09bae2d209f4',
  'windows-1251': '64bc96a197c74f59',
  'windows-1252': 'd486335e5257b059',
  'windows-1253': '9e4c70ccbbd0778f',
  'windows-1254': '390edd6fb0372487',
  'windows-1255': 'eb0725777360879e',
  'windows-1256': '5526d72d1fce45fa',
  'windows-1257': '6df262bb978fac4d',
  'windows-1258': '4744ca2fc1f4eb72',
}

for (const [name, labels] of Object.entries(charsets))
  test(`each character of ${name} is that of the Encoding Standard, under each of its labels`, () => {
    const decoded = sequencesOf(name).map((octets) => decodeStandard(Buffer.from(octets), name))
    assert.equal(hash('sha256', decoded.join('\n')).slice(0, 16), digests[name])
    for (const label of [name, ...labels.split(' ')].filter((one) => one !== ''))
      assert.equal(standardName(label), name, label)
  })

for (const [label, name] of Object.entries({
  ...{ cp936: 'gbk', 'x-ms-cp932': 'shift_jis', uhc: 'euc-kr', ms949: 'euc-kr', cp949: 'euc-kr', cp950: 'big5' },
  ...{ big5hkscs: 'big5', eucjp: 'euc-jp', cp50220: 'iso-2022-jp', windows1252: 'windows-1252' },
  ...{ 'win-1251': 'windows-1251', 'iso 8859-15': 'iso-8859-15', 'iso_8859-11:2001': 'windows-874' },
  ...{ 'iso-2022-kr': undefined, 'hz-gb-2312': undefined, 'x-none': undefined, constructor: undefined, '': undefined },
}))
  test(`the label "${label}" names ${name ?? 'no charset of the Encoding Standard'}`, () =>
    assert.equal(standardName(label), name))
