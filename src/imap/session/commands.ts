import { Bad, type Completed } from '../answers.ts'
import type { Command } from '../wire/arguments.ts'
import { untagged } from '../wire/format.ts'
import type { Extension, Handler, Session } from './session.ts'

const extensions: ReadonlyMap<string, Extension> = new Map(
  (['IMAP4rev2', 'CONDSTORE', 'QRESYNC', 'UTF8=ACCEPT'] as const).map((name) => [name.toUpperCase(), name]),
)

/** Most words of one ENABLE. */
const mostWords = 50

/** ENABLE (RFC 9051, section 6.3.1): what is unknown is left out of the answer. */
async function enable(session: Session, { args }: Command): Promise<Completed> {
  const words: string[] = []
  do {
    args.space()
    words.push(args.word())
    if (words.length > mostWords) throw new Bad(`ENABLE takes at most ${mostWords} words`)
  } while (!args.isAtEnd())
  const known = [...new Set(words.flatMap((word) => extensions.get(word) ?? []))]
  for (const extension of known) session.enable(extension)
  await session.output.write(untagged(['ENABLED', ...known].join(' ')))
  return { text: 'Enabled' }
}

export const sessionCommands: Readonly<Record<string, Handler>> = { ENABLE: enable }
